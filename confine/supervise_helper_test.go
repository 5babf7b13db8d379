package confine_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// sh returns a confined shell that may write to its workspace.
func sh(t *testing.T, script string) *confine.Cmd {
	t.Helper()
	ws := confinetest.Dir(t)
	return confine.Command(confinetest.Resolve(t, policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: ws}, ws), "/bin/sh", "-c", script)
}

// run runs c and fails the test when it takes longer than it may.
func run(t *testing.T, c *confine.Cmd, most time.Duration) *confine.Report {
	t.Helper()
	start := time.Now()
	report, err := c.Run()
	if err != nil {
		t.Fatalf("run: %v", err)
	}
	if took := time.Since(start); took > most {
		t.Errorf("took %v, more than %v", took, most)
	}
	return report
}

// cli is a running confine program.
type cli struct {
	*exec.Cmd
	t        *testing.T
	out      *bufio.Reader
	err      bytes.Buffer
	finished chan error
}

// startCLI starts the program in a fresh folder; args are those after its name.
func startCLI(t *testing.T, args ...string) *cli {
	t.Helper()
	c := &cli{Cmd: exec.Command(confinetest.CLI(t), args...), t: t, finished: make(chan error, 1)}
	c.Dir = confinetest.Dir(t)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = &c.err
	c.out = bufio.NewReader(stdout)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// expect reads a line.
func (c *cli) expect(line string) {
	c.t.Helper()
	got, err := c.out.ReadString('\n')
	if err != nil || strings.TrimSpace(got) != line {
		c.t.Fatalf("read %q, %v, expected %q; stderr %q", got, err, line, c.err.String())
	}
}

func (c *cli) signal(sig unix.Signal) {
	c.t.Helper()
	if err := c.Process.Signal(sig); err != nil {
		c.t.Fatal(err)
	}
}

// end waits for the program and returns its exit code.
func (c *cli) end(most time.Duration) int {
	c.t.Helper()
	go func() { c.finished <- c.Wait() }()
	select {
	case <-c.finished:
	case <-time.After(most):
		_ = c.Process.Kill()
		c.t.Fatalf("still running after %v", most)
	}
	return c.ProcessState.ExitCode()
}

// command is exec.Command that is killed when the test or its time is over.
func command(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = confinetest.Dir(t)
	cmd.WaitDelay = time.Second
	return cmd
}

var markers atomic.Int64

// marker returns a word that no other process has in its command line, for
// "sleep $marker": seconds that never pass in a test.
func marker() string { return fmt.Sprintf("9%06d%d", os.Getpid()%1000000, 100+markers.Add(1)) }

// processes counts those with word as an argument.
func processes(word string) (n int) {
	list, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range list {
		b, _ := os.ReadFile(path)
		for _, arg := range bytes.Split(b, []byte{0}) {
			if string(arg) == word {
				n++
				break
			}
		}
	}
	return n
}

// waitFor polls until ok or most has passed.
func waitFor(most time.Duration, ok func() bool) bool {
	for end := time.Now().Add(most); ; time.Sleep(5 * time.Millisecond) {
		if ok() {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

func noneLeft(t *testing.T, word string, most time.Duration) {
	t.Helper()
	if !waitFor(most, func() bool { return processes(word) == 0 }) {
		t.Errorf("%d processes are left %v after the end", processes(word), most)
	}
}
