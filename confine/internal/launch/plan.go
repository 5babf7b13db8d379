// Package launch starts a target as a plan says: the plan is data made by the
// supervisor, the work is done by C code that runs before the Go runtime of the
// re-executed binary and takes no decision of its own (launch.c has the chart).
//
// Linking the package makes every start of the binary look for the launcher's
// environment first; that costs one string comparison.
package launch

// Code says what an Op does.
type Code uint32

// The operations, in the order in which a plan normally uses them.
const (
	Clone    Code = iota + 1 // Slot = recursive clone of the host's Path
	Tmpfs                    // Slot = new tmpfs with the options in Arg
	FS                       // Slot = new file system of type Path with the options in Arg
	Stage                    // keep Slot in the old mount namespace, so that it can be cloned from
	Mkdir                    // make folder Path with Mode in Slot
	Mkfile                   // make an empty file Path with Mode in Slot
	Symlink                  // make link Path -> Arg in Slot
	Subclone                 // Slot = clone of Path inside staged slot Src
	SetAttr                  // attributes on Slot's own mount
	Root                     // Slot becomes the root
	Attach                   // attach Slot on Path below the new root
	Landlock                 // add the Landlock rule AttrSet on Path below the new root
)

// Flags of an Op.
const (
	Recursive uint32 = 1 << iota
	CheckIdentity
	Guard     // re-attach when an outside change detached it
	GuardSame // … by cloning what is at the path then
	Optional  // the path may be out of the launcher's reach (EACCES): then it is for the target too
	Vanishing // the path may be gone: then nothing is left to close
)

// NoSlot marks an Op that uses no slot.
const NoSlot = ^uint32(0)

// Op is one operation of the launcher. Which fields matter depends on Code.
type Op struct {
	Code      Code
	Flags     uint32
	Slot, Src uint32
	Path, Arg string
	Mode      uint32
	// the object that must be found at Path, with CheckIdentity
	DevMajor, DevMinor uint32
	Ino                uint64
	// MOUNT_ATTR_* bits, or Landlock rights in AttrSet
	AttrSet, AttrClear, Propagation uint64
}

// Flags of a Plan.
const (
	LoopbackUp uint32 = 1 << iota
	Linger
	Foreground
	NoUserNamespaces
	GuardMounts
	NewSession
)

// FD places a descriptor of the launcher (an index in Files) in the target.
type FD struct{ Src, Dst int32 }

// Rlimit is one setrlimit(2) for the target.
type Rlimit struct {
	Resource   uint32
	Soft, Hard uint64
}

// Plan is everything the launcher needs. Files passed to Start hold the
// descriptors that LandlockFD, TTYFD and FDs name by index.
type Plan struct {
	Flags      uint32
	Namespaces uint32 // CLONE_NEW*
	Slots      uint32
	UID, GID   uint32 // mapped to themselves
	LandlockFD int32  // -1: no ruleset
	TTYFD      int32  // -1: no terminal
	Cwd        string
	Ops        []Op
	FDs        []FD
	Rlimits    []Rlimit
	Exe        []string // candidates, tried in order as execvp(3) does
	Argv       []string
	Env        []string
	Seccomp    []byte // struct sock_filter array, native byte order
}
