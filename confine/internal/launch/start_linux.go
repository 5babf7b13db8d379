package launch

// #cgo CFLAGS: -O2 -Wall -Wextra -fno-strict-aliasing
import "C"

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptor numbers in the launcher. Files passed to Start follow FirstFile,
// after the three standard streams.
const (
	controlFD = 3
	planFD    = 4
	FirstFile = 5
)

// Process is a started launcher and what became of it.
type Process struct {
	Launcher int      // pid; exits when pid 1 has started
	control  *os.File // SOCK_SEQPACKET; its end kills the tree
}

// Start re-executes this binary as the launcher of p. stdin, stdout and stderr
// are the launcher's 0, 1 and 2, files its descriptors from FirstFile on. The
// caller reaps the launcher and, once a Message of kind Init told its pid, pid 1,
// which becomes a child of this process too.
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
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	theirs := os.NewFile(uintptr(pair[1]), "control")
	defer theirs.Close()
	if err := unix.SetNonblock(pair[0], true); err != nil {
		unix.Close(pair[0])
		return nil, os.NewSyscallError("fcntl", err)
	}
	ours := os.NewFile(uintptr(pair[0]), "control")

	fds := []uintptr{stdio[0].Fd(), stdio[1].Fd(), stdio[2].Fd(), theirs.Fd(), plan.Fd()}
	for _, f := range files {
		fds = append(fds, f.Fd())
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

// Close ends the run: pid 1 sees the end of the socket and leaves, and the
// kernel kills everything in its namespace.
func (p *Process) Close() error { return p.control.Close() }
