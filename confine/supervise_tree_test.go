package confine_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine/confinetest"
	"confine/policy"
)

// Nothing that a command leaves behind lives on.
func TestSuperviseLeftovers(t *testing.T) {
	for name, script := range map[string]string{
		"background child":       "sleep %s & echo started",
		"with its own session":   "setsid sleep %s & sleep 0.1; echo started",
		"daemon, forked twice":   "(setsid sh -c 'sleep %s & exit' &) ; sleep 0.1; echo started",
		"ignores every signal":   "(trap '' TERM INT HUP; sleep %s & wait) & sleep 0.1; echo started",
		"keeps standard output":  "sleep %s & echo started",
		"keeps both on the pipe": "(sleep %s 2>&1) & echo started >&2; echo started",
		"many":                   "m=%s; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep $m & done; echo started",
		"stopped":                "sleep %s & kill -STOP $!; echo started",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			word := marker()
			start := time.Now()
			out, report, err := sh(t, fmt.Sprintf(script, word)).Output()
			if err != nil || report.ExitCode != 0 || string(out) != "started\n" {
				t.Errorf("%v, exit code %d, output %q", err, report.ExitCode, out)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("the caller hung for %v", took)
			}
			noneLeft(t, word, 0)
		})
	}
}

func TestSuperviseLinger(t *testing.T) {
	for _, linger := range []bool{false, true} {
		c := sh(t, "(sleep 0.4; echo late > late; echo late) & echo early")
		c.Linger = linger
		out, report, err := c.Output()
		if err != nil || report.ExitCode != 0 {
			t.Fatalf("linger %v: %v, exit code %d", linger, err, report.ExitCode)
		}
		_, err = os.Stat(c.Policy.Workspace() + "/late")
		if want := linger; (err == nil) != want || strings.Contains(string(out), "late") != want {
			t.Errorf("linger %v: %v, output %q", linger, err, out)
		}
	}
}

func TestSuperviseWallClock(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		least  time.Duration
		most   time.Duration
		out    string
	}{
		"ends when asked":         {"trap 'echo asked; exit 9' TERM; sleep %s & wait", 0, 15 * time.Second, "asked\n"},
		"ignores being asked":     {"trap '' TERM; (trap '' TERM; sleep %s) ; sleep 1000", 1500 * time.Millisecond, 20 * time.Second, ""},
		"a tree that ignores it":  {"for i in 1 2 3; do setsid sh -c \"trap '' TERM INT; sleep %s\" & done; trap '' TERM; while :; do sleep 1; done", 1500 * time.Millisecond, 20 * time.Second, ""},
		"stopped":                 {"sleep %s & kill -STOP $$", 0, 20 * time.Second, ""},
		"writes without a reader": {"yes > /dev/null & sleep %s", 0, 15 * time.Second, ""},
		"over before":             {"true %s", 0, 10 * time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			word := marker()
			ws := confinetest.Dir(t)
			cmd := sh(t, fmt.Sprintf(c.script, word))
			cmd.Policy = confinetest.Resolve(t, policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: ws, Limits: policy.Limits{Wall: 300 * time.Millisecond}}, ws)
			start := time.Now()
			out, report, err := cmd.Output()
			took := time.Since(start)
			if err != nil || string(out) != c.out {
				t.Errorf("%v, output %q", err, out)
			}
			if name == "over before" {
				if report.ExitCode != 0 || report.Outcome != "success" {
					t.Errorf("exit code %d, outcome %s", report.ExitCode, report.Outcome)
				}
			} else if report.ExitCode != 124 || report.Outcome != "limit" || report.Limit != "wall clock" {
				t.Errorf("exit code %d, outcome %s, limit %q", report.ExitCode, report.Outcome, report.Limit)
			}
			if took < c.least || took > c.most {
				t.Errorf("took %v, expected %v to %v", took, c.least, c.most)
			}
			noneLeft(t, word, 0)
		})
	}
}

func TestSuperviseCancel(t *testing.T) {
	word := marker()
	ctx, cancel := context.WithCancel(t.Context())
	c := sh(t, "trap '' TERM INT; sleep "+word)
	time.AfterFunc(200*time.Millisecond, cancel)
	start := time.Now()
	report, _ := c.RunContext(ctx)
	if took := time.Since(start); took > 10*time.Second || report.Outcome == "success" {
		t.Errorf("after %v: outcome %s", took, report.Outcome)
	}
	noneLeft(t, word, 0)
}

// A supervisor that is killed takes its tree with it, at whatever moment.
func TestSuperviseKilled(t *testing.T) {
	word := marker()
	c := startCLI(t, "--mode", "workspace-write", "--", "/bin/sh", "-c", "trap '' TERM INT HUP; echo ready; setsid sleep "+word+" & sleep "+word)
	c.expect("ready")
	if !waitFor(5*time.Second, func() bool { return processes(word) >= 2 }) {
		t.Fatal("the tree did not start")
	}
	c.signal(unix.SIGKILL)
	noneLeft(t, word, time.Second)
	c.end(5 * time.Second)

	for i := range 25 { // in the middle of its launch
		word := marker()
		c := startCLI(t, "--", "sleep", word)
		time.Sleep(time.Duration(i) * time.Millisecond)
		c.signal(unix.SIGKILL)
		_, _ = c.Process.Wait()
		noneLeft(t, word, time.Second)
	}
}

func TestSupervisePid1Killed(t *testing.T) {
	word := marker()
	c := sh(t, "sleep "+word+" & sleep "+word)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if !waitFor(5*time.Second, func() bool { return processes(word) >= 2 }) {
		t.Fatal("the tree did not start")
	}
	killChildrenNamed(t, "confine-init")
	report, err := c.Wait()
	if err != nil || report.Outcome != "signaled" || report.ExitCode != 137 {
		t.Errorf("%v, outcome %s, exit code %d", err, report.Outcome, report.ExitCode)
	}
	noneLeft(t, word, 0)
}

// killChildrenNamed kills this process's children with a name.
func killChildrenNamed(t *testing.T, name string) {
	t.Helper()
	tasks, _ := os.ReadDir("/proc/self/task")
	killed := 0
	for _, task := range tasks {
		b, _ := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		for _, pid := range strings.Fields(string(b)) {
			comm, _ := os.ReadFile("/proc/" + pid + "/comm")
			if strings.TrimSpace(string(comm)) == name {
				_ = unix.Kill(number(pid), unix.SIGKILL)
				killed++
			}
		}
	}
	if killed != 1 {
		t.Errorf("%d children are called %s", killed, name)
	}
}

func TestSuperviseManyAtOnce(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 24 {
		c := sh(t, fmt.Sprintf("echo %d; exit %d", i, i))
		wg.Go(func() {
			out, report, err := c.Output()
			if err != nil || report.ExitCode != i || string(out) != fmt.Sprintln(i) {
				t.Errorf("run %d: %v, exit code %d, output %q", i, err, report.ExitCode, out)
			}
		})
	}
	wg.Wait()
}
