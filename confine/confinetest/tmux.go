package confinetest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Terminal is a shell in a real terminal, driven as a person would.
type Terminal struct {
	t      testing.TB
	dir    string // of the server's socket
	socket string
}

var terminals atomic.Int64

// OpenTerminal starts a tmux server of its own with one window in which bash
// runs in dir, without any configuration. It is gone with the test.
func OpenTerminal(t testing.TB, dir string) *Terminal {
	t.Helper()
	Require(t, "tmux", "bash")
	term := &Terminal{t: t, dir: t.TempDir(), socket: fmt.Sprintf("confinetest-%d-%d", os.Getpid(), terminals.Add(1))}
	cmd := term.command("new-session", "-d", "-x", "100", "-y", "30", "-c", dir, "env", "PS1=$ ", "TERM=screen", "HISTFILE=/dev/null", "LESSHISTFILE=-", "bash", "--norc", "--noprofile", "-i")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("start tmux: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the terminal shows:\n%s", term.Screen())
		}
		_ = term.command("kill-server").Run()
	})
	term.Wait("$")
	return term
}

func (term *Terminal) command(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-L", term.socket, "-f", "/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX_TMPDIR="+term.dir)
	return cmd
}

// Type types text as it is.
func (term *Terminal) Type(text string) {
	term.t.Helper()
	term.tmux("send-keys", "-l", "--", text)
}

// Key presses keys by their tmux names: "Enter", "C-c".
func (term *Terminal) Key(names ...string) {
	term.t.Helper()
	term.tmux(append([]string{"send-keys", "--"}, names...)...)
}

// Line types a line and presses Enter.
func (term *Terminal) Line(text string) {
	term.t.Helper()
	term.Type(text)
	term.Key("Enter")
}

// Resize changes the size of the window.
func (term *Terminal) Resize(columns, rows int) {
	term.t.Helper()
	term.tmux("resize-window", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows))
}

func (term *Terminal) tmux(args ...string) {
	term.t.Helper()
	if out, err := term.command(args...).CombinedOutput(); err != nil {
		term.t.Fatalf("tmux %q: %v: %s", args, err, out)
	}
}

// Screen returns what is seen, without trailing blanks.
func (term *Terminal) Screen() string {
	out, _ := term.command("capture-pane", "-p", "-J").Output()
	var lines []string
	for line := range strings.Lines(string(out)) {
		lines = append(lines, strings.TrimRight(line, " \n"))
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// screenTime bounds the wait for something to be seen.
const screenTime = 10 * time.Second

// Wait waits until a line that is exactly text is seen.
func (term *Terminal) Wait(text string) {
	term.t.Helper()
	term.Until(fmt.Sprintf("the line %q", text), func(screen string) bool {
		for line := range strings.Lines(screen) {
			if strings.TrimRight(line, "\n") == text {
				return true
			}
		}
		return false
	})
}

// WaitFor waits until text is seen anywhere.
func (term *Terminal) WaitFor(text string) {
	term.t.Helper()
	term.Until(fmt.Sprintf("%q", text), func(screen string) bool { return strings.Contains(screen, text) })
}

// Until waits until the screen is as wanted.
func (term *Terminal) Until(what string, ok func(screen string) bool) {
	term.t.Helper()
	for end := time.Now().Add(screenTime); !ok(term.Screen()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			term.t.Fatalf("waited %v for %s; the terminal shows:\n%s", screenTime, what, term.Screen())
		}
	}
}

// Usable checks that the shell has its terminal back: it answers, in the
// foreground, with the settings it had.
func (term *Terminal) Usable() {
	term.t.Helper()
	mark := fmt.Sprintf("usable-%d", terminals.Add(1))
	term.Line("echo " + mark[:7] + `"` + mark[7:] + `"`)
	term.Wait(mark)
	term.Line("stty -a | grep -c -w -e echo -e icanon -e isig; clear; ps -o stat= -p $$ | cut -c1-3; echo checked-" + `"` + mark + `"`)
	term.Wait("checked-" + mark)
	if screen := term.Screen(); !strings.Contains(screen, "Ss") {
		term.t.Errorf("the shell is not as it was:\n%s", screen)
	}
	term.Line("clear; stty -a | tr ' ;' '\\n\\n' | grep -x -c -e echo -e icanon -e isig -e icrnl -e onlcr -e opost")
	term.Wait("6")
	term.Line("clear")
}
