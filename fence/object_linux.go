package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"golang.org/x/sys/unix"

	"confine/policy"
)

const (
	procFD = "/proc/self/fd/"
	tries  = 200 // of an operation whose object moves while it is judged
	// of the file systems whose links the kernel follows in other ways than by
	// their text: statfs(2), security/apparmor
	apparmorMagic = 0x5a3c69f0
)

// errMoved: what was walked to is not there any more. Nothing was changed, so
// the operation starts again.
var errMoved = errors.New("the object moved")

var errRestless = fmt.Errorf("folders on the way keep moving: %w", unix.EAGAIN)

// supported reports whether the kernel tells where descriptors lie.
func supported() error {
	var st unix.Statfs_t
	if err := unix.Statfs(procFD, &st); err != nil {
		return fmt.Errorf("%w: look at %s: %w", errors.ErrUnsupported, procFD, err)
	}
	if st.Type != unix.PROC_SUPER_MAGIC {
		return fmt.Errorf("%w: what is mounted on /proc is something else", errors.ErrUnsupported)
	}
	return nil
}

// locate asks the kernel where a descriptor's object lies now. The answer is
// taken from the tree at one moment, whatever is being renamed.
func locate(fd int) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlink(byFD(fd), buf)
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

// byFD is a path that reaches the object of a descriptor and nothing else.
func byFD(fd int) string { return procFD + strconv.Itoa(fd) }

// verify returns errMoved unless the object of fd lies at path. A name that was
// removed counts as moved: the kernel marks it.
func (f *Fence) verify(fd int, path string) error {
	if f.unconfined {
		return nil
	}
	real, err := locate(fd)
	if err == nil && real != path {
		err = errMoved
	}
	return err
}

// at walks to path, judges what is there, verifies that it is there and calls
// do, which gets a place that holds an object or says why there is none. It
// starts again when do returns errMoved.
func (f *Fence) at(op, path string, follow bool, wanted policy.Access, do func(*place) error) error {
	full, err := f.absolute(path)
	if err != nil {
		return &fs.PathError{Op: op, Path: path, Err: err}
	}
	for range tries {
		p := f.walk(full, follow)
		err := f.settle(path, &p, wanted)
		if err == nil {
			err = do(&p)
		}
		p.close()
		if err != errMoved {
			return wrap(op, path, err)
		}
	}
	return &fs.PathError{Op: op, Path: path, Err: errRestless}
}

// settle judges a place and verifies what it holds.
func (f *Fence) settle(given string, p *place, wanted policy.Access) error {
	if err := f.judge(given, p.path, wanted); err != nil {
		return err
	}
	switch {
	case p.reason != "":
		return f.deny(given, p.path, wanted, f.layers.Deciding(p.path), p.reason)
	case p.fd >= 0:
		return f.verify(p.fd, p.path)
	case p.dir >= 0:
		return f.verify(p.dir, p.in)
	}
	return nil
}

func wrap(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if denied, ok := errors.AsType[*DeniedError](err); ok {
		return denied
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// openat retries where a signal came in between.
func openat(dir int, name string, flags int, perm uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags, perm)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

// magic reports whether the kernel follows a link in dir, held by fd, in
// another way than by its text. In doubt it does.
func magic(dir, fd int, name string) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return true
	}
	if st.Type != unix.PROC_SUPER_MAGIC && st.Type != apparmorMagic {
		return false
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	target, err := unix.Openat2(dir, name, &how)
	if err == nil {
		unix.Close(target)
	}
	return err != nil && err != unix.ENOENT
}

// linkText reads the link that fd holds.
func linkText(fd int) (string, error) {
	buf := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, "", buf)
	if err == nil && n == 0 {
		err = unix.ENOENT
	}
	return string(buf[:max(n, 0)]), err
}
