package confine_test

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// control says where an escape is first done to show that it works there.
type control int

const (
	plain         control = iota // as a child of the test
	namespaceRoot                // with all capabilities in namespaces of its own
	onlyRoot                     // as a child of the test where it runs as root, else not at all
	shown                        // elsewhere: what makes it work cannot be made here, see why
)

// escape is one technique: it works outside, and inside it meets one of the
// errnos of want ("killed" for SIGSYS) and changes nothing.
type escape struct {
	name    string
	act     []string // the act and its arguments, with the placeholders of scene.fill
	control control
	outside []string // the act of the control, where it needs other arguments
	why     string   // of a control that is only shown
	want    string
}

// A process inside sees as pid 1 the launcher, which keeps its capabilities.
var escapes = []escape{
	// mounts
	{name: "unmount a mask", act: a("umount", "{ws}/secret"), control: namespaceRoot, outside: a("mount and umount", "{ws}/secret"), want: "EPERM ENOSYS"},
	{name: "unmount the root", act: a("umount", "/"), control: shown, why: "a root cannot be unmounted by anybody", want: "EPERM ENOSYS"},
	{name: "remount a carve-out writable", act: a("remount", "{ws}/.git"), control: namespaceRoot, outside: a("remount", "{ws}/.git", "prepare"), want: "EPERM ENOSYS"},
	{name: "remount the root writable", act: a("remount", "/"), control: namespaceRoot, outside: a("remount", "{out}", "prepare"), want: "EPERM ENOSYS"},
	{name: "clear read-only by mount_setattr", act: a("writable attr", "{ws}/.git"), control: namespaceRoot, outside: a("writable attr", "{ws}/.git", "prepare"), want: "EPERM ENOSYS"},
	{name: "mount over a carve-out", act: a("mount", "tmpfs", "{ws}/.git"), control: namespaceRoot, want: "EPERM ENOSYS"},
	{name: "bind the outside into the workspace", act: a("mount", "bind", "{out}", "{ws}/cache"), control: namespaceRoot, want: "EPERM ENOSYS"},
	{name: "mount a fresh proc", act: a("mount", "proc", "{ws}/cache"), control: namespaceRoot, want: "EPERM ENOSYS"},
	{name: "clone the tree with open_tree", act: raw(unix.SYS_OPEN_TREE, "-100", "path", "0x8001"), control: namespaceRoot, want: "EPERM ENOSYS"},
	{name: "fsopen", act: raw(unix.SYS_FSOPEN, "buf", "0"), control: shown, why: "the empty name is refused after the check of capabilities", want: "EPERM ENOSYS"},
	{name: "change the root folder", act: a("chroot", "{ws}"), control: namespaceRoot, want: "EPERM ENOSYS"},

	// namespaces
	{name: "clone a user namespace", act: a("clone", fmt.Sprint(unix.CLONE_NEWUSER)), want: "EPERM ENOSPC"},
	{name: "clone user and mount namespaces", act: a("clone", fmt.Sprint(unix.CLONE_NEWUSER|unix.CLONE_NEWNS)), want: "EPERM ENOSPC"},
	{name: "clone a network namespace", act: a("clone", fmt.Sprint(unix.CLONE_NEWNET)), control: namespaceRoot, want: "EPERM"},
	{name: "clone3 a user namespace", act: a("clone3", fmt.Sprint(unix.CLONE_NEWUSER)), want: "ENOSYS EPERM ENOSPC"},
	{name: "join the init's namespaces", act: a("setns", "1", "mnt"), control: namespaceRoot, outside: a("setns", "self", "ipc"), want: "EACCES EPERM"},
	{name: "join its own network namespace", act: a("setns", "self", "net"), control: namespaceRoot, outside: a("setns", "self", "ipc"), want: "EPERM"},
	{name: "join namespaces by pidfd", act: a("setns pidfd", "1"), control: namespaceRoot, outside: a("setns pidfd", "0"), want: "EPERM"},
	{name: "run confine again", act: a("nest"), want: "EPERM ENOSPC"},

	// other processes
	{name: "the init's root", act: a("open", "/proc/1/root/etc/passwd", "r"), outside: a("open", "/proc/{victim}/root/etc/passwd", "r"), want: "EACCES"},
	{name: "the init's working directory", act: a("readlink", "/proc/1/cwd"), outside: a("readlink", "/proc/{victim}/cwd"), want: "EACCES"},
	{name: "the init's binary", act: a("open", "/proc/1/exe", "r"), outside: a("open", "/proc/{victim}/exe", "r"), want: "EACCES"},
	{name: "the init's descriptors", act: a("readlink", "/proc/1/fd/0"), outside: a("readlink", "/proc/{victim}/fd/0"), want: "EACCES ENOENT"},
	{name: "the init's environment", act: a("open", "/proc/1/environ", "r"), outside: a("open", "/proc/{victim}/environ", "r"), want: "EACCES"},
	{name: "the init's memory", act: a("open", "/proc/1/mem", "rw"), outside: a("open", "/proc/{victim}/mem", "rw"), want: "EACCES"},
	{name: "the init's memory maps", act: a("open", "/proc/1/maps", "r"), outside: a("open", "/proc/{victim}/maps", "r"), want: "EACCES"},
	{name: "the host's processes over the root's parent", act: a("open", "/../proc/{victim}/status", "r"), want: "ENOENT"},
	{name: "a process outside through /proc", act: a("open", "/proc/{victim}/environ", "r"), want: "ENOENT"},
	{name: "trace the init", act: a("ptrace", "1"), outside: a("ptrace", "{victim}"), want: "EPERM"},
	{name: "trace a process outside", act: a("ptrace", "{victim}"), want: "ESRCH EPERM"},
	{name: "read the init's memory", act: a("vm read", "1"), outside: a("vm read", "{victim}"), want: "EPERM ENOSYS"},
	{name: "read memory of a process outside", act: a("vm read", "{victim}"), want: "ESRCH EPERM ENOSYS"},
	{name: "take the init's descriptors", act: a("pidfd getfd", "1"), outside: a("pidfd getfd", "{victim}"), want: "EPERM"},
	{name: "pidfd of a process outside", act: a("pidfd getfd", "{victim}"), want: "ESRCH EPERM EINVAL"},
	{name: "signal a process outside", act: a("kill", "{victim}", "0"), want: "ESRCH EPERM"},
	{name: "kill a process outside", act: a("kill", "{victim}", "9"), outside: a("kill", "{victim}", "18"), want: "ESRCH EPERM"},

	// the machine
	{name: "core_pattern", act: a("open", "/proc/sys/kernel/core_pattern", "w"), control: onlyRoot, want: "EROFS EACCES"},
	{name: "modprobe path", act: a("open", "/proc/sys/kernel/modprobe", "w"), control: shown, why: "not every kernel has it", want: "EROFS EACCES ENOENT"},
	{name: "user namespace limit", act: a("open", "/proc/sys/user/max_user_namespaces", "w"), control: shown, why: "root may lack CAP_SYS_RESOURCE", want: "EROFS EACCES"},
	{name: "sysrq", act: a("open", "/proc/sysrq-trigger", "w"), control: shown, why: "not every kernel has it", want: "EROFS EACCES ENOENT"},
	{name: "kernel memory", act: a("open", "/proc/kcore", "r"), control: shown, why: "not every kernel has it", want: "EACCES ENOENT EPERM"},
	{name: "kernel keys", act: a("open", "/proc/keys", "r"), want: "EACCES ENOENT"},
	{name: "kernel log", act: a("open", "/dev/kmsg", "r"), control: onlyRoot, want: "EACCES ENOENT EPERM"},
	{name: "a disk", act: a("open", "/dev/vda", "r"), control: shown, why: "not every machine has one", want: "ENOENT EACCES"},
	{name: "memory device", act: a("open", "/dev/mem", "r"), control: shown, why: "not every kernel has one", want: "ENOENT EACCES"},
	{name: "virtualisation device", act: a("open", "/dev/kvm", "rw"), control: shown, why: "not every machine has one", want: "ENOENT EACCES"},
	{name: "fuse", act: a("open", "/dev/fuse", "rw"), control: shown, why: "not every machine has one", want: "ENOENT EACCES"},
	{name: "make a device", act: a("mknod", "{ws}/device"), control: onlyRoot, want: "EPERM"},
	{name: "make a device in a private tmp", act: a("mknod", "/tmp/confinetest-device"), control: shown, why: "its folder is the run's own", want: "EPERM"},
	{name: "cgroups", act: a("mkdir", "/sys/fs/cgroup/confinetest"), control: shown, why: "which hierarchy takes folders differs between machines", want: "EROFS EACCES ENOENT EPERM"},
	{name: "outside write", act: a("append", "{out}/file"), want: "EROFS"},
	{name: "outside write through /proc/self/root", act: a("append", "/proc/self/root{out}/file"), want: "EROFS"},
	{name: "outside write through /proc/self/cwd", act: a("append", "/proc/self/cwd/../out/file"), outside: a("append", "/proc/self/root{out}/file"), want: "EROFS"},
	{name: "outside write from a memfd", act: a("memfd", "append", "{out}/file"), want: "EROFS"},

	// credentials and limits
	{name: "raise a resource limit", act: a("rlimit"), control: shown, why: "root may lack CAP_SYS_RESOURCE", want: "EPERM"},
	{name: "another user", act: a("setuid", "user", "12345"), control: onlyRoot, want: "EPERM EINVAL"},
	{name: "more groups", act: a("setuid", "group", "0"), control: onlyRoot, want: "EPERM"},
	{name: "open a file by handle", act: a("handle", "{out}/file"), control: onlyRoot, want: "EPERM ENOSYS"},

	// network and other endpoints
	{name: "service socket on a read-only mount", act: a("connect", "unix", "{socket}"), want: "EACCES ECONNREFUSED"},
	{name: "service socket over the root's parent", act: a("connect", "unix", "/..{socket}"), want: "EACCES ECONNREFUSED"},
	{name: "abstract socket", act: a("connect", "unix", "{abstract}"), want: "ECONNREFUSED EPERM"},
	{name: "loopback of the host", act: a("connect", "tcp", "{tcp}"), want: "ENETUNREACH ECONNREFUSED"},
	{name: "datagram to the host", act: a("send udp", "{udp}"), want: "ENETUNREACH EPERM"},
	{name: "System V memory", act: raw(unix.SYS_SHMGET, "{shm}", "4096", "0"), want: "ENOENT EPERM ENOSYS"},
	{name: "vsock", act: a("socket", "40", "1", "0"), control: shown, why: "not every kernel has the family", want: "EAFNOSUPPORT EPERM EACCES"},
	{name: "packet socket", act: a("socket", "17", "3", "0"), control: onlyRoot, want: "EAFNOSUPPORT EPERM EACCES"},
	{name: "raw socket", act: a("socket", "2", "3", "1"), control: onlyRoot, want: "EAFNOSUPPORT EPERM EACCES"},
	{name: "audit netlink", act: a("socket", "16", "3", "9"), control: shown, why: "not every kernel has audit", want: "EAFNOSUPPORT EPERM EACCES EPROTONOSUPPORT"},
	{name: "netfilter netlink", act: a("socket", "16", "3", "12"), control: shown, why: "not every kernel has it", want: "EAFNOSUPPORT EPERM EACCES EPROTONOSUPPORT"},
	{name: "kernel crypto socket", act: a("socket", "38", "5", "0"), control: shown, why: "not every kernel has the family", want: "EAFNOSUPPORT EPERM EACCES"},
	{name: "key management socket", act: a("socket", "15", "3", "2"), control: shown, why: "not every kernel has the family", want: "EAFNOSUPPORT EPERM EACCES"},
	{name: "Bluetooth socket", act: a("socket", "31", "3", "0"), control: shown, why: "not every kernel has the family", want: "EAFNOSUPPORT EPERM EACCES"},

	// the kernel's attack surface
	{name: "io_uring", act: raw(unix.SYS_IO_URING_SETUP, "1", "buf"), control: shown, why: "some hosts switch it off (kernel.io_uring_disabled)", want: "ENOSYS"},
	{name: "userfaultfd", act: raw(unix.SYS_USERFAULTFD, "1"), want: "ENOSYS EPERM"},
	{name: "bpf", act: raw(unix.SYS_BPF, "0", "buf", "72"), control: shown, why: "a zeroed request is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "perf events", act: raw(unix.SYS_PERF_EVENT_OPEN, "buf", "0", "-1", "-1", "0"), control: shown, why: "kernel.perf_event_paranoid decides", want: "EPERM ENOSYS"},
	{name: "add a key", act: raw(unix.SYS_ADD_KEY, "buf", "buf", "buf", "1", "-3"), control: shown, why: "an empty type is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "search keyrings", act: raw(unix.SYS_KEYCTL, "0", "-3", "1"), want: "EPERM ENOSYS"},
	{name: "personality that makes memory executable", act: raw(unix.SYS_PERSONALITY, "0x400000"), want: "EPERM ENOSYS"},
	{name: "file handle", act: raw(unix.SYS_NAME_TO_HANDLE_AT, "-100", "path", "buf", "buf", "0"), control: shown, why: "the handle's size is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "fanotify", act: raw(unix.SYS_FANOTIFY_INIT, "0", "0"), control: onlyRoot, want: "EPERM ENOSYS"},
	{name: "kernel log by call", act: raw(unix.SYS_SYSLOG, "10", "0", "0"), control: onlyRoot, want: "EPERM ENOSYS"},
	{name: "host name", act: raw(unix.SYS_SETHOSTNAME, "buf", "0"), control: namespaceRoot, outside: raw(unix.SYS_GETPID), want: "EPERM"},
	{name: "quota", act: raw(unix.SYS_QUOTACTL, "0", "0", "0", "0"), control: shown, why: "the request is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "swap", act: raw(unix.SYS_SWAPON, "buf", "0"), control: shown, why: "the name is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "accounting", act: raw(unix.SYS_ACCT, "1"), control: shown, why: "the name is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "reboot", act: raw(unix.SYS_REBOOT, "0", "0", "0", "0"), control: shown, why: "the magic is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "load a kernel module", act: raw(unix.SYS_INIT_MODULE, "1", "0", "1"), control: shown, why: "the module is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "unload a kernel module", act: raw(unix.SYS_DELETE_MODULE, "1", "0"), control: shown, why: "the name is invalid for everybody", want: "EPERM ENOSYS"},
	{name: "load a kernel", act: raw(unix.SYS_KEXEC_LOAD, "0", "17", "0", "0"), control: shown, why: "too many segments for everybody", want: "EPERM ENOSYS"},
	{name: "advise another process", act: raw(unix.SYS_PROCESS_MADVISE, "-1", "0", "0", "0", "0"), control: shown, why: "the descriptor is invalid for everybody", want: "EPERM ENOSYS EBADF"},
	{name: "x32 call", act: raw(0x40000000 + unix.SYS_GETPID), control: shown, why: "most kernels have no x32", want: "ENOSYS EPERM killed"},
	{name: "unknown call", act: raw(1000), control: shown, why: "no kernel has it", want: "ENOSYS"},
}

func a(args ...string) []string { return args }

func raw(nr int, args ...string) []string { return append([]string{"raw", fmt.Sprint(nr)}, args...) }
