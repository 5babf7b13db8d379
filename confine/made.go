package confine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"confine/confine/internal/launch"
	"confine/policy"
)

// mask returns a clone of an empty folder or file of mode 0. A file of its own
// rather than /dev/null, which would swallow writes.
func (c *mountCompiler) mask(l policy.Layer, attr uint64) (uint32, error) {
	if c.masks == launch.NoSlot {
		c.masks = c.slot()
		c.pre(launch.Op{Code: launch.Tmpfs, Slot: c.masks, Arg: "mode=0,size=4k,nr_inodes=8"})
		c.pre(launch.Op{Code: launch.Stage, Slot: c.masks})
		c.pre(launch.Op{Code: launch.Mkdir, Slot: c.masks, Path: "folder"})
		c.pre(launch.Op{Code: launch.Mkfile, Slot: c.masks, Path: "file"})
		c.pre(launch.Op{Code: launch.SetAttr, Slot: c.masks, AttrSet: attr}) // clones have it too
	}
	name := "folder"
	isDir, err := c.isDir(l)
	if err != nil {
		return 0, err
	}
	if !isDir {
		name = "file"
	}
	s := c.slot()
	c.pre(launch.Op{Code: launch.Subclone, Slot: s, Src: c.masks, Path: name})
	return s, nil
}

// isDir says what kind of mount point a layer needs.
func (c *mountCompiler) isDir(l policy.Layer) (bool, error) {
	if l.Private && l.Access != policy.Deny {
		return l.Kind != policy.KindDevice, nil
	}
	if l.Absent {
		return true, nil
	}
	o, err := c.find(l.Path)
	return o.isDir(), err
}

// tmp returns one of the private tmp folders, which share one size.
func (c *mountCompiler) tmp(l policy.Layer) uint32 {
	size := "50%"
	if c.tmpSize > 0 {
		size = fmt.Sprint(c.tmpSize)
	}
	if c.tmps == launch.NoSlot {
		c.tmps = c.slot()
		c.pre(launch.Op{Code: launch.Tmpfs, Slot: c.tmps, Arg: "mode=0700,size=" + size, AttrSet: nosuid | nodev})
		c.pre(launch.Op{Code: launch.Stage, Slot: c.tmps})
	}
	name := strings.ReplaceAll(strings.Trim(l.Path, "/"), "/", "-")
	c.pre(launch.Op{Code: launch.Mkdir, Slot: c.tmps, Path: name, Mode: 0o1777})
	c.fill(l, c.tmps, name+"/", 0o755)
	attr := uint64(nosuid | nodev)
	if l.Access == policy.Read { // a carve-out of a private folder: empty, and closed
		attr |= rdonly
	}
	s := c.slot()
	c.pre(launch.Op{Code: launch.Subclone, Slot: s, Src: c.tmps, Path: name, AttrSet: attr})
	return s
}

// skeleton adds a made file system holding only the mount points of the layers
// directly inside l, closed with attr once they exist.
func (c *mountCompiler) skeleton(l policy.Layer, make launch.Op, attr uint64) uint32 {
	s := c.slot()
	make.Slot = s
	c.pre(make)
	c.fill(l, s, "", 0o111)
	c.pre(launch.Op{Code: launch.SetAttr, Slot: s, AttrSet: attr})
	return s
}

// linksIn reports whether a link has to be made in the tree of l.
func (c *mountCompiler) linksIn(l policy.Layer) bool {
	for link := range c.links {
		if c.layers.Deciding(link).Path == l.Path {
			return true
		}
	}
	return false
}

// fill creates in slot, below prefix, the mount points and links that lie
// directly inside the made tree of l.
func (c *mountCompiler) fill(l policy.Layer, slot uint32, prefix string, dirMode uint32) {
	done := map[string]bool{}
	relative := func(path string) string { return strings.TrimPrefix(strings.TrimPrefix(path, l.Path), "/") }
	parents := func(path string) {
		for _, dir := range policy.Ancestors(path) {
			if dir != l.Path && policy.Contains(l.Path, dir) && !done[dir] {
				done[dir] = true
				c.pre(launch.Op{Code: launch.Mkdir, Slot: slot, Path: prefix + relative(dir), Mode: dirMode})
			}
		}
	}
	for _, child := range c.children[l.Path] {
		if done[child.Path] || child.Path == "/dev/ptmx" {
			continue
		}
		isDir, err := c.isDir(child)
		if err != nil && child.Access != policy.Deny {
			continue // source reports it
		}
		done[child.Path] = true
		parents(child.Path)
		code, mode := launch.Mkfile, uint32(0)
		if isDir || err != nil {
			code, mode = launch.Mkdir, dirMode
		}
		c.pre(launch.Op{Code: code, Slot: slot, Path: prefix + relative(child.Path), Mode: mode})
	}
	for _, link := range slices.Sorted(maps.Keys(c.links)) {
		if c.layers.Deciding(link).Path != l.Path || done[link] {
			continue
		}
		done[link] = true
		parents(link)
		c.pre(launch.Op{Code: launch.Symlink, Slot: slot, Path: prefix + relative(link), Arg: c.links[link]})
	}
}

// dev adds the private /dev: the mount points of its devices and the usual links.
// The terminal's node lies on the host's devpts, which is not shown, so ttyname(3)
// finds no name for it; /dev/tty works.
func (c *mountCompiler) dev(l policy.Layer) uint32 {
	s := c.slot()
	c.pre(launch.Op{Code: launch.Tmpfs, Slot: s, Arg: "mode=755,size=64k"})
	c.fill(l, s, "", 0o755)
	if _, ok := c.layers.At("/dev/shm"); !ok {
		c.pre(launch.Op{Code: launch.Mkdir, Slot: s, Path: "shm", Mode: 0o1777})
	}
	for _, link := range [...][2]string{{"fd", "/proc/self/fd"}, {"stdin", "/proc/self/fd/0"}, {"stdout", "/proc/self/fd/1"},
		{"stderr", "/proc/self/fd/2"}, {"ptmx", "pts/ptmx"}, {"core", "/proc/kcore"}} {
		c.pre(launch.Op{Code: launch.Symlink, Slot: s, Path: link[0], Arg: link[1]})
	}
	c.pre(launch.Op{Code: launch.SetAttr, Slot: s, AttrSet: rdonly | nosuid | noexec})
	return s
}
