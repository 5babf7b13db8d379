package fence

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// Open opens a regular file for reading.
func (f *Fence) Open(path string) (*os.File, error) { return f.OpenFile(path, os.O_RDONLY, 0) }

// Create opens a regular file for reading and writing, made or emptied.
func (f *Fence) Create(path string) (*os.File, error) {
	return f.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenFile is os.OpenFile for regular files, with the flags that package os
// names; O_TRUNC needs a flag for writing. The permission bits of perm are used
// for a file that is made, before umask. A folder is EISDIR.
//
// A missing file in a folder that another process moves away while it is made
// is judged once more where it is then; if that is denied, the file stays, empty.
func (f *Fence) OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	const known = unix.O_ACCMODE | os.O_APPEND | os.O_CREATE | os.O_EXCL | os.O_SYNC | os.O_TRUNC | unix.O_CLOEXEC
	wanted := policy.Read
	if flag&unix.O_ACCMODE != os.O_RDONLY {
		wanted = policy.Write
	}
	if flag&^known != 0 || flag&unix.O_ACCMODE == unix.O_ACCMODE || flag&os.O_TRUNC != 0 && wanted == policy.Read {
		return nil, &fs.PathError{Op: "open", Path: path, Err: unix.EINVAL}
	}
	create := flag&os.O_CREATE != 0
	exclusive := create && flag&os.O_EXCL != 0
	fd := -1
	err := f.at("open", path, !exclusive, wanted, func(p *place) (err error) {
		switch {
		case p.err == unix.ENOENT && create && !p.more:
			fd, err = f.create(path, p, flag, perm)
		case p.err != nil:
			err = p.err
		case exclusive:
			err = unix.EEXIST
		default:
			fd, err = f.reopen(path, p, flag)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), path), nil
}

// create makes the file that is missing.
func (f *Fence) create(given string, p *place, flag int, perm fs.FileMode) (int, error) {
	if p.slash {
		return -1, unix.EISDIR
	}
	if err := f.judge(given, p.path, policy.Write); err != nil {
		return -1, err
	}
	flags := flag&(unix.O_ACCMODE|os.O_APPEND|os.O_SYNC) | unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC
	fd, err := openat(p.dir, p.name, flags, uint32(perm.Perm()))
	if err == unix.EEXIST && flag&os.O_EXCL == 0 {
		return -1, errMoved // somebody made it meanwhile: see what it is
	}
	if err != nil || f.unconfined {
		return fd, err
	}
	real, err := locate(fd)
	if err == nil {
		err = f.judge(given, real, policy.Write)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// reopen opens the object that p holds, with no look-up. Its type is known
// before, so that opening never waits and never acts on a device.
func (f *Fence) reopen(given string, p *place, flag int) (int, error) {
	writes := flag&unix.O_ACCMODE != os.O_RDONLY
	nonblock := unix.O_NONBLOCK // a lease on the file must not make the caller wait
	switch {
	case p.mode == unix.S_IFDIR:
		return -1, unix.EISDIR
	case p.mode != unix.S_IFREG && f.unconfined:
		nonblock = 0
	case p.mode != unix.S_IFREG:
		wanted := policy.Read
		if writes {
			wanted = policy.Write
		}
		return -1, f.deny(given, p.path, wanted, f.layers.Deciding(p.path), "it is a "+kindName(p.mode))
	case writes && p.links > 1 && !f.hardLinks && !f.unconfined:
		return -1, f.deny(given, p.path, policy.Write, f.layers.Deciding(p.path),
			fmt.Sprintf("it has %d hard links, and other names may lie where writing is denied", p.links))
	}
	fd, err := openat(unix.AT_FDCWD, byFD(p.fd), flag&(unix.O_ACCMODE|os.O_APPEND|os.O_SYNC)|nonblock|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = f.verify(fd, p.path)
	if err == nil && nonblock != 0 {
		err = unix.SetNonblock(fd, false)
	}
	if err == nil && flag&os.O_TRUNC != 0 && p.mode == unix.S_IFREG {
		err = unix.Ftruncate(fd, 0)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func kindName(mode uint32) string {
	switch mode {
	case unix.S_IFIFO:
		return "fifo"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR, unix.S_IFBLK:
		return "device"
	}
	return "special file"
}

// ReadFile returns the content of a regular file. It sets no limit: for files
// of unknown size, Open one and read as much as can be used.
func (f *Fence) ReadFile(path string) ([]byte, error) {
	file, err := f.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// WriteFile writes a regular file, made with perm if it is missing and emptied
// first if not. As with os.WriteFile, an error can leave it partly written.
func (f *Fence) WriteFile(path string, data []byte, perm fs.FileMode) error {
	file, err := f.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if closing := file.Close(); err == nil {
		err = closing
	}
	return err
}
