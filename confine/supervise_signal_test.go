package confine_test

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine/confinetest"
)

// A signal sent to confine is one sent to the command.
func TestSuperviseForwardsSignals(t *testing.T) {
	for name, sig := range map[string]unix.Signal{"INT": unix.SIGINT, "TERM": unix.SIGTERM, "HUP": unix.SIGHUP, "QUIT": unix.SIGQUIT,
		"USR1": unix.SIGUSR1, "USR2": unix.SIGUSR2, "ALRM": unix.SIGALRM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startCLI(t, "--", "sh", "-c", "trap 'echo got; exit 9' "+name+"; echo ready; while :; do sleep 0.02; done")
			c.expect("ready")
			c.signal(sig)
			c.expect("got")
			if code := c.end(15 * time.Second); code != 9 {
				t.Errorf("exit code %d", code)
			}
		})
		t.Run(name+" untrapped", func(t *testing.T) {
			t.Parallel()
			c := startCLI(t, "--", "sh", "-c", "echo ready; exec sleep 1000")
			c.expect("ready")
			time.Sleep(50 * time.Millisecond)
			c.signal(sig)
			if code := c.end(15 * time.Second); code != 128+int(sig) {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// The second SIGINT kills what ignored the first.
func TestSuperviseSecondInterruptKills(t *testing.T) {
	for _, sig := range []unix.Signal{unix.SIGINT, unix.SIGTERM} {
		word := marker()
		c := startCLI(t, "--", "sh", "-c", "trap '' INT TERM; echo ready; while :; do sleep "+word+"; done")
		c.expect("ready")
		c.signal(sig)
		time.Sleep(300 * time.Millisecond)
		if unix.Kill(c.Process.Pid, 0) != nil || processes(word) == 0 {
			t.Fatalf("%s: the command did not get to ignore it", sig)
		}
		c.signal(sig)
		if code := c.end(10 * time.Second); code != 137 {
			t.Errorf("%s twice: exit code %d", sig, code)
		}
		noneLeft(t, word, 0)
	}
}

// What the caller ignores or blocks is neither the command's nor confine's.
func TestSuperviseInheritedDispositions(t *testing.T) {
	confinetest.Require(t, "env")
	script := "grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status; exit 7"
	for _, how := range []string{"--ignore-signal=CHLD", "--ignore-signal=PIPE", "--ignore-signal=CHLD,PIPE,INT,TERM,HUP", "--block-signal=CHLD,PIPE,USR1,TERM"} {
		cmd := command(t, "env", how, confinetest.CLI(t), "--", "sh", "-c", script)
		out, _ := cmd.Output()
		if code := cmd.ProcessState.ExitCode(); code != 7 {
			t.Errorf("%s: exit code %d", how, code)
		}
		for line := range strings.Lines(string(out)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":\t")
			if name != "SigCgt" && value != "0000000000000000" {
				t.Errorf("%s: the command has %s %s", how, name, value)
			}
		}
		if !strings.Contains(string(out), "SigIgn") {
			t.Errorf("%s: output %q", how, out)
		}
	}
	// a writer whose reader is gone dies of SIGPIPE
	cmd := command(t, "env", "--ignore-signal=PIPE", "sh", "-c", `"$0" -- sh -c 'yes; echo $? >&2' | head -1`, confinetest.CLI(t))
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil || time.Since(start) > 15*time.Second || !strings.HasPrefix(string(out), "y\n") {
		t.Errorf("a pipeline whose reader leaves: %v after %v, %q", err, time.Since(start), out)
	}
}

// A stopped command can be continued through confine.
func TestSuperviseContinue(t *testing.T) {
	c := startCLI(t, "--", "sh", "-c", "trap 'echo continued' CONT; echo ready; while :; do sleep 0.02; done")
	c.expect("ready")
	c.signal(unix.SIGCONT)
	c.expect("continued")
	c.signal(unix.SIGTERM)
	if code := c.end(15 * time.Second); code != 143 {
		t.Errorf("exit code %d", code)
	}
}
