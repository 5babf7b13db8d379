package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// object is a file system object that a rule names, as it was found: the
// launcher looks the path up again in the new mount namespace, follows no link
// on the way, and refuses any other object.
type object struct {
	major, minor uint32
	ino          uint64
	mode         uint32
}

func (o object) isDir() bool { return o.mode&unix.S_IFMT == unix.S_IFDIR }

// objects finds each path once.
type objects struct {
	byPath map[string]object
	held   []int // O_PATH descriptors
}

// find identifies what is at path, not following a link in its last component.
func (o *objects) find(path string) (object, error) {
	if found, ok := o.byPath[path]; ok {
		return found, nil
	}
	found, err := identify(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return object{}, &fs.PathError{Op: "statx", Path: path, Err: err}
	}
	if o.byPath == nil {
		o.byPath = map[string]object{}
	}
	o.byPath[path] = found
	return found, nil
}

// hold returns an O_PATH descriptor of exactly the object that find found,
// valid until close.
func (o *objects) hold(path string) (object, int, error) {
	found, err := o.find(path)
	if err != nil {
		return object{}, -1, err
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := openat2(unix.AT_FDCWD, path, &how)
	if err != nil {
		return object{}, -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	o.held = append(o.held, fd)
	now, err := identify(fd, "", unix.AT_EMPTY_PATH)
	if err == nil && (now.ino != found.ino || now.major != found.major || now.minor != found.minor) {
		err = unix.ESTALE
	}
	if err != nil {
		return object{}, -1, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return found, fd, nil
}

func identify(dir int, path string, flags int) (object, error) {
	var sx unix.Statx_t
	err := unix.Statx(dir, path, flags|unix.AT_NO_AUTOMOUNT|unix.AT_STATX_DONT_SYNC,
		unix.STATX_TYPE|unix.STATX_MODE|unix.STATX_INO, &sx)
	return object{major: sx.Dev_major, minor: sx.Dev_minor, ino: sx.Ino, mode: uint32(sx.Mode)}, err
}

func (o *objects) close() {
	for _, fd := range o.held {
		unix.Close(fd)
	}
	o.held = nil
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
