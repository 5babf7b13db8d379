package confine

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"confine/classify"
	"confine/confine/internal/launch"
)

// startUnconfined executes the command as it is: under danger-full-access no
// backend is asked anything.
func (r *run) startUnconfined() error {
	c := r.cmd
	r.report.Backend = BackendNone
	nothing := unconfined
	r.report.Enforced = &nothing
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = c.Dir, c.environ(), c.ExtraFiles
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	if c.JobControl {
		r.signals = forward() // the command is in this process's group: the terminal reaches both
	}
	launch.Unpin()
	if err := cmd.Start(); err != nil {
		var errno unix.Errno
		if errors.Is(err, exec.ErrNotFound) {
			err = unix.ENOENT
		} else if errors.As(err, &errno) {
			err = errno
		}
		return &LaunchError{Stage: "execute", Path: c.Args[0], Err: err}
	}
	r.unconfined = cmd
	return nil
}

func (r *run) waitUnconfined(ctx context.Context) error {
	done := make(chan error, 1)
	go func() { done <- r.unconfined.Wait() }()
	wall := newDeadline(r.cmd.Policy.Limits().Wall)
	defer wall.stop()
	cancel := ctx.Done()
	signalAll := func(s os.Signal) { _ = r.unconfined.Process.Signal(s) }
	for {
		select {
		case err := <-done:
			return r.finishUnconfined(err)
		case s := <-r.signals.channel():
			if s != os.Signal(unix.SIGINT) && s != os.Signal(unix.SIGQUIT) && s != os.Signal(unix.SIGCONT) && s != os.Signal(unix.SIGWINCH) {
				signalAll(s)
			}
		case <-wall.c:
			r.limit = "wall clock"
			wall.next(func() { signalAll(unix.SIGTERM) }, func() { signalAll(unix.SIGKILL) })
		case <-cancel:
			cancel = nil
			signalAll(unix.SIGKILL)
		}
	}
}

func (r *run) finishUnconfined(err error) error {
	state := r.unconfined.ProcessState
	if state == nil {
		return err
	}
	if ru, ok := state.SysUsage().(*syscall.Rusage); ok {
		r.report.Usage = Usage{UserMS: ru.Utime.Nano() / 1e6, SystemMS: ru.Stime.Nano() / 1e6, MaxRSSKB: ru.Maxrss}
	}
	res := classify.Result{Limit: r.limit, ExitCode: state.ExitCode()}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		res.Signal, res.ExitCode = int(ws.Signal()), 0
	}
	r.conclude(res, classify.Dialect{})
	r.release()
	return nil
}
