package fence

import (
	"strings"

	"golang.org/x/sys/unix"

	"confine/policy"
)

const maxLinks = 40 // as the kernel

const (
	pathOnly   = unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC
	folderOnly = pathOnly | unix.O_DIRECTORY
)

// place is where a walk ended. Close it.
type place struct {
	path   string // clean; where it would be created if err is ENOENT
	fd     int    // the object, O_PATH; -1 if there is none
	mode   uint32 // its type, S_IFMT
	links  uint64 // the number of its names, where it is not a folder
	dir    int    // the folder that holds name, O_PATH; -1 if the path ends in "/", "." or ".."
	in     string // where dir is
	name   string // the object's, or of the first component that is missing
	more   bool   // components follow the one that is missing
	slash  bool   // a trailing slash follows it
	err    error  // why there is no object
	reason string // why going on is refused, whatever the layers say
}

func (p *place) close() {
	for _, fd := range []int{p.fd, p.dir} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	p.fd, p.dir = -1, -1
}

// walker follows one path. It holds one folder at a time.
type walker struct {
	f      *Fence
	dir    int    // O_PATH
	at     string // the way to dir, clean
	rest   string // still to go
	follow bool   // a link in the last component too
	passed int    // links
}

// walk follows an absolute path. It looks at nothing that the policy neither
// lets be read nor has to be passed on the way to something granted: there it
// ends, and judging place.path gives the denial.
func (f *Fence) walk(path string, follow bool) place {
	if len(path) >= unix.PathMax {
		return place{path: lexical(path), fd: -1, dir: -1, err: unix.ENAMETOOLONG}
	}
	w := walker{f: f, dir: -1, rest: path, follow: follow}
	if !w.shortcut() {
		if err := w.toRoot(); err != nil {
			return w.end("/", err)
		}
	}
	for {
		if p, done := w.step(); done {
			return p
		}
	}
}

// shortcut starts in the folder that holds the last component if no link is on
// the way there: one call to the kernel instead of one for each component.
func (w *walker) shortcut() bool {
	dir := folder(w.rest)
	if dir == "/" || lexical(w.rest) != w.rest || !w.f.passable(dir) {
		return false
	}
	how := unix.OpenHow{Flags: folderOnly, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &how)
	if err != nil {
		return false
	}
	w.dir, w.at, w.rest = fd, dir, w.rest[len(dir):]
	return true
}

// step takes the next component.
func (w *walker) step() (place, bool) {
	w.rest = strings.TrimLeft(w.rest, "/")
	if w.rest == "" {
		return place{path: w.at, fd: w.dir, mode: unix.S_IFDIR, dir: -1}, true
	}
	name, tail, slash := strings.Cut(w.rest, "/")
	last := strings.Trim(tail, "/") == ""
	next := join(w.at, name)
	switch name {
	case ".":
		w.rest = tail
		return place{}, false
	case "..":
		fd, err := openat(w.dir, "..", folderOnly, 0)
		if err != nil {
			return w.end(lexical(w.at+"/"+w.rest), err), true
		}
		w.enter(fd, folder(w.at), tail)
		return place{}, false
	}
	if !w.f.passable(next) {
		return w.end(next, unix.EACCES), true
	}
	if !last || slash {
		// O_DIRECTORY also makes the kernel mount what is mounted on demand.
		if fd, err := openat(w.dir, name, folderOnly, 0); err == nil {
			if last {
				return place{path: next, fd: fd, mode: unix.S_IFDIR, dir: w.dir, in: w.at, name: name}, true
			}
			w.enter(fd, next, tail)
			return place{}, false
		}
	}
	fd, err := openat(w.dir, name, pathOnly, 0)
	if err == unix.ENOENT {
		return place{
			path: lexical(next + "/" + tail), fd: -1, err: err,
			dir: w.dir, in: w.at, name: name, more: !last, slash: last && slash,
		}, true
	}
	if err != nil {
		return w.end(lexical(next+"/"+tail), err), true
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return w.end(next, err), true
	}
	kind := st.Mode & unix.S_IFMT
	switch {
	case last && !slash && (kind != unix.S_IFLNK || !w.follow):
		return place{path: next, fd: fd, mode: kind, links: uint64(st.Nlink), dir: w.dir, in: w.at, name: name}, true
	case kind == unix.S_IFLNK && (!last || w.follow):
		p, done := w.link(fd, next, name, tail, slash)
		unix.Close(fd)
		return p, done
	case kind == unix.S_IFDIR: // it was not one a moment ago
		w.enter(fd, next, tail)
		return place{}, false
	}
	unix.Close(fd)
	return w.end(next, unix.ENOTDIR), true
}

// link goes on where the link held by fd leads.
func (w *walker) link(fd int, path, name, tail string, slash bool) (place, bool) {
	if w.passed++; w.passed > maxLinks {
		return w.end(path, unix.ELOOP), true
	}
	hidden := w.f.access(path) == policy.Deny
	shown, known := w.f.links[path]
	if hidden && !known {
		return w.end(path, unix.EACCES), true
	}
	if magic(w.dir, fd, name) {
		return w.jump(path, name, tail, slash)
	}
	text, err := linkText(fd)
	if err == nil && hidden && text != shown {
		err = unix.EACCES // not the link that was there when the policy was resolved
	}
	if err != nil {
		return w.end(path, err), true
	}
	if slash {
		text += "/" + tail
	}
	if w.rest = text; text[0] == '/' {
		unix.Close(w.dir)
		w.dir = -1
		if err := w.toRoot(); err != nil {
			return w.end(path, err), true
		}
	}
	return place{}, false
}

// jump deals with a magic link, whose text does not say where it leads: it is
// refused, or left to the kernel where nothing is judged.
func (w *walker) jump(path, name, tail string, slash bool) (place, bool) {
	if !w.f.unconfined {
		p := w.end(path, unix.EACCES)
		p.reason = "it is a magic link, which can lead anywhere"
		return p, true
	}
	fd, err := openat(w.dir, name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return w.end(path, err), true
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return w.end(path, err), true
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFDIR {
		if slash {
			unix.Close(fd)
			return w.end(path, unix.ENOTDIR), true
		}
		w.end(path, nil)
		return place{path: path, fd: fd, mode: kind, links: uint64(st.Nlink), dir: -1}, true
	}
	w.enter(fd, path, tail)
	return place{}, false
}

// enter goes on in another folder, which the walker takes over.
func (w *walker) enter(fd int, path, rest string) {
	unix.Close(w.dir)
	w.dir, w.at, w.rest = fd, path, rest
}

func (w *walker) toRoot() (err error) {
	w.at = "/"
	w.dir, err = openat(unix.AT_FDCWD, "/", folderOnly, 0)
	return err
}

// end gives up at path.
func (w *walker) end(path string, err error) place {
	if w.dir >= 0 {
		unix.Close(w.dir)
	}
	w.dir = -1
	return place{path: path, fd: -1, dir: -1, err: err}
}

// lexical is policy.Clean of a path known to be absolute and without NUL.
func lexical(path string) string {
	clean, err := policy.Clean(path)
	if err != nil {
		return "/"
	}
	return clean
}
