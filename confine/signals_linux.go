package confine

import (
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine/internal/launch"
)

// killGrace is how long the tree has between SIGTERM and SIGKILL at a time limit.
const killGrace = 2 * time.Second

// forwarded are the signals that someone may send to confine and mean the
// command. SIGCONT is caught so that a stop of the job can be undone.
var forwarded = []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2,
	unix.SIGALRM, unix.SIGWINCH, unix.SIGCONT}

// forwarder catches signals meant for the command.
type forwarder struct {
	c     chan os.Signal
	asked int // SIGINT and SIGTERM so far
}

func forward() *forwarder {
	f := &forwarder{c: make(chan os.Signal, 32)}
	signal.Notify(f.c, forwarded...)
	// A reader of our output that goes away must not end us before the sweep and
	// the report: writing fails with EPIPE then, and the command sees the same.
	signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE)
	return f
}

func (f *forwarder) channel() <-chan os.Signal {
	if f == nil {
		return nil
	}
	return f.c
}

func (f *forwarder) stop() {
	if f != nil {
		signal.Stop(f.c)
	}
}

// forwardSignal passes a signal on. What ends a command goes to its whole
// group, as from a terminal; a second SIGINT or SIGTERM kills the tree.
func (r *run) forwardSignal(s os.Signal) {
	sig, ok := s.(unix.Signal)
	if !ok {
		return
	}
	group := 0
	switch sig {
	case unix.SIGINT, unix.SIGTERM:
		group = 1
		if r.signals.asked++; r.signals.asked > 1 {
			r.kill()
			return
		}
	case unix.SIGHUP, unix.SIGQUIT, unix.SIGCONT, unix.SIGWINCH:
		group = 1
	}
	r.send(launch.Message{Kind: launch.Signal, A: int(sig), B: group})
}

// deadline is a wall-clock limit: first a request to end, then the end.
type deadline struct {
	c     <-chan time.Time
	timer *time.Timer
	asked bool
}

func newDeadline(d time.Duration) *deadline {
	if d <= 0 {
		return &deadline{}
	}
	t := time.NewTimer(d)
	return &deadline{c: t.C, timer: t}
}

func (d *deadline) next(ask, end func()) {
	if d.asked {
		end()
		return
	}
	d.asked = true
	ask()
	d.timer.Reset(killGrace)
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
	}
}
