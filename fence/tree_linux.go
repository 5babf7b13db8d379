package fence

import (
	"cmp"
	"io/fs"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// ReadDir lists a folder, by name. It lists names that the policy denies too,
// as a confined command sees them; their Info is denied.
func (f *Fence) ReadDir(path string) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	err := f.at("readdir", path, true, policy.Read, func(p *place) error {
		switch {
		case p.err != nil:
			return p.err
		case p.mode != unix.S_IFDIR:
			return unix.ENOTDIR
		}
		fd, err := openat(unix.AT_FDCWD, byFD(p.fd), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		// Named so that a type the file system does not tell is found through the
		// descriptor as well.
		dir := os.NewFile(uintptr(fd), byFD(fd))
		defer dir.Close()
		if err := f.verify(fd, p.path); err != nil {
			return err
		}
		listed, err := dir.ReadDir(-1)
		if err != nil {
			return err
		}
		entries = make([]fs.DirEntry, len(listed))
		for i, e := range listed {
			entries[i] = dirEntry{f, join(p.path, e.Name()), e.Name(), e.Type()}
		}
		return nil
	})
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

type dirEntry struct {
	f    *Fence
	path string
	name string
	kind fs.FileMode
}

func (e dirEntry) Name() string               { return e.name }
func (e dirEntry) IsDir() bool                { return e.kind.IsDir() }
func (e dirEntry) Type() fs.FileMode          { return e.kind }
func (e dirEntry) Info() (fs.FileInfo, error) { return e.f.Lstat(e.path) }
func (e dirEntry) String() string             { return fs.FormatDirEntry(e) }

// WalkDir calls fn for root and everything below it, as filepath.WalkDir does:
// in lexical order, without following links. For a folder that is denied, fn is
// called a second time, with the *DeniedError, and can skip it.
func (f *Fence) WalkDir(root string, fn fs.WalkDirFunc) error {
	return fs.WalkDir(tree{f}, root, fn)
}

// tree is a Fence as fs.WalkDir reads it.
type tree struct{ f *Fence }

func (t tree) Open(path string) (fs.File, error)          { return t.f.Open(path) }
func (t tree) Stat(path string) (fs.FileInfo, error)      { return t.f.Lstat(path) }
func (t tree) ReadDir(path string) ([]fs.DirEntry, error) { return t.f.ReadDir(path) }
