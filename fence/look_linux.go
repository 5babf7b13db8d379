package fence

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// Decide finds out what path reaches and the access there. Where the system
// lets this process look no further, the rest of the path is taken as it is
// written. A path that can reach nothing (through a file, in a circle of links)
// is an *fs.PathError.
func (f *Fence) Decide(path string) (Decision, error) {
	d := Decision{Path: path}
	err := f.at("check", path, true, 0, func(p *place) error {
		d.Reached, d.Access, d.Layer, d.Exists = p.path, f.access(p.path), f.layers.Deciding(p.path), p.fd >= 0
		if p.err == unix.ENOENT || p.err == unix.EACCES || d.Access == policy.Deny {
			return nil
		}
		return p.err
	})
	if denied, ok := err.(*DeniedError); ok { // for a reason of its own
		d.Reached, d.Access, d.Layer, d.Reason = denied.Reached, policy.Deny, denied.Layer, denied.Reason
		return d, nil
	}
	if d.Layer.Private && !f.unconfined {
		d.Reason = privateReason
	}
	return d, err
}

// Check returns nil if the policy grants access where path leads, and a
// *DeniedError if not. It says nothing about whether anything is there, about
// the file's own permissions, hard links or types: those are for the operation.
func (f *Fence) Check(path string, access policy.Access) error {
	return f.at("check", path, true, access, func(p *place) error {
		if p.err == unix.ENOENT || p.err == unix.EACCES {
			return nil
		}
		return p.err
	})
}

// Stat describes what path reaches.
func (f *Fence) Stat(path string) (fs.FileInfo, error) { return f.stat("stat", path, true) }

// Lstat describes what path names; a link is not followed, unless a slash is
// behind it.
func (f *Fence) Lstat(path string) (fs.FileInfo, error) {
	return f.stat("lstat", path, len(path) > 0 && path[len(path)-1] == '/')
}

func (f *Fence) stat(op, path string, follow bool) (info fs.FileInfo, err error) {
	err = f.at(op, path, follow, policy.Read, func(p *place) (err error) {
		if p.err != nil {
			return p.err
		}
		file := os.NewFile(uintptr(p.fd), path)
		p.fd = -1
		defer file.Close()
		info, err = file.Stat()
		return err
	})
	return info, err
}

// Readlink returns the text of a link.
func (f *Fence) Readlink(path string) (text string, err error) {
	err = f.at("readlink", path, false, policy.Read, func(p *place) (err error) {
		switch {
		case p.err != nil:
			return p.err
		case p.mode != unix.S_IFLNK:
			return unix.EINVAL
		}
		text, err = linkText(p.fd)
		return err
	})
	return text, err
}
