package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// object is a file system object that a rule names: found once, held by an
// O_PATH descriptor, and identified for the launcher, which looks the path up
// again in the new mount namespace and refuses any other object.
type object struct {
	fd           int
	major, minor uint32
	ino          uint64
	mode         uint32
}

func (o object) isDir() bool     { return o.mode&unix.S_IFMT == unix.S_IFDIR }
func (o object) isSymlink() bool { return o.mode&unix.S_IFMT == unix.S_IFLNK }

// objects finds each path once and keeps its descriptor until close.
type objects struct {
	byPath map[string]object
}

// find opens path, which must be free of links except in its last component
// when link is true. The error of a planted link is unix.ELOOP.
func (o *objects) find(path string) (object, error) {
	if found, ok := o.byPath[path]; ok {
		return found, nil
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		if errors.Is(err, unix.ELOOP) {
			return object{}, fmt.Errorf("open %q: a symbolic link was put in its way after the policy was resolved: %w", path, err)
		}
		return object{}, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	found, err := identify(fd)
	if err != nil {
		unix.Close(fd)
		return object{}, &fs.PathError{Op: "statx", Path: path, Err: err}
	}
	if o.byPath == nil {
		o.byPath = map[string]object{}
	}
	o.byPath[path] = found
	return found, nil
}

func identify(fd int) (object, error) {
	var sx unix.Statx_t
	err := unix.Statx(fd, "", unix.AT_EMPTY_PATH|unix.AT_NO_AUTOMOUNT|unix.AT_STATX_DONT_SYNC,
		unix.STATX_TYPE|unix.STATX_MODE|unix.STATX_INO, &sx)
	return object{fd: fd, major: sx.Dev_major, minor: sx.Dev_minor, ino: sx.Ino, mode: uint32(sx.Mode)}, err
}

func (o *objects) close() {
	for _, found := range o.byPath {
		unix.Close(found.fd)
	}
	o.byPath = nil
}

// openat2 retries where the kernel asks for it (a rename raced the look-up).
func openat2(dir int, path string, how *unix.OpenHow) (int, error) {
	for {
		fd, err := unix.Openat2(dir, path, how)
		if err != unix.EAGAIN && err != unix.EINTR {
			return fd, err
		}
	}
}

// hostFS is policy.FS over the real tree.
type hostFS struct{}

func (hostFS) Lstat(path string) (policy.Info, error) {
	var sx unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW|unix.AT_NO_AUTOMOUNT|unix.AT_STATX_DONT_SYNC, unix.STATX_TYPE, &sx)
	if err != nil {
		return policy.Info{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	kind := policy.KindOther
	switch sx.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		kind = policy.KindDir
	case unix.S_IFREG:
		kind = policy.KindFile
	case unix.S_IFLNK:
		kind = policy.KindSymlink
	case unix.S_IFSOCK:
		kind = policy.KindSocket
	case unix.S_IFCHR, unix.S_IFBLK:
		kind = policy.KindDevice
	}
	return policy.Info{Kind: kind}, nil
}

func (hostFS) Readlink(path string) (string, error) { return os.Readlink(path) }

func (hostFS) ReadFile(path string, max int64) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	if info.Size() > max {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", max)}
	}
	buf := make([]byte, max+1)
	n := 0
	for n < len(buf) {
		m, err := f.Read(buf[n:])
		n += m
		if m == 0 || err != nil {
			break
		}
	}
	if int64(n) > max {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", max)}
	}
	return buf[:n], nil
}

func (hostFS) ReadDir(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}
