package fence

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// Mkdir makes a folder with the permission bits of perm, before umask.
func (f *Fence) Mkdir(path string, perm fs.FileMode) error {
	return f.at("mkdir", path, false, policy.Write, func(p *place) error {
		switch {
		case p.err == nil:
			return unix.EEXIST
		case p.err != unix.ENOENT || p.more:
			return p.err
		}
		return unix.Mkdirat(p.dir, p.name, uint32(perm.Perm()))
	})
}

// MkdirAll makes a folder and those above it that are missing. One that exists
// is no error, if it can be read. If the last one is denied, none is made.
func (f *Fence) MkdirAll(path string, perm fs.FileMode) error {
	exists := false
	for n := 0; !exists; n++ {
		if n == unix.PathMax { // somebody removes what is made
			return &fs.PathError{Op: "mkdir", Path: path, Err: errRestless}
		}
		err := f.at("mkdir", path, true, policy.Read, func(p *place) error {
			switch {
			case p.err == nil && p.mode == unix.S_IFDIR:
				exists = true
				return nil
			case p.err == nil:
				return unix.ENOTDIR
			case p.err != unix.ENOENT:
				return p.err
			}
			for _, missing := range []string{p.path, join(p.in, p.name)} {
				if err := f.judge(path, missing, policy.Write); err != nil {
					return err
				}
			}
			err := unix.Mkdirat(p.dir, p.name, uint32(perm.Perm()))
			if err == unix.EEXIST {
				return errMoved // somebody made it meanwhile: see what it is
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Remove removes a file, a link or an empty folder.
func (f *Fence) Remove(path string) error {
	return f.at("remove", path, false, policy.Write, func(p *place) error {
		if err := f.holdsName(path, p); err != nil {
			return err
		}
		if p.mode == unix.S_IFDIR {
			return unix.Unlinkat(p.dir, p.name, unix.AT_REMOVEDIR)
		}
		return unix.Unlinkat(p.dir, p.name, 0)
	})
}

// RemoveAll removes what is at path and everything below it, without following
// links. A path that leads to nothing is no error. It removes nothing if a layer
// below path does not grant writing.
func (f *Fence) RemoveAll(path string) error {
	return f.at("removeall", path, false, policy.Write, func(p *place) error {
		if p.err == unix.ENOENT {
			return nil
		}
		if err := f.holdsName(path, p); err != nil {
			return err
		}
		if err := f.whole(path, p.path); err != nil {
			return err
		}
		return f.removeTree(p.dir, p.path, p.name)
	})
}

// removeTree removes a name in a folder; path is where that is.
func (f *Fence) removeTree(dir int, path, name string) error {
	err := unix.Unlinkat(dir, name, 0)
	if err == nil || err == unix.ENOENT {
		return nil
	}
	fd, opening := openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch opening {
	case nil:
	case unix.ENOENT:
		return nil
	case unix.ENOTDIR:
		return err
	default:
		return opening
	}
	folder := os.NewFile(uintptr(fd), byFD(fd))
	defer folder.Close()
	if err := f.verify(fd, path); err != nil {
		return err
	}
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return err
	}
	for _, below := range names {
		if err := f.removeTree(fd, join(path, below), below); err != nil {
			return err
		}
	}
	if err := unix.Unlinkat(dir, name, unix.AT_REMOVEDIR); err != unix.ENOENT {
		return err
	}
	return nil
}

// Rename moves what is at from, a link itself and not what it reaches, to the
// name to, and replaces what is there as rename(2) does.
func (f *Fence) Rename(from, to string) error {
	old, err := f.absolute(from)
	if err == nil {
		var target string
		if target, err = f.absolute(to); err == nil {
			err = errMoved
			for n := 0; n < tries && err == errMoved; n++ {
				err = f.rename(from, to, old, target)
			}
		}
	}
	if err == errMoved {
		err = errRestless
	}
	if err = wrap("rename", from, err); err == nil {
		return nil
	} else if failed, ok := err.(*fs.PathError); ok {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: failed.Err}
	}
	return err
}

func (f *Fence) rename(from, to, old, target string) error {
	a := f.walk(old, false)
	defer a.close()
	b := f.walk(target, false)
	defer b.close()
	if err := f.settle(to, &b, policy.Write); err != nil {
		return err
	}
	if err := f.settle(from, &a, policy.Write); err != nil {
		return err
	}
	if b.err == unix.ENOENT && !b.more && (!b.slash || a.mode == unix.S_IFDIR) {
		b.err = nil
	}
	for _, end := range []struct {
		given string
		*place
	}{{to, &b}, {from, &a}} {
		if err := f.holdsName(end.given, end.place); err != nil {
			return err
		}
		if err := f.whole(end.given, end.path); err != nil {
			return err
		}
	}
	return unix.Renameat(a.dir, a.name, b.dir, b.name)
}

// holdsName returns nil if the name of a place can be taken out of its folder:
// the folder is writable and is where it was walked to.
func (f *Fence) holdsName(given string, p *place) error {
	switch {
	case p.err != nil:
		return p.err
	case p.dir < 0:
		return unix.EINVAL
	}
	if err := f.judge(given, p.in, policy.Write); err != nil {
		return err
	}
	return f.verify(p.dir, p.in)
}

// whole returns nil if writing is granted everywhere below a clean path.
func (f *Fence) whole(given, path string) error {
	if layer, carved := f.carved[path]; carved && !f.unconfined {
		return f.deny(given, path, policy.Write, layer, "it holds a carve-out")
	}
	return nil
}
