package confinetest

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// OnTerminal performs an act unconfined in a session of its own whose
// controlling terminal, and standard input, is tty.
func OnTerminal(t testing.TB, tty *os.File, act string, args ...string) Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, Exe(t), append([]string{act}, args...)...)
	cmd.Env = append(os.Environ(), actEnv+"=1")
	cmd.Stdin, cmd.Stderr = tty, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("act %q on a terminal: %v, output %q", act, err, out)
	}
	r, err := parseResult(out)
	if err != nil {
		t.Fatalf("act %q on a terminal: %v, output %q", act, err, out)
	}
	return r
}
