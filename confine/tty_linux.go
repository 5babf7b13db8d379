package confine

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal is the controlling terminal of this process, where there is one and
// the process stands for the command in its shell's job.
//
// The command has a process group of its own. It gets the terminal at once when
// this process has it and both stdin and stdout are the terminal; otherwise
// (a pipeline, where another program may want the keyboard) only when it asks,
// by being stopped with SIGTTIN or SIGTTOU.
type terminal struct {
	file  *os.File
	group int  // this process's own
	lent  bool // the command's group is, as far as we know, in the foreground
}

// openTerminal returns nil where there is no controlling terminal.
func openTerminal(stdin io.Reader, stdout io.Writer) *terminal {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	t := &terminal{file: os.NewFile(uintptr(fd), "/dev/tty"), group: unix.Getpgrp()}
	in, _ := stdin.(*os.File)
	out, _ := stdout.(*os.File)
	if in != nil && out != nil && isTerminal(in) && isTerminal(out) {
		t.lent = t.mine()
	}
	return t
}

// mine reports whether this process's group is in the foreground.
func (t *terminal) mine() bool {
	group, err := unix.IoctlGetInt(int(t.file.Fd()), unix.TIOCGPGRP)
	return err == nil && group == t.group
}

// takeBack makes this process's group the foreground group again, if the
// command's had become it. A background process that changes this is stopped
// by SIGTTOU unless it ignores it (credentials(7)).
func (t *terminal) takeBack() {
	if t == nil || !t.lent {
		return
	}
	t.lent = false
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(t.file.Fd()), unix.TIOCSPGRP, t.group) // a terminal that hung up is no error
}

func (t *terminal) close() {
	if t != nil {
		t.file.Close()
	}
}

// stopSelf stops this process's group as a terminal would, so that the shell
// sees its job stopped, or for SIGSTOP, which no terminal sends, this process
// alone. It returns when the job goes on.
func stopSelf(sig unix.Signal) {
	if sig == unix.SIGSTOP {
		_ = unix.Kill(unix.Getpid(), unix.SIGSTOP)
		return
	}
	signal.Reset(syscall.SIGTSTP)
	_ = unix.Kill(0, unix.SIGTSTP)
}
