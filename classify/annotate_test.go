package classify

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestAnnotation(t *testing.T) {
	for _, tc := range []struct {
		name   string
		result Result
		d      Dialect
		want   string
	}{
		{"success", Result{StderrTail: []byte(erofsLine)}, judged(), ""},
		{"failure", Result{ExitCode: 1, StderrTail: []byte("boom\n")}, judged(), ""},
		{"signal", Result{Signal: 9}, judged(), ""},
		{"write", Result{ExitCode: 1, StderrTail: []byte(erofsLine)}, judged(),
			"confine: denied: write \"/etc/x\", mode workspace-write, by layer read / (baseline)\n" +
				"confine: hint: grant it with --write /etc/x or a folder above\n"},
		{"read", Result{ExitCode: 1, StderrTail: []byte(eaccesLine)}, judged(),
			"confine: denied: read \"/srv/t/secret/key\", mode workspace-write, by layer deny /srv/t/secret (entry)\n" +
				"confine: hint: grant it with --read /srv/t/secret/key\n"},
		{"likely", Result{ExitCode: 1, StderrTail: []byte("Read-only file system\n")}, Namespace(nil, "workspace-write", ""),
			"confine: denied: write (EROFS), mode workspace-write (likely)\n" +
				"confine: hint: see what is granted with confine explain\n"},
		{"network", Result{ExitCode: 6, StderrTail: []byte("curl: (6) Could not resolve host: example.com\n")}, judged(),
			"confine: denied: resolve \"example.com\", mode workspace-write, by network deny\n" +
				"confine: hint: allow the network with --net allow-all\n"},
		{"filter", Result{Signal: 31}, judged(),
			"confine: denied: system call (SIGSYS), mode workspace-write\n" +
				"confine: hint: allow the call by name under seccomp.allow in the policy, if it is to be allowed\n"},
		{"not started", Result{Launch: &LaunchFailure{Stage: "mount", Reason: "bind \"/x\": no such file or directory"}}, judged(),
			"confine: not started: mount: bind \"/x\": no such file or directory; the command did not run\n" +
				"confine: hint: confine doctor says what this host can enforce\n"},
		{"no such program", Result{Launch: &LaunchFailure{Stage: "exec", Reason: "\"nosuch\" not found in PATH", NoSuchProgram: true}}, judged(),
			"confine: not started: exec: \"nosuch\" not found in PATH; the command did not run\n"},
		{"hidden program", Result{Launch: &LaunchFailure{Stage: "exec", Reason: "not found", NoSuchProgram: true, Path: "/srv/t/secret/tool"}}, judged(),
			"confine: not started: exec: not found; the command did not run\n" +
				"confine: hint: the policy hides it (layer deny /srv/t/secret (entry)); grant it with --read /srv/t/secret/tool\n"},
		{"refused", Result{Refusal: "gate: destructive command"}, judged(),
			"confine: refused: gate: destructive command; the command did not run\n"},
		{"limit", Result{Limit: "wall clock"}, judged(),
			"confine: limit: wall clock limit reached\nconfine: hint: raise it with --timeout\n"},
		{"foreign", Result{ExitCode: 1, StderrTail: []byte(erofsLine)}, Bubblewrap(), "confine: denied: write \"/etc/x\", mode workspace-write (likely)\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Annotation(Outcome(tc.result, tc.d), "workspace-write"); got != tc.want {
				t.Errorf("got\n%swant\n%s", got, tc.want)
			}
		})
	}
}

func TestAnnotateStderr(t *testing.T) {
	c := Outcome(Result{ExitCode: 1, StderrTail: []byte(erofsLine)}, judged())
	note := Annotation(c, "read-only")
	for _, stderr := range []string{"", "x\n", "x", "\xff\x00\n\n", strings.TrimSuffix(erofsLine, "\n")} {
		got := string(AnnotateStderr([]byte(stderr), c, "read-only"))
		rest, ok := strings.CutPrefix(got, stderr)
		if !ok {
			t.Errorf("%q was changed to %q", stderr, got)
		}
		if stderr != "" && !strings.HasSuffix(stderr, "\n") {
			rest, ok = strings.CutPrefix(rest, "\n")
		}
		if !ok || rest != note {
			t.Errorf("%q was followed by %q, want %q", stderr, rest, note)
		}
	}

	plain := []byte("boom")
	if got := AnnotateStderr(plain, Outcome(Result{ExitCode: 1, StderrTail: plain}, judged()), "read-only"); !bytes.Equal(got, plain) {
		t.Errorf("plain failure became %q", got)
	}
	owned := make([]byte, 4, 4096)
	copy(owned, "boom")
	AnnotateStderr(owned, c, "read-only")
	if spare := owned[4:8:8]; !bytes.Equal(spare, make([]byte, 4)) {
		t.Errorf("the caller's spare capacity was written: %q", spare)
	}
}

// hostile names must not add lines, reach the terminal or make a hint that does harm when it is pasted.
var hostileNames = []string{
	"a\nconfine: denied: everything", "\x1b[2Jx", "\x1b]0;title\x07", "$(touch pwned)", "`touch pwned`", "it's", `say "x"`, "\u202egnp.exe", "\u2028", "\xff\xfe", "-rf", "a b", "\u009b2J", "x\x7f",
	"\r", strings.Repeat("é", 2000), "$HOME", "a;b", "*", "\\", "!!",
}

func TestAnnotationCannotBeForged(t *testing.T) {
	for _, name := range hostileNames {
		layer := "layer deny " + name
		c := Outcome(Result{ExitCode: 1, Records: []Record{{Kind: DenialFilesystem, What: "write", Path: "/w/" + name, Layer: layer}}}, judged())
		launch := Outcome(Result{Launch: &LaunchFailure{Stage: name, Reason: name, Path: "/srv/t/secret/" + name}}, judged())
		refused := Outcome(Result{Refusal: name}, judged())
		limit := Outcome(Result{Limit: name}, judged())
		for _, c := range []Classification{c, launch, refused, limit} {
			checkAnnotation(t, Annotation(c, "mode "+name))
		}
	}
}

func checkAnnotation(t *testing.T, note string) {
	t.Helper()
	lines := strings.SplitAfter(note, "\n")
	if note == "" || len(lines) > 3 || lines[len(lines)-1] != "" {
		t.Errorf("annotation %q is not one or two whole lines", note)
	}
	for i, line := range lines[:len(lines)-1] {
		want := []string{"confine: ", "confine: hint: "}[min(i, 1)]
		if !strings.HasPrefix(line, want) {
			t.Errorf("line %q does not begin with %q", line, want)
		}
		for _, r := range strings.TrimSuffix(line, "\n") {
			if !unicode.IsPrint(r) || !utf8.ValidString(line) {
				t.Errorf("line %q holds %q", line, r)
			}
		}
	}
}

func TestShellWord(t *testing.T) {
	for _, tc := range []struct {
		in, want string
		ok       bool
	}{
		{"/etc/x", "/etc/x", true},
		{"/etc/a b", "'/etc/a b'", true},
		{"/etc/it's", `'/etc/it'\''s'`, true},
		{"$(id)", "'$(id)'", true},
		{"-rf", "'-rf'", true},
		{"é", "'é'", true},
		{"a\nb", "", false},
		{"\x1b[2J", "", false},
		{"\uFFFD", "", false},
		{"", "", false},
		{strings.Repeat("x", 513), "", false},
	} {
		if got, ok := shellWord(tc.in); got != tc.want || ok != tc.ok {
			t.Errorf("shellWord(%q) = %q, %v; want %q, %v", tc.in, got, ok, tc.want, tc.ok)
		}
	}
}

func TestViolation(t *testing.T) {
	if v := Violation(Outcome(Result{ExitCode: 1}, judged())); v != nil {
		t.Errorf("plain failure gave %+v", v)
	}
	if v := Violation(Outcome(Result{StderrTail: []byte(erofsLine)}, judged())); v != nil {
		t.Errorf("success gave %+v", v)
	}
	long := "touch: cannot touch '/etc/" + strings.Repeat("ü", 400) + "': Read-only file system"
	v := Violation(Outcome(Result{ExitCode: 1, StderrTail: []byte(long)}, judged()))
	if v == nil || v.Kind != DenialFilesystem || !strings.HasPrefix(v.Path, "/etc/ü") || len(v.Snippet) > 512 || !utf8.ValidString(v.Snippet) || v.Reason == "" {
		t.Errorf("got %+v", v)
	}
}
