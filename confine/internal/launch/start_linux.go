package launch

// #cgo CFLAGS: -O2 -Wall -Wextra -Wno-unused-parameter -fno-strict-aliasing
// extern int confine_early_control, confine_early_pid;
// extern void confine_unpin(void);
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// FirstFile is the launcher's descriptor of the first file passed to Start:
// before it come the standard streams, the control socket and the plan.
const FirstFile = 5

// Process is a started launcher and what became of it.
type Process struct {
	Launcher int      // pid; exits when pid 1 has started
	control  *os.File // SOCK_SEQPACKET; its end kills the tree
}

// Start starts the launcher of p: the one that was started early, where package
// prefork is linked and it is still unused, else by re-executing this binary.
// stdio are the launcher's 0, 1 and 2, files its descriptors from FirstFile on.
// The caller reaps the launcher and, once a Message of kind Init told its pid,
// pid 1, which becomes a child of this process too.
//
// Closing the Process, or the death of this process, kills everything started.
func Start(p *Plan, stdio [3]*os.File, files []*os.File) (*Process, error) {
	block, err := p.Encode()
	if err != nil {
		return nil, err
	}
	plan, err := sealed(block)
	if err != nil {
		return nil, err
	}
	defer plan.Close()
	fds := []int{int(plan.Fd())}
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	if p.Namespaces == earlyNamespaces && len(fds)+3 <= earlyMaxFDs {
		if early := takeEarly(); early != nil {
			defer Unpin() // the launcher works meanwhile
			if err := early.hand(append(fds, int(stdio[0].Fd()), int(stdio[1].Fd()), int(stdio[2].Fd()))); err != nil {
				early.Close() // it leaves
				return nil, err
			}
			return early, nil
		}
	}
	Unpin()
	return reexecute(stdio, fds)
}

// earlyMaxFDs bounds the descriptors in one message (SCM_MAX_FD is 253).
const earlyMaxFDs = 200

// earlyNamespaces are those that the early launcher enters before it has a plan.
const earlyNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
	unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWNET

// takeEarly returns the launcher that was started early, once. One that is never
// taken leaves when this process ends.
func takeEarly() *Process {
	fd, pid := int(C.confine_early_control), int(C.confine_early_pid)
	if fd < 0 {
		return nil
	}
	C.confine_early_control = -1
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil
	}
	return &Process{Launcher: pid, control: os.NewFile(uintptr(fd), "control")}
}

// Unpin gives this process the processors back that an early start kept it
// from, for whatever it executes itself. Start does it too.
func Unpin() { C.confine_unpin() }

// hand gives the waiting launcher its descriptors.
func (p *Process) hand(fds []int) error {
	conn, err := p.control.SyscallConn()
	if err != nil {
		return err
	}
	var sent error
	err = conn.Write(func(fd uintptr) bool {
		sent = unix.Sendmsg(int(fd), Message{}.encode(), unix.UnixRights(fds...), nil, unix.MSG_NOSIGNAL)
		return sent != unix.EAGAIN
	})
	if sent == unix.EPIPE || sent == unix.ECONNRESET {
		return nil // the launcher gave up; its last message says why
	}
	if err == nil {
		err = os.NewSyscallError("sendmsg", sent)
	}
	return err
}

func reexecute(stdio [3]*os.File, files []int) (*Process, error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(pair[1])
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		return nil, os.NewSyscallError("fcntl", err)
	}
	ours := os.NewFile(uintptr(pair[0]), "control")
	fds := []uintptr{stdio[0].Fd(), stdio[1].Fd(), stdio[2].Fd(), uintptr(pair[1])}
	for _, fd := range files {
		fds = append(fds, uintptr(fd))
	}
	pid, err := syscall.ForkExec("/proc/self/exe", []string{"confine-launcher"},
		&syscall.ProcAttr{Env: []string{"CONFINE_LAUNCH=1"}, Files: fds})
	if err != nil {
		ours.Close()
		return nil, fmt.Errorf("start launcher: %w", &os.PathError{Op: "execve", Path: "/proc/self/exe", Err: err})
	}
	return &Process{Launcher: pid, control: ours}, nil
}

// sealed returns a memfd with the given content that nobody can change.
func sealed(block []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("confine-plan", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "plan")
	if _, err := f.Write(block); err != nil {
		f.Close()
		return nil, err
	}
	seals := unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, seals); err != nil {
		f.Close()
		return nil, os.NewSyscallError("fcntl", err)
	}
	return f, nil
}

// Receive waits for the next message. io.EOF means that no process of the run
// holds the other end any more.
func (p *Process) Receive() (Message, error) {
	var buf [messageSize + 1]byte
	n, err := p.control.Read(buf[:])
	if errors.Is(err, unix.ECONNRESET) {
		err = io.EOF // pid 1 left with an unread command in its queue
	}
	if err != nil {
		return Message{}, err
	}
	return decodeMessage(buf[:n])
}

// Send gives pid 1 a command. An error means that pid 1 is gone.
func (p *Process) Send(m Message) error {
	_, err := p.control.Write(m.encode())
	return err
}

// Hangup ends the run as Close does, and what pid 1 still has to say can be received.
func (p *Process) Hangup() error {
	conn, err := p.control.SyscallConn()
	if err != nil {
		return err
	}
	var shut error
	if err := conn.Control(func(fd uintptr) { shut = unix.Shutdown(int(fd), unix.SHUT_WR) }); err != nil {
		return err
	}
	return os.NewSyscallError("shutdown", shut)
}

// Close ends the run: pid 1 sees the end of the socket and leaves, and the
// kernel kills everything in its namespace.
func (p *Process) Close() error { return p.control.Close() }
