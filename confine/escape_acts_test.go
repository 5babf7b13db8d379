package confine_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// What the escape suite's processes try. Each act does one thing and says
// which errno it met.
var escapeActs = map[string]confinetest.Act{
	"int80": func(a []string) (string, error) {
		n, err := int80(uint32(number(a[0])))
		return fmt.Sprint(n), err
	},
	"connect mptcp": mptcpAct,
	"listen":        listenAct,
	"open":          openAct,
	"append":        func(a []string) (string, error) { return "", appendTo(a[0]) },
	"readlink":      func(a []string) (string, error) { return os.Readlink(a[0]) },
	"mkdir":         func(a []string) (string, error) { return "", unix.Mkdir(a[0], 0o755) },
	"mknod": func(a []string) (string, error) {
		return "", unix.Mknod(a[0], unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3)))
	},
	"mount":   mountAct,
	"remount": remountAct,
	"umount":  func(a []string) (string, error) { return "", unix.Unmount(a[0], unix.MNT_DETACH) },
	"mount and umount": func(a []string) (string, error) {
		return "", errors.Join(unix.Mount("none", a[0], "tmpfs", 0, ""), unix.Unmount(a[0], 0))
	},
	"chroot":         func(a []string) (string, error) { return "", unix.Chroot(a[0]) },
	"writable attr":  writableAttrAct,
	"setns":          setnsAct,
	"setns pidfd":    setnsPidfdAct,
	"clone":          cloneAct,
	"clone3":         clone3Act,
	"ptrace":         ptraceAct,
	"vm read":        vmReadAct,
	"pidfd getfd":    pidfdGetfdAct,
	"kill":           killAct,
	"connect":        connectAct,
	"send udp":       sendAct,
	"socket":         socketAct,
	"raw":            rawAct,
	"rlimit":         rlimitAct,
	"setuid":         setuidAct,
	"handle":         handleAct,
	"ioctl":          ioctlAct,
	"descriptors":    descriptorsAct,
	"status":         statusAct,
	"mounts":         func([]string) (string, error) { b, err := os.ReadFile("/proc/self/mountinfo"); return string(b), err },
	"environment":    func([]string) (string, error) { return strings.Join(os.Environ(), "\n"), nil },
	"writable below": writableBelowAct,
	"memfd":          memfdAct,
	"nest":           nestAct,
	"sleep":          func([]string) (string, error) { time.Sleep(time.Hour); return "", nil },
	"sh":             shAct,
}

func number(s string) int {
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		panic(err) // a mistake in the table
	}
	return int(n)
}

func openAct(a []string) (string, error) {
	flags := map[string]int{"r": unix.O_RDONLY, "w": unix.O_WRONLY, "rw": unix.O_RDWR}[a[1]]
	fd, err := unix.Open(a[0], flags|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err == nil {
		unix.Close(fd)
	}
	return "", err
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("PWN")
	return errors.Join(err, f.Close())
}

func mountAct(a []string) (string, error) {
	if a[0] == "bind" {
		return "", unix.Mount(a[1], a[2], "", unix.MS_BIND|unix.MS_REC, "")
	}
	return "", unix.Mount("none", a[1], a[0], 0, "")
}

// remountAct makes a mount writable that was made read-only; outside it makes one first.
func remountAct(a []string) (string, error) {
	if len(a) > 1 {
		if err := errors.Join(unix.Mount(a[0], a[0], "", unix.MS_BIND|unix.MS_REC, ""), unix.Mount("", a[0], "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, "")); err != nil {
			return "prepare", err
		}
	}
	return "", unix.Mount("", a[0], "", unix.MS_REMOUNT|unix.MS_BIND, "")
}

func writableAttrAct(a []string) (string, error) {
	if len(a) > 1 {
		if err := unix.Mount(a[0], a[0], "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return "prepare", err
		}
	}
	return "", unix.MountSetattr(unix.AT_FDCWD, a[0], 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY})
}

func setnsAct(a []string) (string, error) {
	runtime.LockOSThread()
	fd, err := unix.Open("/proc/"+a[0]+"/ns/"+a[1], unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "open", err
	}
	return "setns", unix.Setns(fd, 0)
}

func setnsPidfdAct(a []string) (string, error) {
	runtime.LockOSThread()
	pid := number(a[0])
	if pid == 0 {
		pid = os.Getpid()
	}
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return "open", err
	}
	return "setns", unix.Setns(fd, unix.CLONE_NEWIPC)
}

func cloneAct(a []string) (string, error) {
	cmd := exec.Command("/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: uintptr(number(a[0]))}
	return "", cmd.Run()
}

// clone3Act forks with clone3, whose flags a seccomp filter cannot read.
func clone3Act(a []string) (string, error) {
	args := struct{ flags, pidfd, childTid, parentTid, exitSignal, rest1, rest2, rest3 uint64 }{flags: uint64(number(a[0])), exitSignal: uint64(unix.SIGCHLD)}
	runtime.LockOSThread()
	pid, _, errno := unix.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), unsafe.Sizeof(args), 0)
	if errno != 0 {
		return "", errno
	}
	if pid == 0 {
		unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	return "", err
}

func ptraceAct(a []string) (string, error) {
	runtime.LockOSThread()
	pid := number(a[0])
	if err := unix.PtraceAttach(pid); err != nil {
		return "", err
	}
	_, _ = unix.Wait4(pid, nil, unix.WALL, nil)
	return "", unix.PtraceDetach(pid)
}

func vmReadAct(a []string) (string, error) {
	buf := make([]byte, 1)
	local := []unix.Iovec{{Base: &buf[0], Len: 1}}
	_, err := unix.ProcessVMReadv(number(a[0]), local, []unix.RemoteIovec{{Base: 0x1000, Len: 1}}, 0)
	if errors.Is(err, unix.EFAULT) {
		return "nothing there, but it was looked at", nil
	}
	return "", err
}

func pidfdGetfdAct(a []string) (string, error) {
	fd, err := unix.PidfdOpen(number(a[0]), 0)
	if err != nil {
		return "open", err
	}
	got, err := unix.PidfdGetfd(fd, 0, 0)
	if err == nil {
		unix.Close(got)
	}
	return "get", err
}

func killAct(a []string) (string, error) {
	return "", unix.Kill(number(a[0]), unix.Signal(number(a[1])))
}

func connectAct(a []string) (string, error) {
	c, err := net.DialTimeout(a[0], a[1], 2*time.Second)
	if err != nil {
		return "", err
	}
	return "", c.Close()
}

// mptcpAct connects by Multipath TCP, which rules about TCP do not see.
func mptcpAct(a []string) (string, error) {
	address, err := net.ResolveTCPAddr("tcp4", a[0])
	if err != nil {
		return "", err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_MPTCP)
	if err != nil {
		return "socket", err
	}
	defer unix.Close(fd)
	return "connect", unix.Connect(fd, &unix.SockaddrInet4{Port: address.Port, Addr: [4]byte(address.IP.To4())})
}

// listenAct talks to itself over the loopback.
func listenAct([]string) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "listen", err
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return "dial", err
	}
	return "", c.Close()
}

func sendAct(a []string) (string, error) {
	c, err := net.Dial("udp", a[0])
	if err != nil {
		return "", err
	}
	defer c.Close()
	_, err = c.Write([]byte("PWN"))
	return "", err
}

func socketAct(a []string) (string, error) {
	fd, err := unix.Socket(number(a[0]), number(a[1])|unix.SOCK_CLOEXEC, number(a[2]))
	if err == nil {
		unix.Close(fd)
	}
	return "", err
}

// rawAct makes a system call. "buf" stands for a zeroed buffer, "path" for "/".
func rawAct(a []string) (string, error) {
	buf, path := make([]byte, 4096), append([]byte("/"), 0)
	var args [7]uintptr
	for i, s := range a {
		switch s {
		case "buf":
			args[i] = uintptr(unsafe.Pointer(&buf[0]))
		case "path":
			args[i] = uintptr(unsafe.Pointer(&path[0]))
		default:
			args[i] = uintptr(number(s))
		}
	}
	_, _, errno := unix.RawSyscall6(args[0], args[1], args[2], args[3], args[4], args[5], args[6])
	runtime.KeepAlive(buf)
	runtime.KeepAlive(path)
	if errno != 0 {
		return "", errno
	}
	return "", nil
}

func rlimitAct([]string) (string, error) {
	var lim unix.Rlimit
	if err := unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{Cur: 0, Max: 0}, nil); err != nil {
		return "lower", err
	}
	lim.Cur, lim.Max = 1, 1
	return "raise", unix.Prlimit(0, unix.RLIMIT_CORE, &lim, nil)
}

func setuidAct(a []string) (string, error) {
	if a[0] == "group" {
		return "", syscall.Setgroups([]int{number(a[1])})
	}
	return "", syscall.Setuid(number(a[1]))
}

// handleAct opens a file by its handle, past every path.
func handleAct(a []string) (string, error) {
	h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a[0], 0)
	if err != nil {
		return "name", err
	}
	dir, err := unix.Open(filepath.Dir(a[0]), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return "folder", err
	}
	fd, err := unix.OpenByHandleAt(dir, h, unix.O_RDONLY)
	if err == nil {
		unix.Close(fd)
	}
	return "open", err
}

// ioctlAct makes an ioctl on standard input with all 64 bits of the command.
func ioctlAct(a []string) (string, error) {
	char := [8]byte{'x'}
	if a[0] == fmt.Sprint(uint(unix.TIOCLINUX)) {
		char[0] = 2
	}
	cmd, err := strconv.ParseUint(a[0], 0, 64)
	if err != nil {
		return "", err
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, 0, uintptr(cmd), uintptr(unsafe.Pointer(&char[0])))
	if errno != 0 {
		return "", errno
	}
	return "", nil
}

func descriptorsAct([]string) (string, error) {
	var open []string
	for fd := range 1024 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			continue
		}
		target, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", fd))
		if strings.HasPrefix(target, "anon_inode:[event") || strings.HasPrefix(target, "/sys/fs/cgroup/") {
			continue // the Go runtime's own
		}
		open = append(open, fmt.Sprintf("%d %s", fd, target))
	}
	return strings.Join(open, "\n"), nil
}

func statusAct([]string) (string, error) {
	b, err := os.ReadFile("/proc/self/status")
	return string(b), err
}

// writableBelowAct lists what can be opened for writing.
func writableBelowAct(a []string) (string, error) {
	var open []string
	err := filepath.WalkDir(a[0], func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // unreadable folders are none of its business
		}
		if fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0); err == nil {
			unix.Close(fd)
			open = append(open, path)
		}
		return nil
	})
	return strings.Join(open, "\n"), err
}

// memfdAct executes this binary from a memfd, to act from there.
func memfdAct(a []string) (string, error) {
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return "read", err
	}
	fd, err := unix.MemfdCreate("copy", 0)
	if err != nil {
		return "memfd", err
	}
	if _, err := os.NewFile(uintptr(fd), "copy").Write(exe); err != nil {
		return "write", err
	}
	return "execve", unix.Exec(fmt.Sprintf("/proc/self/fd/%d", fd), append([]string{"copy"}, a...), os.Environ())
}

// nestAct starts confine inside.
func nestAct(a []string) (string, error) {
	h, err := confine.Host()
	if err != nil {
		return "host", err
	}
	p, err := policy.Resolve(policy.Request{}, policy.Defaults{Mode: policy.ReadOnly}, h, confine.FS())
	if err != nil {
		return "resolve", err
	}
	_, err = confine.Command(p, "/bin/true").Run()
	return "run", err
}

func shAct(a []string) (string, error) {
	out, err := exec.Command("/bin/sh", "-c", a[0]).CombinedOutput()
	return string(out), err
}
