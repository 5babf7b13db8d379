//go:build linux

package seccomp

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	bad  = ^uintptr(0)
	same = syscall.Errno(0xffff) // as without the filter
)

// All arguments are bad, so that without the filter the errno shows the call was reached and nothing happens.
var kernelTests = []struct {
	name     string
	call     string
	args     [6]uintptr
	without  []syscall.Errno
	with     syscall.Errno
	onlyRoot bool // others get EPERM anyway
}{
	{"io_uring", "io_uring_setup", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.ENOSYS, false},
	{"userfaultfd", "userfaultfd", [6]uintptr{bad}, []syscall.Errno{unix.EINVAL, unix.EPERM}, unix.ENOSYS, false},
	{"keyctl", "keyctl", [6]uintptr{999}, []syscall.Errno{unix.EOPNOTSUPP}, unix.EPERM, false},
	{"add_key", "add_key", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.EPERM, false},
	{"bpf", "bpf", [6]uintptr{999}, []syscall.Errno{unix.EINVAL}, unix.EPERM, true},
	{"perf_event_open", "perf_event_open", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.EPERM, false},
	{"mount", "mount", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.EPERM, false},
	{"umount", "umount2", [6]uintptr{0, bad}, []syscall.Errno{unix.EINVAL}, unix.EPERM, false},
	{"fsopen", "fsopen", [6]uintptr{0, bad}, []syscall.Errno{unix.EINVAL, unix.EPERM}, unix.ENOSYS, false},
	{"open_tree", "open_tree", [6]uintptr{bad, 0, bad}, []syscall.Errno{unix.EINVAL}, unix.ENOSYS, false},
	{"chroot", "chroot", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.EPERM, false},
	{"swapon", "swapon", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.EPERM, true},
	{"pivot_root", "pivot_root", [6]uintptr{}, []syscall.Errno{unix.EFAULT}, unix.EPERM, true},
	{"file handle", "name_to_handle_at", [6]uintptr{bad, 0, 0, 0, bad}, []syscall.Errno{unix.EINVAL}, unix.EPERM, false},
	{"open handle", "open_by_handle_at", [6]uintptr{bad}, []syscall.Errno{unix.EFAULT, unix.EBADF}, unix.EPERM, true},
	{"pidfd_getfd", "pidfd_getfd", [6]uintptr{bad, bad, bad}, []syscall.Errno{unix.EINVAL}, unix.EPERM, false},
	{"process_vm_readv", "process_vm_readv", [6]uintptr{1, 0, 0, 0, 0, 1}, []syscall.Errno{unix.EINVAL}, unix.ENOSYS, false},
	{"process_madvise", "process_madvise", [6]uintptr{bad, 0, 0, 0, bad}, []syscall.Errno{unix.EINVAL}, unix.EPERM, false},
	{"setns", "setns", [6]uintptr{bad}, []syscall.Errno{unix.EBADF}, unix.EPERM, false},
	{"clone3", "clone3", [6]uintptr{}, []syscall.Errno{unix.EINVAL}, unix.ENOSYS, false},
	// A user namespace cannot share the folder, nor be entered by one thread of several.
	{"clone user namespace", "clone", [6]uintptr{unix.CLONE_NEWUSER | unix.CLONE_FS}, []syscall.Errno{unix.EINVAL}, unix.EPERM, false},
	{"unshare user namespace", "unshare", [6]uintptr{unix.CLONE_NEWUSER}, []syscall.Errno{unix.EINVAL}, unix.EPERM, false},
	{"unshare files", "unshare", [6]uintptr{unix.CLONE_FILES}, []syscall.Errno{0}, same, false},
	{"TIOCSTI", "ioctl", [6]uintptr{bad, unix.TIOCSTI}, []syscall.Errno{unix.EBADF}, unix.EPERM, false},
	{"TIOCSTI, high half set", "ioctl", [6]uintptr{bad, 1<<32 | unix.TIOCSTI}, []syscall.Errno{unix.EBADF}, unix.EPERM, false},
	{"TIOCLINUX", "ioctl", [6]uintptr{bad, unix.TIOCLINUX}, []syscall.Errno{unix.EBADF}, unix.EPERM, false},
	{"TIOCGWINSZ", "ioctl", [6]uintptr{bad, unix.TIOCGWINSZ}, []syscall.Errno{unix.EBADF}, same, false},
	{"sign-extended request", "ioctl", [6]uintptr{bad, 0xffffffff_80045430}, []syscall.Errno{unix.EBADF}, same, false},
	{"personality", "personality", [6]uintptr{0x400000}, []syscall.Errno{0}, unix.EPERM, false},
	{"personality query", "personality", [6]uintptr{bad}, []syscall.Errno{0}, same, false},
	// A bad type is refused before the family is looked at.
	{"vsock", "socket", [6]uintptr{unix.AF_VSOCK, bad}, []syscall.Errno{unix.EINVAL}, unix.EAFNOSUPPORT, false},
	{"vsock, high half set", "socket", [6]uintptr{1<<32 | unix.AF_VSOCK, bad}, []syscall.Errno{unix.EINVAL}, unix.EAFNOSUPPORT, false},
	{"packet", "socket", [6]uintptr{unix.AF_PACKET, bad}, []syscall.Errno{unix.EINVAL}, unix.EAFNOSUPPORT, false},
	{"audit", "socket", [6]uintptr{unix.AF_NETLINK, bad, unix.NETLINK_AUDIT}, []syscall.Errno{unix.EINVAL}, unix.EPROTONOSUPPORT, false},
	{"mptcp", "socket", [6]uintptr{unix.AF_INET, bad, 262}, []syscall.Errno{unix.EINVAL}, unix.EPROTONOSUPPORT, false},
	{"tcp", "socket", [6]uintptr{unix.AF_INET, bad, 0}, []syscall.Errno{unix.EINVAL}, same, false},
	{"unix", "socket", [6]uintptr{unix.AF_UNIX, bad, 0}, []syscall.Errno{unix.EINVAL}, same, false},
	{"unknown", "", [6]uintptr{}, []syscall.Errno{unix.ENOSYS}, same, false},
	{"ptrace", "ptrace", [6]uintptr{999, 0}, []syscall.Errno{unix.ESRCH}, same, false},
	{"landlock version", "landlock_create_ruleset", [6]uintptr{0, 0, 1}, []syscall.Errno{0, unix.ENOSYS, unix.EOPNOTSUPP}, same, false},
	{"seccomp", "seccomp", [6]uintptr{999}, []syscall.Errno{unix.EINVAL}, same, false},
	{"chmod", "fchmod", [6]uintptr{bad}, []syscall.Errno{unix.EBADF}, same, false},
}

func TestKernelRefuses(t *testing.T) {
	var raw []rawCall
	for _, test := range kernelTests {
		nr := uint32(9999)
		if test.call != "" {
			nr = lookup(t, "", test.call)
		}
		raw = append(raw, rawCall{uintptr(nr), test.args})
	}
	for user, uid := range users() {
		without := victim{Calls: raw, uid: uid}.errnos(t)
		with := victim{Calls: raw, uid: uid, Filter: Default()}.errnos(t)
		for i, test := range kernelTests {
			if test.onlyRoot && user != "root" {
				continue // EPERM without the filter too: it would prove nothing
			}
			t.Run(user+"/"+test.name, func(t *testing.T) {
				if !slices.Contains(test.without, without[i]) {
					t.Errorf("without the filter: %v, want one of %v", without[i], test.without)
				}
				want := test.with
				if want == same {
					want = without[i]
				}
				if with[i] != want {
					t.Errorf("with the filter: %v, want %v", with[i], want)
				}
			})
		}
	}
}

func TestKernelClosesGroups(t *testing.T) {
	tests := []struct {
		name    string
		group   Group
		call    string
		args    [6]uintptr
		without syscall.Errno
	}{
		{"inet", CloseInet, "socket", [6]uintptr{unix.AF_INET6, bad}, unix.EINVAL},
		{"unix", CloseUnix, "socket", [6]uintptr{unix.AF_UNIX, bad}, unix.EINVAL},
		{"datagram pair", CloseUnix, "socketpair", [6]uintptr{unix.AF_UNIX, unix.SOCK_DGRAM}, unix.EFAULT},
		{"mode", CloseMetadata, "fchmod", [6]uintptr{bad}, unix.EBADF},
		{"owner", CloseMetadata, "fchown", [6]uintptr{bad}, unix.EBADF},
		{"times", CloseMetadata, "utimensat", [6]uintptr{bad, 0, 0, bad}, unix.EINVAL},
		{"attribute", CloseMetadata, "fremovexattr", [6]uintptr{bad}, unix.EFAULT},
		{"inode flags", CloseMetadata, "ioctl", [6]uintptr{bad, 0x40086602}, unix.EBADF},
		{"shared memory", CloseIPC, "shmctl", [6]uintptr{bad, 999}, unix.EINVAL},
		{"limits of another", CloseOthers, "prlimit64", [6]uintptr{uintptr(os.Getpid()), 999}, unix.EINVAL},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			prog, err := Program(Profile{Close: []Group{test.group}})
			if err != nil {
				t.Fatal(err)
			}
			raw := []rawCall{{uintptr(lookup(t, "", test.call)), test.args}}
			if got := (victim{Calls: raw, Filter: Default()}).errnos(t); got[0] != test.without {
				t.Errorf("open: %v, want %v", got[0], test.without)
			}
			if got := (victim{Calls: raw, Filter: prog}).errnos(t); got[0] != unix.EPERM {
				t.Errorf("closed: %v, want %v", got[0], unix.EPERM)
			}
		})
	}
}

// killedBySIGSYS reports whether the victim was killed as the filter kills.
func killedBySIGSYS(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == unix.SIGSYS
}

func TestKernelKillsX32(t *testing.T) {
	if a, err := archOf(""); err != nil || !a.x32 {
		t.Skip("no x32 on this architecture")
	}
	raw := []rawCall{{x32Bit | uintptr(unix.SYS_GETPID), [6]uintptr{}}}
	(victim{Calls: raw}).errnos(t) // reached and survived without the filter
	if out, err := (victim{Calls: raw, Filter: Default()}).run(t); !killedBySIGSYS(err) {
		t.Errorf("x32 call: %q, %v; want a SIGSYS kill", out, err)
	}
}

func TestKernelKillsI386(t *testing.T) {
	if a, err := archOf(""); err != nil || !a.x32 {
		t.Skip("no i386 on this architecture")
	}
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to build a program with int 0x80")
	}
	dir := t.TempDir()
	src, bin := filepath.Join(dir, "i386.c"), filepath.Join(dir, "i386")
	const code = `int main(void) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); return r <= 0; }`
	if err := os.WriteFile(src, []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-o", bin, src).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := (victim{Exec: []string{bin}}).run(t); err != nil {
		t.Skipf("the kernel runs no i386 calls: %v %q", err, out)
	}
	if out, err := (victim{Exec: []string{bin}, Filter: Default()}).run(t); !killedBySIGSYS(err) {
		t.Errorf("i386 call: %q, %v; want a SIGSYS kill", out, err)
	}
}
