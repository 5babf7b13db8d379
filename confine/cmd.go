package confine

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"time"

	"confine/policy"
)

// Cmd is a command to be run confined, in the manner of os/exec. It can be
// started once.
type Cmd struct {
	Policy policy.Policy
	Args   []string // Args[0] is the program: a path, or a name looked up in the target's PATH
	Dir    string   // working directory, absolute; "" is the policy's

	// Env is what the environment rules of the policy choose from; nil means
	// the environment of this process.
	Env []string

	// Stdin, Stdout and Stderr: nil is /dev/null. An *os.File is passed on as it
	// is, except that a Stderr which is no terminal goes through a pipe, since
	// its end is evidence for the outcome; so does Stdout where both are the
	// same file, which keeps their order. Folders are refused.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	// ExtraFiles become the target's descriptors 3, 4, … in order.
	ExtraFiles []*os.File
	// KeepFDs are descriptors of this process that keep their number in the target.
	KeepFDs []int

	// Linger waits for background children when the command has ended, instead
	// of killing them.
	Linger bool

	// JobControl makes this process stand for the command in its shell's job:
	// signals are forwarded, the terminal is handed over and taken back, stops
	// are passed on. For command-line wrappers only.
	JobControl bool

	// Annotate adds the report's annotation to Stderr after the command's own bytes.
	Annotate bool

	run *run
}

// Command returns a Cmd for the program name with arguments.
func Command(p policy.Policy, name string, arg ...string) *Cmd {
	return &Cmd{Policy: p, Args: append([]string{name}, arg...)}
}

// Run starts the command and waits. The report is never nil. The error is not
// nil exactly when nothing ran: *policy.Error, *UnavailableError, *LaunchError
// or an error of the operating system.
func (c *Cmd) Run() (*Report, error) { return c.RunContext(context.Background()) }

// RunContext is Run, and kills the whole tree when ctx ends.
func (c *Cmd) RunContext(ctx context.Context) (*Report, error) {
	if err := c.Start(); err != nil {
		return c.run.report, err
	}
	return c.WaitContext(ctx)
}

// Output runs the command and returns its standard output.
func (c *Cmd) Output() ([]byte, *Report, error) {
	var out bytes.Buffer
	c.Stdout = &out
	r, err := c.Run()
	return out.Bytes(), r, err
}

// Start starts the command. After an error nothing runs and Wait must not be called;
// Report has the report.
func (c *Cmd) Start() error {
	if c.run != nil {
		return errors.New("confine: already started")
	}
	c.run = newRun(c)
	return c.run.start()
}

// Wait waits until the command has ended and everything it started is dead.
func (c *Cmd) Wait() (*Report, error) { return c.WaitContext(context.Background()) }

// WaitContext is Wait, and kills the whole tree when ctx ends.
func (c *Cmd) WaitContext(ctx context.Context) (*Report, error) {
	if c.run == nil {
		return nil, errors.New("confine: not started")
	}
	err := c.run.wait(ctx)
	return c.run.report, err
}

// Report returns the report so far, complete after Wait or a failed Start.
func (c *Cmd) Report() *Report {
	if c.run == nil {
		return nil
	}
	return c.run.report
}

func (c *Cmd) environ() []string {
	if c.Env != nil {
		return c.Env
	}
	return os.Environ()
}

// NewReport returns the report of a run that has not begun: a fresh run id and
// the start time.
func NewReport(argv []string) *Report {
	return &Report{Version: ReportVersion, RunID: newRunID(), Argv: argv, Start: time.Now().UTC()}
}

func newRunID() string {
	var b [10]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return hex.EncodeToString(b[:])
}
