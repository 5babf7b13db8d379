package confine_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"confine/confine/confinetest"
)

// terminalIn opens a terminal in a fresh workspace, with $c the confine program.
func terminalIn(t *testing.T) (*confinetest.Terminal, string) {
	t.Helper()
	bin := confinetest.CLI(t)
	ws := confinetest.Dir(t)
	term := confinetest.OpenTerminal(t, ws)
	term.Line("c='" + bin + " --mode workspace-write --'; stty sane; clear")
	return term, ws
}

func TestTTYVim(t *testing.T) {
	confinetest.Require(t, "vim")
	t.Parallel()
	term, ws := terminalIn(t)
	term.Line("$c vim -u NONE -i NONE -n note.txt")
	term.WaitFor("~")
	term.Type("ihello from inside")
	term.Key("Escape")
	term.Resize(80, 20)
	time.Sleep(200 * time.Millisecond)
	term.Line(":set columns? lines?")
	term.WaitFor("columns=80")
	term.Key("Enter")
	term.Line(":wq")
	term.Usable()
	if b, err := os.ReadFile(ws + "/note.txt"); string(b) != "hello from inside\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}

func TestTTYVimSuspended(t *testing.T) {
	confinetest.Require(t, "vim")
	t.Parallel()
	term, ws := terminalIn(t)
	term.Line("$c vim -u NONE -i NONE -n note.txt")
	term.WaitFor("~")
	term.Type("ifirst")
	term.Key("Escape", "C-z")
	term.WaitFor("Stopped")
	term.Line("echo out\"side\"")
	term.Wait("outside")
	term.Line("fg")
	term.WaitFor("~")
	term.Type("a second")
	term.Key("Escape")
	term.Line(":wq")
	term.Usable()
	if b, err := os.ReadFile(ws + "/note.txt"); string(b) != "first second\n" {
		t.Errorf("the file is %q, %v", b, err)
	}
}

func TestTTYJobControlInside(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("PS1='in> ' $c env PS1='in> ' bash --norc --noprofile -i")
	term.Wait("in>")
	if strings.Contains(term.Screen(), "no job control") {
		t.Error("the shell inside has no job control")
	}
	term.Line("sleep 100")
	time.Sleep(300 * time.Millisecond)
	term.Key("C-z")
	term.WaitFor("Stopped")
	term.Line("clear; jobs")
	term.WaitFor("sleep 100")
	term.Line("clear; fg")
	term.WaitFor("sleep 100")
	time.Sleep(300 * time.Millisecond)
	term.Key("C-c")
	time.Sleep(200 * time.Millisecond)
	term.Line("echo status=$?")
	term.WaitFor("status=130")
	term.Line("sleep 100 & clear; jobs")
	term.WaitFor("Running")
	term.Line("kill %1; wait; clear; cat | cat")
	time.Sleep(300 * time.Millisecond)
	term.Line("echoed")
	term.Until("the line twice", func(s string) bool { return strings.Count(s, "echoed") == 2 })
	term.Key("C-d")
	term.Line("clear; exit 5")
	term.WaitFor("$")
	term.Line("echo status=$?")
	term.Wait("status=5")
	term.Usable()
}

func TestTTYInterrupt(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("$c sleep 100; echo status=$?")
	time.Sleep(500 * time.Millisecond)
	term.Key("C-c")
	// bash ends the whole list when a job died of SIGINT; ask again
	time.Sleep(300 * time.Millisecond)
	term.Line("echo asked=$?")
	term.WaitFor("=130")
	term.Usable()

	// a command that handles it goes on
	term.Line(`$c sh -c 'trap "echo caught" INT; echo ready; sleep 1; echo went on'`)
	term.Wait("ready")
	term.Key("C-c")
	term.WaitFor("caught")
	term.Wait("went on")
	term.Usable()
}

// A loop of the shell ends with the command that was interrupted.
func TestTTYInterruptEndsLoop(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("for i in 1 2 3 4; do echo round-$i; $c sleep 100; done; echo over")
	term.Wait("round-1")
	time.Sleep(500 * time.Millisecond)
	term.Key("C-c")
	time.Sleep(500 * time.Millisecond)
	term.Usable()
	if strings.Contains(term.Screen(), "round-2") {
		t.Error("the loop went on")
	}
	term.Line("clear; cat > loop.sh <<'X'\nfor i in 1 2 3; do echo turn-$i; " + "\"$@\"" + " sleep 100; done; echo over\nX")
	term.Line("clear; bash loop.sh $c")
	term.Wait("turn-1")
	time.Sleep(500 * time.Millisecond)
	term.Key("C-c")
	time.Sleep(500 * time.Millisecond)
	if strings.Contains(term.Screen(), "turn-2") {
		t.Error("the loop of a script went on")
	}
	term.Usable()
}

func TestTTYSuspendAndContinue(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line(`$c sh -c 'i=0; while [ $i -lt 1000 ]; do i=$((i+1)); echo n$i > count; sleep 0.05; done'`)
	time.Sleep(500 * time.Millisecond)
	term.Key("C-z")
	term.WaitFor("Stopped")
	term.Line("a=$(cat count); sleep 0.5; b=$(cat count); [ $a = $b ] && echo st\"ands\"")
	term.Wait("stands")
	term.Line("bg; sleep 0.3; a=$(cat count); sleep 0.5; b=$(cat count); [ $a = $b ] || echo ru\"ns\"")
	term.Wait("runs")
	term.Line("fg")
	time.Sleep(300 * time.Millisecond)
	term.Key("C-c")
	time.Sleep(300 * time.Millisecond)
	term.Line("echo status=$?")
	term.Wait("status=130")
	term.Usable()
}

func TestTTYQuit(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("ulimit -c 0; $c sleep 100")
	time.Sleep(500 * time.Millisecond)
	term.Key(`C-\`)
	time.Sleep(300 * time.Millisecond)
	term.Line("echo status=$?")
	term.Wait("status=131")
	term.Usable()
}

func TestTTYResize(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line(`$c sh -c 'trap "stty size" WINCH; stty size; while :; do sleep 0.1; done'`)
	term.Wait("30 100")
	term.Resize(77, 22)
	term.Wait("22 77")
	term.Key("C-c")
	term.Usable()
}

// In a pipeline the pager keeps the keyboard.
func TestTTYPager(t *testing.T) {
	confinetest.Require(t, "less")
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("$c seq 1 500 | less")
	term.Wait("20")
	term.Key("G")
	term.Wait("500")
	term.Key("q")
	term.Usable()

	term.Line("seq 1 500 | $c less") // less reads keys from /dev/tty
	term.Wait("20")
	term.Key("G")
	term.Wait("500")
	term.Key("q")
	term.Usable()
}

func TestTTYBackground(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("$c sh -c 'sleep 0.5; echo quiet > done' &")
	term.Line("clear; wait; cat done")
	term.Wait("quiet")
	term.Line("clear; $c sh -c 'read x; echo got-$x' &") // stopped by SIGTTIN
	term.Line("sleep 0.5; jobs")
	term.WaitFor("Stopped")
	term.Line("clear; fg")
	time.Sleep(300 * time.Millisecond)
	term.Line("answer")
	term.WaitFor("got-answer")
	term.Usable()
}

// The command has the terminal, and passwords are not echoed.
func TestTTYSettings(t *testing.T) {
	t.Parallel()
	term, _ := terminalIn(t)
	term.Line("clear; $c sh -c 'test -t 0 && test -t 1 && test -t 2 && echo termi\"nal\"'")
	term.Wait("terminal")
	term.Line("clear; $c bash -c 'read -s -p \"sec\"\"ret: \" x; echo; echo length=${#x}'")
	term.WaitFor("secret:")
	term.Line("hush")
	term.Wait("length=4")
	if strings.Contains(term.Screen(), "hush") {
		t.Error("the secret was echoed")
	}
	// killed while the terminal is raw: the shell's line editor repairs what it needs
	term.Line("$c sh -c 'stty raw -echo; kill -9 $$'")
	time.Sleep(500 * time.Millisecond)
	term.Line("stty sane; clear")
	term.Usable()
}
