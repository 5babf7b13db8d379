//go:build linux

package seccomp

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestGroups(t *testing.T) {
	eperm := refuse(unix.EPERM)
	tests := []struct {
		name  string
		group Group
		call  string
		args  [6]uint64
		want  uint32
	}{
		{"tcp", CloseInet, "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM}, eperm},
		{"udp over 6, high half set", CloseInet, "socket", [6]uint64{high | unix.AF_INET6, unix.SOCK_DGRAM}, eperm},
		{"mptcp", CloseInet, "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM, 262}, eperm},
		{"unix stays", CloseInet, "socket", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, allow},
		{"vsock stays closed", CloseInet, "socket", [6]uint64{unix.AF_VSOCK}, refuse(unix.EAFNOSUPPORT)},

		{"unix", CloseUnix, "socket", [6]uint64{high | unix.AF_UNIX, unix.SOCK_STREAM}, eperm},
		{"tcp stays", CloseUnix, "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM}, allow},
		{"stream pair", CloseUnix, "socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK}, allow},
		{"seqpacket pair", CloseUnix, "socketpair", [6]uint64{unix.AF_UNIX, high | unix.SOCK_SEQPACKET}, allow},
		{"datagram pair", CloseUnix, "socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM | unix.SOCK_CLOEXEC}, eperm},
		{"raw pair is a datagram pair", CloseUnix, "socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_RAW}, eperm},

		{"chmod", CloseMetadata, "fchmodat", [6]uint64{}, eperm},
		{"chmod by descriptor", CloseMetadata, "fchmod", [6]uint64{}, eperm},
		{"newer chmod", CloseMetadata, "fchmodat2", [6]uint64{}, eperm},
		{"chown", CloseMetadata, "fchownat", [6]uint64{}, eperm},
		{"times", CloseMetadata, "utimensat", [6]uint64{}, eperm},
		{"set xattr", CloseMetadata, "fsetxattr", [6]uint64{}, eperm},
		{"newer set xattr", CloseMetadata, "setxattrat", [6]uint64{}, eperm},
		{"newer remove xattr", CloseMetadata, "removexattrat", [6]uint64{}, eperm},
		{"get xattr stays", CloseMetadata, "fgetxattr", [6]uint64{}, allow},
		{"inode flags", CloseMetadata, "ioctl", [6]uint64{0, high | 0x40086602}, eperm},
		{"subvolume", CloseMetadata, "ioctl", [6]uint64{0, 0x5000940e}, eperm},
		{"reading inode flags stays", CloseMetadata, "ioctl", [6]uint64{0, 0x80086601}, allow},
		{"TIOCSTI stays closed", CloseMetadata, "ioctl", [6]uint64{0, unix.TIOCSTI}, eperm},
		{"write stays", CloseMetadata, "write", [6]uint64{}, allow},

		{"shm", CloseIPC, "shmget", [6]uint64{}, eperm},
		{"mq", CloseIPC, "mq_open", [6]uint64{}, eperm},

		{"own limits", CloseOthers, "prlimit64", [6]uint64{0, 7}, allow},
		{"limits of another", CloseOthers, "prlimit64", [6]uint64{1, 7}, eperm},
		{"own priority", CloseOthers, "setpriority", [6]uint64{unix.PRIO_PROCESS, 0}, allow},
		{"priority of another", CloseOthers, "setpriority", [6]uint64{unix.PRIO_PROCESS, 1}, eperm},
		{"priority of the user", CloseOthers, "setpriority", [6]uint64{unix.PRIO_USER, 0}, eperm},
		{"I/O priority of the group", CloseOthers, "ioprio_set", [6]uint64{2, 0}, eperm},
	}
	for _, goarch := range arches {
		a, err := archOf(goarch)
		if err != nil {
			t.Fatal(err)
		}
		preset := stored(t, goarch, "defaultProgram")
		for _, test := range tests {
			t.Run(goarch+"/"+test.name, func(t *testing.T) {
				prog := append(encode(assembleClosures(a, []Group{test.group})), preset...)
				d := data{nr: lookup(t, goarch, test.call), arch: a.audit, args: test.args}
				if got := run(t, prog, d); got != test.want {
					t.Errorf("%s%#x = %#x, want %#x", test.call, test.args, got, test.want)
				}
			})
		}
	}
}

// Closing changes decisions only towards refusal: a call that the preset refuses stays refused.
func TestClosingNeverAllows(t *testing.T) {
	for _, goarch := range arches {
		a, err := archOf(goarch)
		if err != nil {
			t.Fatal(err)
		}
		preset := stored(t, goarch, "defaultProgram")
		prog := append(encode(assembleClosures(a, Groups())), preset...)
		for nr := range uint32(600) {
			for _, arg := range []uint64{0, 1, 2, 16, 0x5412, unix.CLONE_NEWUSER, 0x40086602} {
				d := data{nr: nr, arch: a.audit, args: [6]uint64{arg, arg, arg}}
				if run(t, preset, d) != allow && run(t, prog, d) == allow {
					t.Fatalf("%s: call %d with %#x: allowed by closing", goarch, nr, arg)
				}
			}
		}
	}
}

// The group's names are names of calls: a misspelt one would close nothing.
func TestRulesNameCalls(t *testing.T) {
	known := make(map[string]bool)
	for _, c := range calls {
		known[c.name] = true
	}
	lists := [][]rule{rules, strictRules}
	for _, g := range Groups() {
		c, ok := g.closure()
		if !ok {
			t.Fatalf("group %q has no closure", g)
		}
		lists = append(lists, []rule{{calls: c.calls}})
		for _, guard := range c.guards {
			if !known[guard.call] {
				t.Errorf("group %q checks %q, which is no call", g, guard.call)
			}
		}
	}
	for name := range index(lists...) {
		if !known[name] {
			t.Errorf("a rule names %q, which is no call", name)
		}
	}
	for _, g := range presetGuards() {
		if !known[g.call] {
			t.Errorf("a check names %q, which is no call", g.call)
		}
	}
}
