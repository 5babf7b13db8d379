package confine

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"confine/classify"
	"confine/confine/internal/launch"
	"confine/policy"
)

// run is one started Cmd.
type run struct {
	cmd        *Cmd
	report     *Report
	layers     policy.Layers
	streams    *streams
	tty        *terminal
	signals    *forwarder
	watch      *watcher
	proc       *launch.Process
	unconfined *exec.Cmd // under danger-full-access
	events     chan event
	programs   []string // where the program was looked for

	init     int           // pid of pid 1; 0 before it is known
	alone    bool          // the command ended and nothing else was left
	reaped   chan struct{} // closed when pid 1 was collected meanwhile; nil otherwise
	executed bool
	failure  *launch.Message
	status   *unix.WaitStatus
	limit    string
	canceled error
	killed   bool // by us
	began    time.Time
}

type event struct {
	message launch.Message
	err     error // the end of the control socket
}

func newRun(c *Cmd) *run {
	return &run{cmd: c, report: NewReport(c.Args), began: time.Now()}
}

// start launches the command. On an error the report is complete and nothing runs.
func (r *run) start() (err error) {
	defer func() {
		if err != nil {
			r.release()
			r.finishError(err)
		}
	}()
	c := r.cmd
	if len(c.Args) == 0 {
		return &LaunchError{Stage: "execute", Err: errors.New("no command given"), Hint: "name one after --"}
	}
	if err := c.Policy.Valid(); err != nil {
		return err
	}
	r.describe()
	if _, confining := c.Policy.Confining(); !confining {
		return r.startUnconfined()
	}
	r.layers = policy.GrantLayers(c.Policy)
	if c.JobControl {
		r.tty = openTerminal(c.Stdin, c.Stdout)
	}
	plan, err := compile(c.Policy, c, r.report.RunID)
	if err != nil {
		return err
	}
	defer plan.close()
	r.report.Enforced, r.report.EnvDropped = &plan.enforced, plan.env.Dropped
	r.programs = plan.plan.Exe
	if r.watch, err = newWatcher(plan.absent, r.report.RunID); err != nil {
		return err
	}
	if r.streams, err = openStreams(c); err != nil {
		return err
	}
	files, err := r.descriptors(plan)
	if err != nil {
		return err
	}
	if c.JobControl {
		r.signals = forward() // before the launch: a signal during it must not get lost
	}
	if r.proc, err = launch.Start(plan.plan, r.streams.files, files); err != nil {
		return &LaunchError{Stage: "start launcher", Err: err}
	}
	r.streams.closeTheirs()
	r.events = make(chan event, 8)
	go r.receive()
	return nil
}

// describe fills in what the report says about the policy.
func (r *run) describe() {
	p := r.cmd.Policy
	r.report.Backend, r.report.Mode, r.report.Network = BackendNamespace, p.Mode().String(), p.Network().String()
	r.report.Policy, r.report.Capped = &p, p.Capped()
	if r.report.Cwd = r.cmd.Dir; r.report.Cwd == "" {
		r.report.Cwd = p.Cwd()
	}
}

func (r *run) receive() {
	for {
		m, err := r.proc.Receive()
		r.events <- event{m, err}
		if err != nil {
			return
		}
	}
}

// wait supervises until the tree is dead and completes the report.
func (r *run) wait(ctx context.Context) error {
	if r.proc == nil {
		return r.waitUnconfined(ctx)
	}
	wall := newDeadline(r.cmd.Policy.Limits().Wall)
	defer wall.stop()
	done := ctx.Done()
	for open := true; open && !(r.alone && r.init != 0); { // the launcher may tell of pid 1 after pid 1 told its end
		select {
		case e := <-r.events:
			if open = e.err == nil; open {
				r.handle(e.message)
			} else if !errors.Is(e.err, io.EOF) {
				r.kill() // a message that cannot be read: fail closed
			}
		case s := <-r.signals.channel():
			r.forwardSignal(s)
		case <-r.watch.overrun():
			r.kill() // it plants again and again
		case <-wall.c:
			r.limit = "wall clock"
			wall.next(func() { r.send(launch.Message{Kind: launch.Signal, A: int(unix.SIGTERM), B: 1}) }, r.kill)
		case <-done:
			r.canceled, done = ctx.Err(), nil
			r.kill()
		}
	}
	r.reap()
	r.tty.takeBack()
	r.watch.sweep()
	patience := time.Duration(0)
	if r.killed || r.limit != "" {
		patience = killGrace
	}
	r.streams.drain(patience)
	err := r.finish()
	r.release()
	if r.reaped != nil {
		<-r.reaped // no zombie, also where nobody reaps orphans
	}
	return err
}

// handle obeys one message of the launcher.
func (r *run) handle(m launch.Message) {
	switch m.Kind {
	case launch.Init:
		if r.init = m.A; r.killed {
			r.kill()
		}
	case launch.Failed:
		if r.failure == nil {
			r.failure = &m
		}
	case launch.Executed:
		r.executed = true
	case launch.Exited:
		status := unix.WaitStatus(m.A)
		r.status, r.alone = &status, m.B == 1
		r.report.Usage = Usage{UserMS: m.User / 1000, SystemMS: m.System / 1000, MaxRSSKB: m.MaxRSS}
		r.report.Foreground = r.tty != nil && r.tty.lent
		if !r.cmd.Linger {
			return
		}
		r.tty.takeBack() // background children go on, without the terminal
	case launch.Stopped:
		r.stopped(unix.Signal(m.A))
	case launch.Restored:
		r.report.Restored = append(r.report.Restored, m.Path)
	}
}

// stopped passes a stop of the command on to this process's job, and goes on
// when the job does.
func (r *run) stopped(sig unix.Signal) {
	if !r.cmd.JobControl {
		return // a library's caller decides; SIGCONT goes to the command directly
	}
	asks := sig == unix.SIGTTIN || sig == unix.SIGTTOU
	had := r.tty != nil && r.tty.lent
	if r.tty == nil || !asks && !had {
		return // no terminal's doing: the command must not be able to stop this process and its group
	}
	if !asks || !r.tty.mine() {
		r.tty.takeBack()
		stopSelf(sig)
		// an orphaned group is not stopped by SIGTSTP; a stop that is under way takes effect here
		time.Sleep(20 * time.Millisecond)
	}
	if r.tty.mine() {
		r.tty.lent = true
		r.send(launch.Message{Kind: launch.TakeForeground})
	}
	r.send(launch.Message{Kind: launch.Signal, A: int(unix.SIGCONT), B: 1})
}

func (r *run) send(m launch.Message) { _ = r.proc.Send(m) } // pid 1 gone: its end is on its way to us

// kill ends the tree at once. Before pid 1 is known it is told by the end of our
// side of the socket, and killed when it makes itself known; what it says until
// then is still read, since it tells whether the command ran.
func (r *run) kill() {
	r.killed = true
	if r.init != 0 {
		_ = unix.Kill(r.init, unix.SIGKILL) // our child, not yet reaped: the pid is its own
		return
	}
	_ = r.proc.Hangup() // an error means that the other end is gone
}

// reap collects the launcher and pid 1. When pid 1 is gone, so is everything in
// its namespace; when it said that nothing else was left, it may take its
// namespaces down while the run is concluded.
func (r *run) reap() {
	collect(r.proc.Launcher)
	switch {
	case r.init == 0:
	case r.alone:
		r.reaped = make(chan struct{})
		go func() {
			collect(r.init)
			close(r.reaped)
		}()
	default:
		ru := collect(r.init)
		if r.status == nil {
			r.report.Usage = Usage{UserMS: ru.Utime.Nano() / 1e6, SystemMS: ru.Stime.Nano() / 1e6, MaxRSSKB: ru.Maxrss}
		}
	}
	_ = r.proc.Close()
}

// collect waits for the end of a child of this process.
func collect(pid int) (ru unix.Rusage) {
	for {
		if _, err := unix.Wait4(pid, nil, 0, &ru); err != unix.EINTR {
			return ru // ECHILD where this process ignores SIGCHLD: it has ended too
		}
	}
}

// release gives back everything this process holds for the run.
func (r *run) release() {
	r.signals.stop()
	r.watch.close()
	r.tty.close()
	if r.streams != nil {
		r.streams.closeTheirs()
		r.streams.closeOurs()
	}
}

// finish classifies the run and completes the report.
func (r *run) finish() error {
	if !r.executed {
		err := r.launchError()
		r.finishError(err)
		return err
	}
	res := classify.Result{Limit: r.limit, Records: r.watch.records()}
	res.StderrTail, res.StderrTruncated = r.streams.tail.end()
	switch {
	case r.status == nil: // pid 1 was killed: by us, or from outside
		res.Signal = int(unix.SIGKILL)
	case r.status.Signaled():
		res.Signal = int(r.status.Signal())
	default:
		res.ExitCode = r.status.ExitStatus()
	}
	r.conclude(res, classify.Namespace(judge(r.layers, r.report.Cwd), r.report.Mode, r.report.Network))
	return nil
}
