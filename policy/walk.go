package policy

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

const maxLinks = 40 // as the kernel

// Link is a symbolic link: where it lies, free of links itself, and its text.
type Link struct {
	Path   string `json:"path"`
	Target string `json:"target"`
}

// place is what a path leads to on the host.
type place struct {
	path   string // free of links as far as it could be looked at
	kind   Kind
	absent bool
	// barred: looking further was not permitted; path is lexical from there on.
	barred bool
	links  []Link // passed on the way, in order
}

// walker follows paths through an FS and asks about each component once.
type walker struct {
	fs   FS
	seen map[string]looked
}

type looked struct {
	info Info
	err  error
}

func newWalker(f FS) *walker { return &walker{fs: f, seen: map[string]looked{}} }

func (w *walker) lstat(path string) (Info, error) {
	l, ok := w.seen[path]
	if !ok {
		l.info, l.err = w.fs.Lstat(path)
		w.seen[path] = l
	}
	return l.info, l.err
}

// walk follows every link of a clean path, the last component's too. A missing
// or barred path is a place, not an error; a path through something that is
// neither folder nor link, or through too many links, is an error.
//
// Below /proc nothing is followed: what the links there reach depends on the
// process that looks.
func (w *walker) walk(path string) (place, error) {
	at := place{path: "/", kind: KindDir}
	rest := strings.TrimPrefix(path, "/")
	for rest != "" {
		if at.path == "/proc" {
			return w.inProc(at, rest)
		}
		name, tail, _ := strings.Cut(rest, "/")
		switch name {
		case "", ".":
			rest = tail
			continue
		case "..":
			at.path, rest = parent(at.path), tail
			continue
		}
		next := join(at.path, name)
		info, err := w.lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return w.tail(at, place{absent: true}, rest)
		case errors.Is(err, fs.ErrPermission):
			return w.tail(at, place{barred: true}, rest)
		case err != nil:
			return at, fmt.Errorf("look at %q: %w", next, err)
		case info.Kind == KindSymlink:
			target, err := w.fs.Readlink(next)
			if err != nil {
				return at, fmt.Errorf("read the link %q: %w", next, err)
			}
			if at.links = append(at.links, Link{next, target}); len(at.links) > maxLinks {
				return at, fmt.Errorf("follow %q: more than %d links", path, maxLinks)
			}
			if strings.HasPrefix(target, "/") {
				at.path = "/"
			}
			rest = target + "/" + tail
		case info.Kind != KindDir && strings.Trim(tail, "/") != "":
			return at, fmt.Errorf("%q is not a folder", next)
		default:
			at.path, at.kind, rest = next, info.Kind, tail
		}
	}
	if at.path == "/" {
		at.kind = KindDir
	} else if info, err := w.lstat(at.path); err == nil {
		at.kind = info.Kind
	}
	return at, nil
}

// tail ends a walk at a component that is missing or may not be looked at.
func (w *walker) tail(at, end place, rest string) (place, error) {
	path, err := Clean(at.path + "/" + rest)
	end.path, end.links = path, at.links
	return end, err
}

func (w *walker) inProc(at place, rest string) (place, error) {
	path, err := Clean("/proc/" + rest)
	if err != nil {
		return at, err
	}
	at.path, at.kind = path, KindOther
	if info, err := w.lstat(path); err == nil {
		at.kind = info.Kind
	}
	return at, nil
}

// find is walk for paths that nobody wrote: one that leads nowhere is no error.
func (w *walker) find(path string) (place, bool) {
	path, err := Clean(path)
	if err != nil {
		return place{}, false
	}
	at, err := w.walk(path)
	return at, err == nil
}
