package classify

import (
	"context"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestShellsAgree puts random scripts to real shells, in which reboot and ls are functions and nothing else can be found. What a shell
// is seen to run must not be allowed.
func TestShellsAgree(t *testing.T) {
	tokens := []string{
		"ls", "reboot", "reboot", " ", " ", " ", "\n", "\n", ";", "\\", "\\\n", "'", `"`, "#", " #", "&&", "||", "|", "(", ")", "{ ", "; }", "$(", "`", "<<E\n", "\nE\n", "<<'E'\n", "<<-E\n", "\tE\n",
		"$'", `\'`, `\"`, "$", "if ", "; then ", "; fi", "! ", "time ", "[[ a ]]", "((1))", "((", "))", "${x:-", "}", "ls() ", "case a in a) ", ";; esac", "x=", "$x ", "{ls,", "<<<", "for x in a; do ", "; done", "eval ", "&", "~", "*", "é", "\r\n", "\t",
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, shell := range []string{"bash", "dash"} {
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("no %s here", shell)
			continue
		}
		runs, hits := 0, 0
		for begin := time.Now(); runs < 700 && time.Since(begin) < 4*time.Second; runs++ {
			var b strings.Builder
			for range 1 + rng.IntN(9) {
				b.WriteString(tokens[rng.IntN(len(tokens))])
			}
			script := b.String()
			v := Exec([]string{shell, "-c", script})
			if v.Capability == Critical || !strings.Contains(script, "reboot") || !runsReboot(t, path, script) {
				continue
			}
			hits++
			if v.Decision == Allow || v.Decision == AllowScoped {
				t.Errorf("%s runs reboot in %q, which is %s: %s", shell, script, v.Capability, v.Reason)
			}
		}
		t.Logf("%s: %d scripts; %d ran reboot and were not read as critical", shell, runs, hits)
	}
}

func runsReboot(t *testing.T, shell, script string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, shell, "-c", `exec 9>&1 >/dev/null 2>&1; eval "$1"`, "sh", "reboot() { echo REBOOTED >&9; }; ls() { :; }\n"+script)
	cmd.Env, cmd.Dir, cmd.WaitDelay = []string{"PATH=/nonexistent"}, t.TempDir(), time.Second
	out, _ := cmd.Output() // most random scripts fail
	return strings.Contains(string(out), "REBOOTED")
}
