package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// globBudget bounds how many names all globs of one policy may look at together.
const globBudget = 200_000

var errGlobBudget = fmt.Errorf("the globs of the policy look at more than %d names; start them deeper, or name folders", globBudget)

// globber expands globs over the host's tree. It looks at each folder once and
// follows no links below the fixed start of a pattern.
type globber struct {
	*walker
	names  map[string][]string
	budget int
}

func newGlobber(w *walker) *globber {
	return &globber{walker: w, names: map[string][]string{}, budget: globBudget}
}

// globMatch is a path as the pattern writes it, and the same free of links.
type globMatch struct{ path, real string }

// match returns what an absolute pattern matches, in order. What it cannot look
// at for lack of permission does not match.
func (g *globber) match(pattern string) ([]globMatch, error) {
	if !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("%q is no valid glob", clip(pattern, 200))
	}
	base, rest := doublestar.SplitPattern(pattern)
	base, err := Clean(base)
	if err != nil {
		return nil, err
	}
	at, err := g.walk(base)
	if err != nil {
		return nil, err
	}
	if at.absent || at.barred || at.kind != KindDir {
		return nil, nil
	}
	found, err := doublestar.Glob(globFS{g, at.path}, rest, doublestar.WithNoFollow(), doublestar.WithFailOnIOErrors())
	if err != nil {
		return nil, err
	}
	slices.Sort(found)
	matches := make([]globMatch, 0, len(found))
	for _, name := range slices.Compact(found) {
		if name == "." {
			matches = append(matches, globMatch{base, at.path})
		} else {
			matches = append(matches, globMatch{join(base, name), join(at.path, name)})
		}
	}
	return matches, nil
}

func (g *globber) readDir(path string) ([]string, error) {
	if names, ok := g.names[path]; ok {
		return names, nil
	}
	names, err := g.fs.ReadDir(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		names, err = nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %q: %w", path, err)
	}
	if g.budget -= len(names) + 1; g.budget < 0 {
		return nil, errGlobBudget
	}
	slices.Sort(names)
	g.names[path] = names
	return names, nil
}

// globFS shows a folder of the host to the glob library.
type globFS struct {
	g    *globber
	root string
}

func (f globFS) path(name string) string {
	if name == "." {
		return f.root
	}
	return join(f.root, name)
}

func (f globFS) Stat(name string) (fs.FileInfo, error) {
	info, err := f.g.lstat(f.path(name))
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			err = fs.ErrNotExist
		}
		return nil, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	return globInfo{name, info.Kind}, nil
}

func (f globFS) Lstat(name string) (fs.FileInfo, error) { return f.Stat(name) }
func (f globFS) ReadLink(name string) (string, error)   { return f.g.fs.Readlink(f.path(name)) }

func (f globFS) ReadDir(name string) ([]fs.DirEntry, error) {
	names, err := f.g.readDir(f.path(name))
	if err != nil {
		return nil, err
	}
	entries := make([]fs.DirEntry, 0, len(names))
	for _, n := range names {
		info, err := f.g.lstat(join(f.path(name), n))
		if err == nil {
			entries = append(entries, fs.FileInfoToDirEntry(globInfo{n, info.Kind}))
		}
	}
	return entries, nil
}

func (f globFS) Open(name string) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	return globFile{f, name, info}, nil
}

type globFile struct {
	fs   globFS
	name string
	info fs.FileInfo
}

func (f globFile) Stat() (fs.FileInfo, error)         { return f.info, nil }
func (f globFile) Read([]byte) (int, error)           { return 0, fs.ErrInvalid }
func (f globFile) Close() error                       { return nil }
func (f globFile) ReadDir(int) ([]fs.DirEntry, error) { return f.fs.ReadDir(f.name) }

type globInfo struct {
	name string
	kind Kind
}

func (i globInfo) Name() string       { return i.name }
func (i globInfo) Size() int64        { return 0 }
func (i globInfo) ModTime() time.Time { return time.Time{} }
func (i globInfo) IsDir() bool        { return i.kind == KindDir }
func (i globInfo) Sys() any           { return nil }

func (i globInfo) Mode() fs.FileMode {
	switch i.kind {
	case KindDir:
		return fs.ModeDir
	case KindSymlink:
		return fs.ModeSymlink
	case KindSocket:
		return fs.ModeSocket
	case KindFile:
		return 0
	}
	return fs.ModeIrregular
}
