package confinetest

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"confine/confine"
	"confine/policy"
)

// runTime bounds one confined act.
const runTime = 30 * time.Second

// Exe is the path of this test binary.
func Exe(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// Resolve resolves d for a process that starts in cwd.
func Resolve(t testing.TB, d policy.Defaults, cwd string) policy.Policy {
	t.Helper()
	p, err := TryResolve(t, d, cwd)
	if err != nil {
		t.Fatalf("resolve: %v", err)
	}
	return p
}

// TryResolve is Resolve for policies that may be refused. The policy also lets
// this binary perform acts: it is readable, and marked by its environment.
func TryResolve(t testing.TB, d policy.Defaults, cwd string) (policy.Policy, error) {
	t.Helper()
	h, err := confine.Host()
	if err != nil {
		t.Fatal(err)
	}
	h.Cwd = cwd
	d.Entries = append(slices.Clone(d.Entries), policy.Entry{Path: Exe(t), Access: policy.Read})
	d.Env.Set = maps.Clone(d.Env.Set)
	if d.Env.Set == nil {
		d.Env.Set = map[string]string{}
	}
	d.Env.Set[actEnv] = "1"
	return policy.Resolve(policy.Request{}, d, h, confine.FS())
}

// Command returns the confined command that performs an act.
func Command(t testing.TB, p policy.Policy, act string, args ...string) *confine.Cmd {
	t.Helper()
	c := confine.Command(p, Exe(t), append([]string{act}, args...)...)
	c.Stderr = os.Stderr
	return c
}

// Confined performs an act confined by p.
func Confined(t testing.TB, p policy.Policy, act string, args ...string) (Result, *confine.Report) {
	t.Helper()
	return Perform(t, Command(t, p, act, args...))
}

// Perform runs a Command and returns the act's result.
func Perform(t testing.TB, c *confine.Cmd) (Result, *confine.Report) {
	t.Helper()
	var out bytes.Buffer
	c.Stdout = &out
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	report, err := c.RunContext(ctx)
	if err != nil {
		t.Fatalf("run %q confined: %v", c.Args[1:], err)
	}
	r, err := parseResult(out.Bytes())
	if err != nil && report.Signal != 0 {
		return Result{Err: "killed by " + report.SignalName}, report
	}
	if err != nil {
		t.Fatalf("act %q confined: outcome %s, exit code %d, %s; output %q: %v", c.Args[1:], report.Outcome, report.ExitCode, report.Reason, out.Bytes(), err)
	}
	return r, report
}

// Unconfined performs an act as a plain child of this process: the positive control.
func Unconfined(t testing.TB, act string, args ...string) Result {
	t.Helper()
	return unconfined(t, nil, act, args)
}

// AsNamespaceRoot performs an act as root of fresh user, mount, pid and ipc
// namespaces: the positive control of what needs a capability there.
func AsNamespaceRoot(t testing.TB, act string, args ...string) Result {
	t.Helper()
	return unconfined(t, &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}},
	}, act, args)
}

func unconfined(t testing.TB, attr *syscall.SysProcAttr, act string, args []string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, Exe(t), append([]string{act}, args...)...)
	cmd.Env = append(os.Environ(), actEnv+"=1")
	cmd.SysProcAttr = attr
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("act %q outside: %v, output %q", act, err, out)
	}
	r, err := parseResult(out)
	if err != nil {
		t.Fatalf("act %q outside: %v, output %q", act, err, out)
	}
	return r
}
