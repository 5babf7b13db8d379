package classify

import (
	"strings"
	"testing"
)

const (
	erofsLine  = "touch: cannot touch '/etc/x': Read-only file system\n"
	eaccesLine = "cat: /srv/t/secret/key: Permission denied\n"
)

func judged() Dialect { return Namespace(corpusJudge, "workspace-write", "deny") }

func TestOutcomeOrder(t *testing.T) {
	planted := Record{Kind: DenialFilesystem, What: "create protected name", Path: "/srv/t/work/.git", Layer: "protected", Undone: true}
	traced := Record{Kind: DenialFilesystem, What: "write", Path: "/etc/y", Errno: "EROFS"}
	launch := &LaunchFailure{Stage: "mount", Reason: "operation not permitted", Errno: "EPERM"}
	for _, tc := range []struct {
		name   string
		result Result
		d      Dialect
		want   string
	}{
		{"zero", Result{}, judged(), "success"},
		{"refusal before launch", Result{Refusal: "gate: rm -rf /", Launch: launch}, judged(), "refused"},
		{"launch before limit", Result{Launch: launch, Limit: "wall clock"}, judged(), "not-started"},
		{"no such program", Result{Launch: &LaunchFailure{Stage: "exec", Reason: "no such program", NoSuchProgram: true}}, judged(), "not-started"},
		{"limit before exit 0", Result{Limit: "output"}, judged(), "limit"},
		{"limit before text", Result{Limit: "memory", Signal: 9, StderrTail: []byte(erofsLine)}, judged(), "limit"},
		{"limit before records", Result{Limit: "memory", Signal: 9, Records: []Record{planted}}, judged(), "limit"},
		{"exit 0 before text", Result{StderrTail: []byte(erofsLine)}, judged(), "success"},
		{"exit 0 before a traced record", Result{Records: []Record{traced}}, judged(), "success"},
		{"undone record before exit 0", Result{Records: []Record{traced, planted}}, judged(), "denied filesystem create protected name, certain, /srv/t/work/.git"},
		{"SIGSYS needs no text", Result{Signal: 31}, judged(), "denied syscall system call, certain"},
		{"SIGSYS is 12 there", Result{Signal: 12}, Seatbelt(), "denied syscall system call, certain"},
		{"31 is another signal there", Result{Signal: 31}, Seatbelt(), "signaled"},
		{"SIGSYS without a backend", Result{Signal: 31}, Dialect{}, "signaled"},
		{"record before text", Result{ExitCode: 1, Records: []Record{traced}, StderrTail: []byte(eaccesLine)}, judged(), "denied filesystem write, certain, /etc/y"},
		{"record decides exit 126", Result{ExitCode: 126, Records: []Record{traced}}, judged(), "denied filesystem write, certain, /etc/y"},
		{"record decides a signal", Result{Signal: 15, Records: []Record{traced}}, judged(), "denied filesystem write, certain, /etc/y"},
		{"exit 2, path refused", Result{ExitCode: 2, StderrTail: []byte(erofsLine)}, judged(), "denied filesystem write, certain, /etc/x"},
		{"exit 2, no judge", Result{ExitCode: 2, StderrTail: []byte(erofsLine)}, Namespace(nil, "read-only", "deny"), "failed (unknown)"},
		{"exit 2, a relative name elsewhere", Result{ExitCode: 2, StderrTail: []byte("tar: x: Cannot open: Read-only file system\n")}, judged(), "denied filesystem write, likely, x"},
		{"exit 2, a relative name and ordinary permissions", Result{ExitCode: 2, StderrTail: []byte("tar: x: Cannot open: Permission denied\n")}, judged(), "failed (unknown)"},
		{"exit 2, no name", Result{ExitCode: 2, StderrTail: []byte("Read-only file system\n")}, judged(), "failed (unknown)"},
		{"exit 126", Result{ExitCode: 126, StderrTail: []byte(eaccesLine)}, judged(), "failed (unknown)"},
		{"exit 127", Result{ExitCode: 127, StderrTail: []byte(eaccesLine)}, judged(), "failed (unknown)"},
		{"exit 1, no judge", Result{ExitCode: 1, StderrTail: []byte(erofsLine)}, Namespace(nil, "read-only", "deny"), "denied filesystem write, likely, /etc/x"},
		{"terminated from outside after a refusal", Result{Signal: 15, StderrTail: []byte(eaccesLine)}, judged(), "signaled"},
		{"killed from outside", Result{Signal: 9}, judged(), "signaled"},
		{"aborted over a refusal", Result{Signal: 6, StderrTail: []byte(erofsLine)}, judged(), "denied filesystem write, certain, /etc/x"},
		{"plain failure", Result{ExitCode: 1, StderrTail: []byte("assertion failed\n")}, judged(), "failed (likely)"},
		{"silent failure, tail cut", Result{ExitCode: 1, StderrTruncated: true}, judged(), "failed (unknown)"},
		{"no backend", Result{ExitCode: 1, StderrTail: []byte(erofsLine)}, Dialect{}, "failed (likely)"},
		{"no confinement", Result{ExitCode: 1, StderrTail: []byte(erofsLine)}, Namespace(corpusJudge, "danger-full-access", "deny"), "failed (likely)"},
		{"certain before likely", Result{ExitCode: 1, StderrTail: []byte(eaccesLine + "Read-only file system\n")}, judged(), "denied filesystem read, certain, /srv/t/secret/key"},
		{"the last of equals", Result{ExitCode: 1, StderrTail: []byte(erofsLine + eaccesLine)}, judged(), "denied filesystem read, certain, /srv/t/secret/key"},
		{"a cut first line is no evidence", Result{ExitCode: 1, StderrTruncated: true, StderrTail: []byte("/etc/x: Read-only file system\nboom\n")}, judged(), "failed (unknown)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := summary(Outcome(tc.result, tc.d)); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// Denials are listed whatever the outcome, once each, and bounded.
func TestOutcomeListsDenials(t *testing.T) {
	c := Outcome(Result{StderrTail: []byte(erofsLine + erofsLine + eaccesLine), Records: []Record{{Kind: DenialProcess, What: "signal"}}}, judged())
	if c.Outcome != Success || c.Deciding != nil || len(c.Denials) != 3 {
		t.Fatalf("got %+v, want success with 3 denials", c)
	}
	if got := c.Denials[1]; got.Path != "/etc/x" || got.Layer != "layer read / (baseline)" || got.Errno != "EROFS" || got.Line != strings.TrimSpace(erofsLine) {
		t.Errorf("got %+v", got)
	}

	var many strings.Builder
	for i := range 100 {
		many.WriteString("rm: cannot remove '/etc/" + strings.Repeat("x", i+1) + "': Read-only file system\n")
	}
	c = Outcome(Result{ExitCode: 1, StderrTail: []byte(many.String())}, judged())
	if len(c.Denials) != 64 || c.MoreDenials != 36 || c.Outcome != Denied {
		t.Errorf("got %s with %d denials and %d more, want denied, 64 and 36", c.Outcome, len(c.Denials), c.MoreDenials)
	}
}

func TestOutcomeForeign(t *testing.T) {
	for _, tc := range []struct {
		name, stderr string
		exit         int
		d            Dialect
		want         string
	}{
		{"bwrap: no program", "bwrap: execvp nosuch: No such file or directory\n", 1, Bubblewrap(), "not-started"},
		{"bwrap: not executable", "bwrap: execvp /srv/t/work/f.txt: Permission denied\n", 1, Bubblewrap(), "not-started"},
		{"bwrap: no source", "bwrap: Can't find source path /nosuch: No such file or directory\n", 1, Bubblewrap(), "not-started"},
		{"bwrap: usage", "bwrap: Unknown option --foo\n", 1, Bubblewrap(), "not-started"},
		{"bwrap: another exit code", "bwrap: Unknown option --foo\n", 3, Bubblewrap(), "failed (likely)"},
		{"bwrap mentioned by a command that ran", "running tests\nbwrap: Unknown option --foo\n", 1, Bubblewrap(), "failed (likely)"},
		{"bwrap: preload noise", "ERROR: ld.so: object 'x.so' from LD_PRELOAD cannot be preloaded: ignored.\nbwrap: setting up uid map: Permission denied\n", 1, Bubblewrap(), "not-started"},
		{"bwrap's words under another backend", "bwrap: setting up uid map: Permission denied\n", 1, Landrun(), "denied filesystem access, likely"},
		{"bwrap: read-only", erofsLine, 1, Bubblewrap(), "denied filesystem write, likely, /etc/x"},
		{"bwrap: judged", erofsLine, 2, Bubblewrap().With(corpusJudge, "read-only", "deny"), "denied filesystem write, certain, /etc/x"},
		{"bwrap: reach unknown", "curl: (6) Could not resolve host: example.com\n", 6, Bubblewrap(), "failed (likely)"},
		{"bwrap: reach narrowed", "curl: (6) Could not resolve host: example.com\n", 6, Bubblewrap().With(nil, "", "deny"), "denied network resolve, certain, example.com"},
		{"landrun: no program", "[landrun:error] 2026/04/11 15:12:50 Failed to find binary: exec: \"x\": executable file not found in $PATH\n", 1, Landrun(), "not-started"},
		{"landrun: informed", "[landrun] 2026/04/11 15:12:50 Sandbox config: {}\n[landrun:error] 2026/04/11 15:12:50 permission denied\n", 1, Landrun(), "not-started"},
		{"landrun: an error that is none", "[landrun:error] 2026/04/11 15:12:50 No rules provided, applying default restrictive rules\n", 1, Landrun(), "failed (likely)"},
		{"landrun: denied", "touch: cannot touch '/etc/x': Permission denied\n", 1, Landrun(), "denied filesystem write, likely, /etc/x"},
		{"landrun does not say EROFS", erofsLine, 1, Landrun(), "failed (likely)"},
		{"seatbelt: nested", "sandbox-exec: sandbox_apply: Operation not permitted\n", 71, Seatbelt(), "not-started"},
		{"seatbelt: no program", "sandbox-exec: execvp() of 'x' failed: No such file or directory\n", 71, Seatbelt(), "not-started"},
		{"seatbelt: denied", "touch: /etc/x: Operation not permitted\n", 1, Seatbelt(), "denied filesystem write, likely, /etc/x"},
		{"seatbelt does not say EACCES", "cat: /etc/x: Permission denied\n", 1, Seatbelt(), "failed (likely)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := Outcome(Result{ExitCode: tc.exit, StderrTail: []byte(tc.stderr)}, tc.d)
			if got := summary(c); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if c.Hint != "" {
				t.Errorf("hint %q names our flags for a foreign backend", c.Hint)
			}
		})
	}
	c := Outcome(Result{ExitCode: 1, StderrTail: []byte("bwrap: execvp nosuch: No such file or directory\n")}, Bubblewrap())
	if c.Launch == nil || !c.Launch.NoSuchProgram || c.Launch.Stage != "exec" {
		t.Errorf("launch failure %+v, want no such program at exec", c.Launch)
	}
}
