package confine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// litterPolicies have every reason a sandbox could find to create something.
func litterPolicies(ws string) map[string]policy.Defaults {
	absent := []policy.Entry{
		{Path: ws + "/absent/deep/denied", Access: policy.Deny, Optional: true}, {Path: ws + "/.env", Access: policy.Deny, Optional: true},
		{Path: ws + "/absent file", Access: policy.Read, Optional: true}, {Path: ws + "/optional", Access: policy.Write, Optional: true},
	}
	return map[string]policy.Defaults{
		"read-only":        {Mode: policy.ReadOnly, Entries: absent},
		"workspace-write":  {Mode: policy.WorkspaceWrite, Workspace: ws, Entries: absent},
		"baseline deny":    {Mode: policy.WorkspaceWrite, Workspace: ws, Baseline: policy.BaselineDeny, Entries: absent},
		"host tmp":         {Mode: policy.WorkspaceWrite, Workspace: ws, Tmp: policy.TmpHost, Entries: absent},
		"everything named": {Mode: policy.WorkspaceWrite, Workspace: ws, Protect: []string{".envrc", ".vscode", ".idea/tasks"}, Entries: absent},
	}
}

// No run leaves anything in the tree, and no synthetic name is seen inside.
func TestLitterTree(t *testing.T) {
	for _, base := range []string{"", "/tmp"} {
		ws := confinetest.Dir(t)
		if base != "" {
			ws = confinetest.DirIn(t, base)
		}
		confinetest.WriteTree(t, ws, map[string]string{"file": "text", "sub/file": "text"})
		confinetest.Unchanged(t, ws)
		for name, d := range litterPolicies(ws) {
			pol := confinetest.Resolve(t, d, ws)
			for what, script := range map[string]string{
				"success": "ls -a", "failure": "ls -a; exit 3", "killed": "ls -a; kill -9 $$", "denied": "ls -a; echo x > /etc/x", "slow": "ls -a; sleep 0.15",
			} {
				out, report, err := confine.Command(pol, "/bin/sh", "-c", script).Output()
				if d.Baseline == policy.BaselineDeny && base == "" && err != nil {
					t.Fatalf("%s, %s: %v", name, what, err)
				}
				if err != nil || string(out) != ".\n..\nfile\nsub\n" {
					t.Errorf("%s, %s: %v, outcome %s, inside: %q", name, what, err, report.Outcome, out)
				}
			}
			if _, err := confine.Command(pol, "/nonexistent/program").Run(); err == nil {
				t.Errorf("%s: a program that does not exist ran", name)
			}
		}
	}
}

// A supervisor that is killed leaves nothing either.
func TestLitterAfterKill(t *testing.T) {
	for i := range 8 {
		c := startCLI(t, "--mode", "workspace-write", "--deny", "absent/deep?", "--", "sh", "-c", "echo ready; sleep 100")
		if i%2 == 0 {
			c.expect("ready")
		}
		time.Sleep(time.Duration(i) * 10 * time.Millisecond)
		c.signal(unix.SIGKILL)
		_, _ = c.Process.Wait()
		if list, _ := os.ReadDir(c.Dir); len(list) != 0 {
			t.Errorf("left behind: %v", list)
		}
	}
}

// What is denied by being moved aside is kept, under a name that says so, and
// a second run in the same workspace at the same time does not mind.
func TestLitterMovedAside(t *testing.T) {
	ws := confinetest.Dir(t)
	pol := confinetest.Resolve(t, policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: ws}, ws)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			report, err := confine.Command(pol, "/bin/sh", "-c", fmt.Sprintf("sleep 0.%d; mkdir .hg && echo %d > .hg/who; sleep 0.2", i, i)).Run()
			if err != nil || report.ExitCode > 1 {
				t.Errorf("%v, exit code %d", err, report.ExitCode)
			}
		})
	}
	wg.Wait()
	if _, err := os.Lstat(ws + "/.hg"); err == nil {
		t.Error("the name is there")
	}
	aside, _ := filepath.Glob(ws + "/.hg.confine-*/who")
	if len(aside) == 0 {
		t.Error("what was created is gone")
	}
}

// A process that runs many commands keeps nothing of them.
func TestLitterSupervisor(t *testing.T) {
	ws := confinetest.Dir(t)
	pol := confinetest.Resolve(t, policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: ws}, ws)
	round := func() {
		for _, script := range []string{"true", "exit 1", "sleep 0.08; mkdir .hg", "kill -9 $$", "sleep 1000 & true"} {
			c := confine.Command(pol, "/bin/sh", "-c", script)
			c.Stdin = strings.NewReader("input")
			_, _, _ = c.Output()
		}
		_, _ = confine.Command(pol, "/nonexistent").Run()
		_, _ = confine.Command(policy.Policy{}, "/bin/true").Run()
	}
	round()
	before := supervisorHolds()
	for range 10 {
		round()
	}
	if !waitFor(3*time.Second, func() bool { return supervisorHolds().within(before) }) {
		t.Errorf("before: %+v; after: %+v", before, supervisorHolds())
	}
}

type holds struct{ descriptors, mounts, children, goroutines int }

func supervisorHolds() (h holds) {
	fds, _ := os.ReadDir("/proc/self/fd")
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	h.descriptors, h.mounts, h.goroutines = len(fds), bytes.Count(mounts, []byte("\n")), runtime.NumGoroutine()
	tasks, _ := filepath.Glob("/proc/self/task/*/children")
	for _, path := range tasks {
		b, _ := os.ReadFile(path)
		h.children += len(strings.Fields(string(b)))
	}
	return h
}

func (h holds) within(most holds) bool {
	return h.descriptors <= most.descriptors && h.mounts <= most.mounts && h.children <= most.children && h.goroutines <= most.goroutines
}

// The report cannot be forged: its file is not writable inside, whatever the
// policy, its descriptor is not there, and it is written on every way out.
func TestLitterReport(t *testing.T) {
	bin := confinetest.CLI(t)
	for name, c := range map[string]struct {
		args    []string
		outcome string
		code    int
	}{
		"success":     {[]string{"--", "true"}, "success", 0},
		"failed":      {[]string{"--", "sh", "-c", "exit 4"}, "failed", 4},
		"forged":      {[]string{"--mode", "workspace-write", "--", "sh", "-c", `echo '{"outcome":"success"}' > report.json; exit 5`}, "denied", 5},
		"replaced":    {[]string{"--mode", "workspace-write", "--", "sh", "-c", `rm -f report.json; ln -s /dev/null report.json; exit 6`}, "denied", 6},
		"not found":   {[]string{"--", "confinetest-nothing"}, "not-started", 127},
		"bad policy":  {[]string{"--deny", "relative/is/fine", "--read", "/nonexistent/confinetest", "--", "true"}, "not-started", 125},
		"killed":      {[]string{"--", "sh", "-c", "kill -9 $$"}, "signaled", 137},
		"limit":       {[]string{"--timeout", "200ms", "--", "sleep", "100"}, "limit", 124},
		"full access": {[]string{"--mode", "danger-full-access", "--", "sh", "-c", "exit 8"}, "failed", 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t, bin, append([]string{"--report", "report.json"}, c.args...)...)
			_ = cmd.Run()
			text, err := os.ReadFile(cmd.Dir + "/report.json")
			if err != nil {
				t.Fatal(err)
			}
			var report struct {
				Version  int
				Outcome  string
				ExitCode int `json:"exit_code"`
			}
			if err := json.Unmarshal(text, &report); err != nil {
				t.Fatalf("%v: %q", err, text)
			}
			if code := cmd.ProcessState.ExitCode(); report.Outcome != c.outcome || report.ExitCode != c.code || code != c.code || report.Version != confine.ReportVersion {
				t.Errorf("outcome %s, exit code %d (%d), expected %s, %d: %s", report.Outcome, report.ExitCode, code, c.outcome, c.code, text[:min(300, len(text))])
			}
			if list, _ := filepath.Glob(cmd.Dir + "/*"); len(list) != 1 {
				t.Errorf("left behind: %q", list)
			}
		})
	}

	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := command(t, bin, "--report-fd", "3", "--", "sh", "-c", `echo '{"outcome":"forged"}' >&3; ls /proc/$$/fd | wc -l; exit 3`)
	cmd.ExtraFiles = []*os.File{w}
	_ = cmd.Run()
	w.Close()
	var report struct{ Outcome string }
	if err := json.NewDecoder(r).Decode(&report); err != nil || report.Outcome == "forged" {
		t.Errorf("on a descriptor: %v, outcome %q", err, report.Outcome)
	}
}
