//go:build linux

package seccomp

import (
	"strings"

	"golang.org/x/sys/unix"
)

// A Group names kernel interfaces that a backend closes where nothing else keeps them from the
// target. Everything in a group is refused with EPERM, so that the denial can be told from a missing feature.
type Group string

const (
	// CloseInet closes new IPv4 and IPv6 sockets. Sockets passed in stay usable.
	CloseInet Group = "inet"

	// CloseUnix closes unix sockets that can reach a name: socket(AF_UNIX), and pairs of datagram
	// sockets, whose ends can be reconnected. Pairs of stream and seqpacket sockets stay open.
	CloseUnix Group = "unix"

	// CloseMetadata closes changes of a file's mode, owner, times, flags and extended attributes, which
	// Landlock does not cover. It holds for every file, also where writing is granted.
	CloseMetadata Group = "metadata"

	// CloseIPC closes System V IPC and POSIX message queues, for a target without its own IPC namespace.
	CloseIPC Group = "ipc"

	// CloseOthers closes setting the limits and priorities of other processes of the same user, for a
	// target without its own pid namespace. A process still sets its own when it says 0 for itself. The
	// scheduling calls (sched_set…) stay open, since threads are named to them by number.
	CloseOthers Group = "others"

	// CloseInit closes setting the limits of pid 1, for a target whose pid namespace has a supervisor
	// of the same user as pid 1.
	CloseInit Group = "init"
)

// Groups lists every group.
func Groups() []Group {
	return []Group{CloseInet, CloseUnix, CloseMetadata, CloseIPC, CloseOthers, CloseInit}
}

type closure struct {
	why    string
	calls  string // refused whatever the arguments; separated by white space
	guards []guard
}

// Requests that change an inode through a descriptor open for reading; the kernel asks only that the
// mount is writable and the caller owns the file. They mean something else to other devices, but no
// terminal, socket or common device uses these numbers.
var metadataRequests = []uint32{
	0x40086602, // FS_IOC_SETFLAGS
	0x40087602, // FS_IOC_SETVERSION
	0x40086604, // EXT4_IOC_SETVERSION
	0x401c5820, // FS_IOC_FSSETXATTR
	0x40806685, // FS_IOC_ENABLE_VERITY
	0x800c6613, // FS_IOC_SET_ENCRYPTION_POLICY
	0x40047211, // FAT_IOCTL_SET_ATTRIBUTES
	0x4008941a, // BTRFS_IOC_SUBVOL_SETFLAGS

	// These make and remove subvolumes, past Landlock's check of making and removing directories.
	0x50009401, // BTRFS_IOC_SNAP_CREATE
	0x50009417, // BTRFS_IOC_SNAP_CREATE_V2
	0x5000940e, // BTRFS_IOC_SUBVOL_CREATE
	0x50009418, // BTRFS_IOC_SUBVOL_CREATE_V2
	0x5000940f, // BTRFS_IOC_SNAP_DESTROY
	0x5000943f, // BTRFS_IOC_SNAP_DESTROY_V2
}

func (g Group) closure() (closure, bool) {
	switch g {
	case CloseInet:
		return closure{why: "the network reach", guards: []guard{
			{call: "socket", when: []cond{in(0, unix.AF_INET, unix.AF_INET6)}, errno: unix.EPERM, what: "family INET, INET6"},
		}}, true
	case CloseUnix:
		const typeMask = 0xf // SOCK_TYPE_MASK; the rest are flags
		return closure{why: "unix sockets reach services outside", guards: []guard{
			{call: "socket", when: []cond{in(0, unix.AF_UNIX)}, errno: unix.EPERM, what: "family UNIX"},
			{call: "socketpair", when: []cond{{arg: 1, mask: typeMask, negate: true, values: []uint32{unix.SOCK_STREAM, unix.SOCK_SEQPACKET}}},
				errno: unix.EPERM, what: "type other than STREAM, SEQPACKET"},
		}}, true
	case CloseMetadata:
		return closure{why: "Landlock does not cover file metadata",
			calls: `chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat
				setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat file_setattr`,
			guards: []guard{
				{call: "ioctl", when: []cond{in(1, metadataRequests...)}, errno: unix.EPERM, what: "inode flags and attributes, btrfs subvolumes"},
			}}, true
	case CloseIPC:
		return closure{why: "no IPC namespace",
			calls: `shmget shmat shmdt shmctl semget semop semtimedop semctl msgget msgsnd msgrcv msgctl
				mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr`}, true
	case CloseInit:
		return closure{why: "pid 1 supervises", guards: []guard{
			{call: "prlimit64", when: []cond{in(0, 1)}, errno: unix.EPERM, what: "pid 1"},
		}}, true
	case CloseOthers:
		return closure{why: "no pid namespace", guards: []guard{
			{call: "prlimit64", when: []cond{notIn(0, 0)}, errno: unix.EPERM, what: "another process"},
			{call: "setpriority", when: []cond{notIn(1, 0)}, errno: unix.EPERM, what: "another process"},
			{call: "ioprio_set", when: []cond{notIn(1, 0)}, errno: unix.EPERM, what: "another process"},
			{call: "setpriority", when: []cond{notIn(0, unix.PRIO_PROCESS)}, errno: unix.EPERM, what: "a process group or user"},
			{call: "ioprio_set", when: []cond{notIn(0, 1)}, errno: unix.EPERM, what: "a process group or user"},
		}}, true
	}
	return closure{}, false
}

// touches reports whether the closure needs the call to stay refused or checked.
func (c closure) touches(call string) bool {
	for _, g := range c.guards {
		if g.call == call {
			return true
		}
	}
	for _, name := range strings.Fields(c.calls) {
		if name == call {
			return true
		}
	}
	return false
}

// assembleClosures returns a program part that refuses what the groups close and passes on everything else.
func assembleClosures(a arch, groups []Group) []unix.SockFilter {
	if len(groups) == 0 {
		return nil
	}
	prog := header(a)
	for _, g := range groups {
		c, _ := g.closure()
		for _, name := range strings.Fields(c.calls) {
			if nr, ok := a.number(name); ok {
				prog = append(prog, decide(nr, unix.EPERM)...)
			}
		}
		for _, guard := range c.guards {
			if nr, ok := a.number(guard.call); ok {
				prog = append(prog, guard.assemble(nr)...)
			}
		}
	}
	return prog
}
