package confine

import (
	"errors"
	"io/fs"
	"strings"

	"golang.org/x/sys/unix"

	"confine/confine/internal/launch"
	"confine/policy"
)

const (
	rdonly = unix.MOUNT_ATTR_RDONLY
	nosuid = unix.MOUNT_ATTR_NOSUID
	nodev  = unix.MOUNT_ATTR_NODEV
	noexec = unix.MOUNT_ATTR_NOEXEC
)

// mountCompiler turns layers into mount operations. Everything it decides
// follows from the access and backing of a layer and of the one around it:
//
//	host tree   a clone of the host's mounts, read-only or not
//	made        a file system of the run: mask, private tmp, /dev, /proc
//
// On a host tree the mount point is the object itself; in a made one it has to
// be created first (the skeleton). Sources are cloned before the root is
// switched, attachments follow in layer order, so a parent is there before its
// children.
type mountCompiler struct {
	layers  policy.Layers
	find    func(path string) (object, error)
	tmpSize int64 // bytes for all private tmp folders together; 0: half of memory

	before, after []launch.Op
	slots         uint32
	children      map[string][]policy.Layer // by path of the layer directly around
	links         map[string]string         // links to make in made trees
	pinned        map[string]bool
	masks         uint32 // slot of the tmpfs that masks are cloned from
	tmps          uint32 // slot of the tmpfs that private tmp folders are cloned from
	proc          uint32 // slot of the fresh /proc
	guards        bool
	absent        []policy.Layer // carve-outs to watch
}

func (c *mountCompiler) slot() uint32 {
	c.slots++
	return c.slots - 1
}

func (c *mountCompiler) pre(op launch.Op)  { c.before = append(c.before, op) }
func (c *mountCompiler) post(op launch.Op) { c.after = append(c.after, op) }

// compile returns the operations in the launcher's order.
func (c *mountCompiler) compile() ([]launch.Op, error) {
	c.masks, c.tmps, c.proc = launch.NoSlot, launch.NoSlot, launch.NoSlot
	c.children, c.pinned = map[string][]policy.Layer{}, map[string]bool{}
	all := c.layers.All()
	for _, l := range all[1:] {
		around := c.around(l)
		c.children[around.Path] = append(c.children[around.Path], l)
	}
	root, err := c.root(all[0])
	if err != nil {
		return nil, err
	}
	for _, l := range all[1:] {
		if err := c.layer(l); err != nil {
			return nil, err
		}
	}
	c.pre(launch.Op{Code: launch.Root, Slot: root})
	return append(c.before, c.after...), nil
}

// around returns the layer directly around l.
func (c *mountCompiler) around(l policy.Layer) policy.Layer {
	return c.layers.Deciding(parentOf(l.Path))
}

// made reports whether the tree of a layer was made for the run.
func made(l policy.Layer) bool { return l.Private || l.Access == policy.Deny }

func (c *mountCompiler) root(l policy.Layer) (uint32, error) {
	if made(l) {
		return c.skeleton(l, launch.Op{Code: launch.Tmpfs, Arg: "mode=111,size=1m"}, rdonly|nosuid|nodev|noexec), nil
	}
	s, err := c.cloneHost("/", c.hostAttr(l), 0)
	return s, err
}

func (c *mountCompiler) hostAttr(l policy.Layer) uint64 {
	attr := uint64(nosuid | nodev)
	if l.Access == policy.Read {
		attr |= rdonly
	}
	if policy.Contains("/dev", l.Path) && l.Path != "/" {
		attr &^= nodev
		attr |= noexec
		if l.Kind == policy.KindDevice { // a device can be written to all the same; its mode and owner are the host's
			attr |= rdonly
		}
	}
	return attr
}

// cloneHost adds the clone of the host's path with everything mounted below it.
// Propagation is off, so that what the host mounts later does not appear inside.
func (c *mountCompiler) cloneHost(path string, attr uint64, flags uint32) (uint32, error) {
	o, err := c.find(path)
	if err != nil {
		return 0, err
	}
	s := c.slot()
	c.pre(launch.Op{Code: launch.Clone, Flags: launch.Recursive | launch.CheckIdentity | flags, Slot: s, Path: path,
		DevMajor: o.major, DevMinor: o.minor, Ino: o.ino, AttrSet: attr, Propagation: unix.MS_PRIVATE})
	return s, nil
}

// layer adds the operations of one layer below the root.
func (c *mountCompiler) layer(l policy.Layer) error {
	around := c.around(l)
	if l.Absent && !made(around) {
		if around.Access == policy.Write {
			c.absent = append(c.absent, l)
			return c.pin(l, around)
		}
		return nil // nothing to mount on; in a read-only tree nothing can appear either
	}
	if l.Path == "/dev/ptmx" {
		return nil // a link in the skeleton of /dev
	}
	s, attr, err := c.source(l, around)
	if errors.Is(err, fs.ErrPermission) && optional(l, around) != 0 {
		return nil // the caller cannot get there, so neither can the target
	}
	if errors.Is(err, fs.ErrNotExist) && boundSocket(l) {
		return nil // its server has ended
	}
	if err != nil {
		return err
	}
	return c.attach(l, around, s, attr)
}

// source adds what makes the tree of a layer and returns its slot.
func (c *mountCompiler) source(l, around policy.Layer) (slot uint32, attr uint64, err error) {
	switch {
	case l.Path == "/dev" && l.Private:
		return c.dev(l), 0, nil
	case l.Path == "/dev/pts" && l.Private:
		s := c.slot()
		c.pre(launch.Op{Code: launch.FS, Slot: s, Path: "devpts", Arg: "newinstance,ptmxmode=0666,mode=0620", AttrSet: nosuid | noexec})
		return s, 0, nil
	case l.Path == "/proc" && l.Private:
		c.proc = c.slot()
		// made after the new namespaces exist, by pid 1, so it shows only this run
		c.pre(launch.Op{Code: launch.FS, Slot: c.proc, Path: "proc", Arg: "", AttrSet: nosuid | nodev | noexec})
		return c.proc, 0, nil
	case l.Private && policy.Contains("/proc", l.Path) && l.Access == policy.Read:
		s := c.slot()
		attr := uint64(rdonly | nosuid | nodev | noexec)
		c.post(launch.Op{Code: launch.Subclone, Flags: launch.Recursive, Slot: s, Src: c.proc,
			Path: strings.TrimPrefix(l.Path, "/proc/"), AttrSet: attr})
		return s, 0, nil
	case l.Access == policy.Deny:
		attr := uint64(rdonly | nosuid | nodev | noexec)
		if len(c.children[l.Path]) > 0 || c.linksIn(l) {
			return c.skeleton(l, launch.Op{Code: launch.Tmpfs, Arg: "mode=111,size=1m"}, attr), attr, nil
		}
		s, err := c.mask(l, attr)
		return s, attr, err
	case l.Private && !policy.Contains("/dev", l.Path) || l.Path == "/dev/shm" && l.Private:
		return c.tmp(l), 0, nil
	default: // the host's tree; the devices of /dev come from there too
		attr := c.hostAttr(l)
		s, err := c.cloneHost(l.Path, attr, optional(l, around))
		return s, attr, err
	}
}

// optional marks the operations of a layer that narrows. The launcher can reach
// whatever the target can, so what is out of its reach needs no closing: as root,
// for example, the folders of other users, whose ids are not mapped. In a writable
// tree that does not hold: the command could have closed a folder before, to open
// it again now.
func optional(l, around policy.Layer) uint32 {
	if l.Access == policy.Write || around.Access == policy.Write {
		return 0
	}
	return launch.Optional
}

// boundSocket reports whether l hides a socket that nobody named but that was
// bound when the policy was resolved.
func boundSocket(l policy.Layer) bool {
	return l.Origin == policy.OriginHardening && l.Access == policy.Deny && l.Kind == policy.KindSocket
}

// attach adds the attachment of slot at the layer's path, and the pins on the
// way there: without them a folder between a writable tree and the carve-out
// could be renamed away and planted again.
func (c *mountCompiler) attach(l, around policy.Layer, slot uint32, attr uint64) error {
	op := launch.Op{Code: launch.Attach, Slot: slot, Path: l.Path}
	if made(around) || l.Private && policy.Contains("/proc", l.Path) {
		c.post(op)
		return nil
	}
	o, err := c.find(l.Path)
	if err != nil {
		return err
	}
	if around.Access == policy.Write {
		if err := c.pin(l, around); err != nil {
			return err
		}
	}
	op.Flags |= launch.CheckIdentity | optional(l, around)
	if boundSocket(l) { // servers come and go: what is there by now is closed too
		op.Flags = op.Flags&^launch.CheckIdentity | launch.Vanishing
	}
	op.DevMajor, op.DevMinor, op.Ino = o.major, o.minor, o.ino
	switch {
	case l.Access == policy.Deny:
		op.Flags |= launch.Guard
	case l.Access == policy.Read && around.Access == policy.Write:
		op.Flags |= launch.Guard | launch.GuardSame | launch.Recursive
	}
	if op.Flags&launch.Guard != 0 {
		op.AttrSet = attr
		c.guards = true
	}
	c.post(op)
	return nil
}

func (c *mountCompiler) pin(l, around policy.Layer) error {
	for _, dir := range policy.Ancestors(l.Path) {
		if dir == around.Path || !policy.Contains(around.Path, dir) || c.pinned[dir] {
			continue
		}
		c.pinned[dir] = true
		o, err := c.find(dir)
		if l.Absent && errors.Is(err, fs.ErrNotExist) {
			return nil // the folders from here on are watched
		}
		if err != nil {
			return err
		}
		attr := c.hostAttr(around)
		s, err := c.cloneHost(dir, attr, 0)
		if err != nil {
			return err
		}
		c.guards = true // a pin that is lost is made again of the folder that is there
		c.post(launch.Op{Code: launch.Attach, Flags: launch.CheckIdentity | launch.Guard | launch.GuardSame | launch.Recursive,
			Slot: s, Path: dir, AttrSet: attr, DevMajor: o.major, DevMinor: o.minor, Ino: o.ino})
	}
	return nil
}

func parentOf(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}
