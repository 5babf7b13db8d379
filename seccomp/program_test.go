//go:build linux

package seccomp

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

var arches = []string{"amd64", "arm64"}

// stored reads a constant of a programs file, also one that this build leaves out.
func stored(t *testing.T, goarch, name string) []byte {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "programs_"+goarch+".go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := new(types.Config).Check("seccomp", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := pkg.Scope().Lookup(name).(*types.Const)
	if !ok {
		t.Fatalf("no constant %s for %s", name, goarch)
	}
	return []byte(constant.StringVal(c.Val()))
}

func run(t *testing.T, prog []byte, d data) uint32 {
	t.Helper()
	got, err := interpret(prog, d)
	if err != nil {
		t.Fatalf("%+v: %v", d, err)
	}
	return got
}

const (
	allow = uint32(unix.SECCOMP_RET_ALLOW)
	kill  = uint32(unix.SECCOMP_RET_KILL_PROCESS)
)

func refuse(e syscall.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

// lookup is the number of a call on an architecture.
func lookup(t *testing.T, goarch, name string) uint32 {
	t.Helper()
	a, err := archOf(goarch)
	if err != nil {
		t.Fatal(err)
	}
	nr, ok := a.number(name)
	if !ok {
		t.Fatalf("no call %q on %s", name, goarch)
	}
	return uint32(nr)
}

func TestNumbersAgainstHeaders(t *testing.T) {
	for name, nr := range map[string]uint32{
		"read": unix.SYS_READ, "execve": unix.SYS_EXECVE, "clone": unix.SYS_CLONE, "socket": unix.SYS_SOCKET,
		"ioctl": unix.SYS_IOCTL, "newfstatat": unix.SYS_NEWFSTATAT, "mseal": unix.SYS_MSEAL, "umount2": unix.SYS_UMOUNT2,
	} {
		if got := lookup(t, runtime.GOARCH, name); got != nr {
			t.Errorf("number of %s = %d, want %d", name, got, nr)
		}
	}
}

func TestDefaultIsStoredProgram(t *testing.T) {
	if want := stored(t, runtime.GOARCH, "defaultProgram"); !slices.Equal(Default(), want) {
		t.Errorf("Default has %d bytes, the file %d", len(Default()), len(want))
	}
	prog, err := Program(Profile{})
	if err != nil || !slices.Equal(prog, Default()) {
		t.Errorf("Program of the zero profile differs from Default (%v)", err)
	}
	Default()[0] ^= 0xff
	if !slices.Equal(prog, Default()) {
		t.Error("a caller changed the stored program")
	}
}

const high = 0xdeadbeef << 32

func TestDefault(t *testing.T) {
	const (
		x86, arm = unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64
		ns       = unix.CLONE_NEWUSER
	)
	tests := []struct {
		name string
		call string
		args [6]uint64
		want uint32
	}{
		{"plain", "read", [6]uint64{}, allow},
		{"exec", "execve", [6]uint64{}, allow},
		{"io_uring", "io_uring_setup", [6]uint64{}, refuse(unix.ENOSYS)},
		{"userfaultfd", "userfaultfd", [6]uint64{}, refuse(unix.ENOSYS)},
		{"clone3", "clone3", [6]uint64{}, refuse(unix.ENOSYS)},
		{"keys", "keyctl", [6]uint64{}, refuse(unix.EPERM)},
		{"bpf", "bpf", [6]uint64{}, refuse(unix.EPERM)},
		{"perf", "perf_event_open", [6]uint64{}, refuse(unix.EPERM)},
		{"mount", "mount", [6]uint64{}, refuse(unix.EPERM)},
		{"umount", "umount2", [6]uint64{}, refuse(unix.EPERM)},
		{"fsopen", "fsopen", [6]uint64{}, refuse(unix.ENOSYS)},
		{"handles", "open_by_handle_at", [6]uint64{}, refuse(unix.EPERM)},
		{"pidfd_getfd", "pidfd_getfd", [6]uint64{}, refuse(unix.EPERM)},
		{"setns", "setns", [6]uint64{}, refuse(unix.EPERM)},
		{"chroot", "chroot", [6]uint64{}, refuse(unix.EPERM)},
		{"kexec", "kexec_load", [6]uint64{}, refuse(unix.EPERM)},
		{"statmount", "statmount", [6]uint64{}, refuse(unix.ENOSYS)},
		{"mseal, newer than libseccomp", "mseal", [6]uint64{}, allow},
		{"xattr, newer than libseccomp", "setxattrat", [6]uint64{}, allow},
		{"landlock inside", "landlock_restrict_self", [6]uint64{}, allow},
		{"seccomp inside", "seccomp", [6]uint64{}, allow},
		{"ptrace", "ptrace", [6]uint64{}, allow},
		{"rseq", "rseq", [6]uint64{}, allow},
		{"openat2", "openat2", [6]uint64{}, allow},
		{"pidfd_open", "pidfd_open", [6]uint64{}, allow},
		{"memfd_create", "memfd_create", [6]uint64{}, allow},

		{"TIOCSTI", "ioctl", [6]uint64{0, 0x5412}, refuse(unix.EPERM)},
		{"TIOCSTI, high half set", "ioctl", [6]uint64{0, high | 0x5412}, refuse(unix.EPERM)},
		{"TIOCSTI, sign-extended", "ioctl", [6]uint64{0, 0xffffffff_00005412}, refuse(unix.EPERM)},
		{"TIOCLINUX", "ioctl", [6]uint64{0, 0x541c}, refuse(unix.EPERM)},
		{"TIOCLINUX, high half set", "ioctl", [6]uint64{0, high | 0x541c}, refuse(unix.EPERM)},
		{"TIOCGWINSZ", "ioctl", [6]uint64{0, 0x5413}, allow},
		{"sign-extended request", "ioctl", [6]uint64{0, 0xffffffff_80045430}, allow},
		{"neighbour of TIOCSTI", "ioctl", [6]uint64{0, 0x10005412}, allow},

		{"fork", "clone", [6]uint64{unix.CLONE_CHILD_SETTID | uint64(unix.SIGCHLD)}, allow},
		{"thread", "clone", [6]uint64{0x3d0f00}, allow},
		{"vfork", "clone", [6]uint64{unix.CLONE_VM | unix.CLONE_VFORK | uint64(unix.SIGCHLD)}, allow},
		{"exit signal with the bit of NEWTIME", "clone", [6]uint64{unix.CLONE_NEWTIME}, allow},
		{"user namespace", "clone", [6]uint64{ns | uint64(unix.SIGCHLD)}, refuse(unix.EPERM)},
		{"user namespace, high half set", "clone", [6]uint64{high | ns}, refuse(unix.EPERM)},
		{"mount namespace", "clone", [6]uint64{unix.CLONE_NEWNS}, refuse(unix.EPERM)},
		{"pid namespace", "clone", [6]uint64{unix.CLONE_NEWPID}, refuse(unix.EPERM)},
		{"net namespace", "clone", [6]uint64{unix.CLONE_NEWNET}, refuse(unix.EPERM)},
		{"ipc namespace", "clone", [6]uint64{unix.CLONE_NEWIPC}, refuse(unix.EPERM)},
		{"uts namespace", "clone", [6]uint64{unix.CLONE_NEWUTS}, refuse(unix.EPERM)},
		{"cgroup namespace", "clone", [6]uint64{unix.CLONE_NEWCGROUP}, refuse(unix.EPERM)},
		{"unshare files", "unshare", [6]uint64{unix.CLONE_FILES | unix.CLONE_FS}, allow},
		{"unshare user", "unshare", [6]uint64{unix.CLONE_FILES | ns}, refuse(unix.EPERM)},
		{"unshare time", "unshare", [6]uint64{unix.CLONE_NEWTIME}, refuse(unix.EPERM)},

		{"personality query", "personality", [6]uint64{0xffffffff}, allow},
		{"personality query, 64 bits", "personality", [6]uint64{0xffffffff_ffffffff}, allow},
		{"personality linux", "personality", [6]uint64{0}, allow},
		{"personality no randomisation", "personality", [6]uint64{0x40000}, allow},
		{"personality read implies exec", "personality", [6]uint64{0x400000}, refuse(unix.EPERM)},

		{"tcp", "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_CLOEXEC, 0}, allow},
		{"tcp by number", "socket", [6]uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP}, allow},
		{"ping", "socket", [6]uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}, allow},
		{"unix", "socket", [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0}, allow},
		{"unix, high half set", "socket", [6]uint64{high | unix.AF_UNIX, unix.SOCK_STREAM, high}, allow},
		{"route", "socket", [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, allow},
		{"audit", "socket", [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, refuse(unix.EPROTONOSUPPORT)},
		{"audit, high half set", "socket", [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, high | unix.NETLINK_AUDIT}, refuse(unix.EPROTONOSUPPORT)},
		{"vsock", "socket", [6]uint64{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, refuse(unix.EAFNOSUPPORT)},
		{"vsock, high half set", "socket", [6]uint64{high | unix.AF_VSOCK, unix.SOCK_STREAM, 0}, refuse(unix.EAFNOSUPPORT)},
		{"packet", "socket", [6]uint64{unix.AF_PACKET, unix.SOCK_RAW, 0}, refuse(unix.EAFNOSUPPORT)},
		{"alg", "socket", [6]uint64{unix.AF_ALG, unix.SOCK_SEQPACKET, 0}, refuse(unix.EAFNOSUPPORT)},
		{"mptcp", "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM, 262}, refuse(unix.EPROTONOSUPPORT)},
		{"mptcp over 6, high half set", "socket", [6]uint64{unix.AF_INET6, unix.SOCK_STREAM, high | 262}, refuse(unix.EPROTONOSUPPORT)},
		{"smc", "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM, 256}, refuse(unix.EPROTONOSUPPORT)},
		{"sctp", "socket", [6]uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP}, refuse(unix.EPROTONOSUPPORT)},
		{"pair", "socketpair", [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM, 0}, allow},
		{"tipc pair", "socketpair", [6]uint64{unix.AF_TIPC, unix.SOCK_STREAM, 0}, refuse(unix.EAFNOSUPPORT)},
	}
	audit := map[string]uint32{"amd64": x86, "arm64": arm}
	for _, goarch := range arches {
		prog := stored(t, goarch, "defaultProgram")
		for _, test := range tests {
			t.Run(goarch+"/"+test.name, func(t *testing.T) {
				d := data{nr: lookup(t, goarch, test.call), arch: audit[goarch], args: test.args}
				if got := run(t, prog, d); got != test.want {
					t.Errorf("%s%#x = %#x, want %#x", test.call, test.args, got, test.want)
				}
			})
		}
	}
}

// Calls that ordinary programs, and a sandbox inside the sandbox, cannot do without.
const essential = `read write close openat openat2 statx newfstatat faccessat2 fchmodat2 readlinkat mkdirat unlinkat renameat2 linkat
	symlinkat ftruncate fallocate copy_file_range sendfile splice close_range dup3 pipe2 fcntl flock fsync getdents64 statfs mmap
	mprotect munmap mremap madvise brk mseal memfd_create membarrier clone execve execveat exit exit_group wait4 waitid kill tgkill
	pidfd_open pidfd_send_signal prctl seccomp landlock_create_ruleset landlock_add_rule landlock_restrict_self ptrace rseq
	set_tid_address set_robust_list futex futex_waitv futex_wait futex_wake futex_requeue sched_yield sched_getaffinity
	sched_setaffinity sched_setattr rt_sigaction rt_sigprocmask rt_sigreturn rt_sigtimedwait sigaltstack restart_syscall
	epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 ppoll pselect6 eventfd2 signalfd4 timerfd_create timer_create nanosleep
	clock_nanosleep clock_gettime inotify_init1 inotify_add_watch bind listen accept4 connect sendmsg recvmsg sendmmsg
	getsockopt setsockopt shutdown setsid setpgid setuid setgroups umask getrandom getrusage prlimit64 uname sysinfo shmget mq_open
	setxattr fgetxattr setxattrat removexattrat io_setup mlock mincore pkey_alloc utimensat`

// Calls that must be closed whatever the arguments.
const closed = `io_uring_setup io_uring_enter io_uring_register userfaultfd clone3 setns mount umount2 pivot_root chroot fsopen fsconfig
	fsmount fspick move_mount open_tree open_tree_attr mount_setattr statmount listmount keyctl add_key request_key bpf
	perf_event_open open_by_handle_at name_to_handle_at pidfd_getfd process_vm_readv process_vm_writev process_madvise kcmp
	kexec_load kexec_file_load quotactl quotactl_fd init_module finit_module delete_module reboot swapon swapoff acct syslog
	settimeofday clock_settime sethostname setdomainname vhangup fanotify_init lookup_dcookie nfsservctl
	move_pages migrate_pages mbind set_mempolicy`

func TestEssentialAndClosedCalls(t *testing.T) {
	for _, goarch := range arches {
		a, err := archOf(goarch)
		if err != nil {
			t.Fatal(err)
		}
		prog := stored(t, goarch, "defaultProgram")
		for _, name := range strings.Fields(essential) {
			if got := run(t, prog, data{nr: lookup(t, goarch, name), arch: a.audit}); got != allow {
				t.Errorf("%s: %s = %#x, want allow", goarch, name, got)
			}
		}
		for _, name := range strings.Fields(closed) {
			got := run(t, prog, data{nr: lookup(t, goarch, name), arch: a.audit})
			if got != refuse(unix.EPERM) && got != refuse(unix.ENOSYS) {
				t.Errorf("%s: %s = %#x, want EPERM or ENOSYS", goarch, name, got)
			}
		}
	}
}

func TestForeignArchitectureIsKilled(t *testing.T) {
	for _, goarch := range arches {
		a, err := archOf(goarch)
		if err != nil {
			t.Fatal(err)
		}
		prog := stored(t, goarch, "defaultProgram")
		for _, audit := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_X86_64, unix.AUDIT_ARCH_AARCH64, 0} {
			if audit == a.audit {
				continue
			}
			for nr := range uint32(600) {
				if got := run(t, prog, data{nr: nr, arch: audit}); got != kill {
					t.Fatalf("%s: call %d of architecture %#x = %#x, want kill", goarch, nr, audit, got)
				}
			}
		}
	}
	prog := stored(t, "amd64", "defaultProgram")
	for nr := range uint32(600) {
		if got := run(t, prog, data{nr: nr | x32Bit, arch: unix.AUDIT_ARCH_X86_64}); got != kill {
			t.Fatalf("x32 call %d = %#x, want kill", nr, got)
		}
	}
	if got := run(t, prog, data{nr: 0xfffffffe, arch: unix.AUDIT_ARCH_X86_64}); got != kill {
		t.Errorf("call -2 = %#x, want kill", got)
	}
	if got := run(t, prog, data{nr: 0xffffffff, arch: unix.AUDIT_ARCH_X86_64}); got != allow {
		t.Errorf("cancelled call = %#x, want allow", got)
	}
}

// Every number is decided as the verdicts and checks say; what is not a call is ENOSYS.
func TestEveryNumber(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, preset := range []string{PresetDefault, PresetStrict} {
		for _, goarch := range arches {
			a, err := archOf(goarch)
			if err != nil {
				t.Fatal(err)
			}
			prog := stored(t, goarch, preset+"Program")
			p := Profile{Preset: preset}
			byNumber := make(map[uint32]verdict)
			for _, v := range p.verdicts(a) {
				byNumber[uint32(v.number)] = v
			}
			for nr := range uint32(1000) {
				for range 20 {
					d := data{nr: nr, arch: a.audit, ip: random.Uint64()}
					for i := range d.args {
						d.args[i] = random.Uint64() >> random.IntN(64)
					}
					want := refuse(unix.ENOSYS)
					if v, ok := byNumber[nr]; ok {
						want = oracle(v, p.guards(), d)
					}
					if got := run(t, prog, d); got != want {
						t.Fatalf("%s %s: %q %+v = %#x, want %#x", goarch, preset, byNumber[nr].name, d, got, want)
					}
				}
			}
		}
	}
}

// oracle decides a call from the guards as data, without their assembler.
func oracle(v verdict, guards []guard, d data) uint32 {
	for _, g := range guards {
		if g.call != v.name {
			continue
		}
		holds := true
		for _, c := range g.when {
			arg := uint32(d.args[c.arg])
			if c.mask != 0 {
				arg &= c.mask
			}
			holds = holds && slices.Contains(c.values, arg) != c.negate
		}
		if holds {
			return refuse(g.errno)
		}
	}
	if v.errno == 0 {
		return allow
	}
	return refuse(v.errno)
}
