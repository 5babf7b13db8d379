package classify

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func FuzzOutcome(f *testing.F) {
	_, cases := corpus(f)
	for _, c := range cases {
		f.Add([]byte(c.stderr), c.exit, 0, c.dialect == "landlock", false)
	}
	for _, name := range hostileNames {
		f.Add([]byte("touch: cannot touch '/etc/"+name+"': Read-only file system"), 1, 6, false, true)
	}
	f.Fuzz(func(t *testing.T, stderr []byte, exit, signal int, landlock, truncated bool) {
		for _, d := range []Dialect{
			corpusCase{dialect: map[bool]string{true: "landlock"}[landlock], reach: "deny"}.dialectValue(),
			Bubblewrap(), Landrun().With(nil, "read-only", "loopback"), Seatbelt(), {},
		} {
			r := Result{StderrTail: stderr, ExitCode: exit, Signal: signal, StderrTruncated: truncated}
			checkClassification(t, r, Outcome(r, d))
		}
	})
}

func checkClassification(t *testing.T, r Result, c Classification) {
	t.Helper()
	if r.ExitCode == 0 && r.Signal == 0 && c.Outcome != Success {
		t.Errorf("exit 0 became %s", c.Outcome)
	}
	if (c.Outcome == Denied) != (c.Deciding != nil) || (c.Outcome == Denied) != (Violation(c) != nil) {
		t.Errorf("%s with deciding denial %v", c.Outcome, c.Deciding)
	}
	if c.Deciding != nil && (c.Deciding.Advisory || c.Deciding.Confidence == ConfidenceUnknown) {
		t.Errorf("decided by weak evidence: %+v", c.Deciding)
	}
	if len(c.Denials) > maxDenials {
		t.Errorf("%d denials", len(c.Denials))
	}
	for _, d := range c.Denials {
		for _, s := range []string{d.What, d.Path, d.Host, d.Layer, d.Line} {
			if !utf8.ValidString(s) {
				t.Errorf("%q is not UTF-8", s)
			}
		}
		if len(d.Line) > 512 {
			t.Errorf("line of %d bytes", len(d.Line))
		}
	}
	if _, err := json.Marshal(c); err != nil {
		t.Error(err)
	}
	out := AnnotateStderr(r.StderrTail, c, "read-only")
	rest, ok := strings.CutPrefix(string(out), string(r.StderrTail))
	if !ok {
		t.Errorf("stderr was changed")
	}
	if note := Annotation(c, "read-only"); note != "" {
		checkAnnotation(t, note)
		if !strings.HasSuffix(rest, note) {
			t.Errorf("added %q, want %q", rest, note)
		}
	}
}

// Tails built to be slow: the time must stay far below what a reader of the result would notice.
func TestOutcomeTimeIsBounded(t *testing.T) {
	const size = 256 << 10
	noise := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, size)
	for i := range random {
		random[i] = byte(noise.Uint32())
	}
	fill := func(s string) []byte { return []byte(strings.Repeat(s, size/len(s))) }
	for name, tail := range map[string][]byte{
		"random":           random,
		"NUL":              make([]byte, size),
		"one long line":    append(fill("x"), ": Permission denied"...),
		"newlines":         fill("\n"),
		"phrases":          fill("Permission denied "),
		"phrases, placed":  fill(": Permission denied"),
		"open quotes":      append(fill(" ‘"), ": Read-only file system"...),
		"shell quotes":     append(fill(" '"), ": Read-only file system"...),
		"dollar quotes":    append(fill(" $'"), ": Read-only file system"...),
		"double quotes":    append(fill(` "\`), ": Read-only file system"...),
		"colons":           append(fill(": "), "Read-only file system"...),
		"escapes":          fill("\x1b["),
		"terminal strings": fill("\x1b]"),
		"many lines":       fill("rm: cannot remove '/etc/x': Read-only file system\n"),
		"quoted after":     append([]byte("[Errno 30] Read-only file system: "), fill("'\\")...),
		"open, many lines": fill(strings.Repeat(" ‘", 2000) + ": Read-only file system\n"),
	} {
		t.Run(name, func(t *testing.T) {
			r := Result{ExitCode: 1, StderrTail: tail}
			start := time.Now()
			c := Outcome(r, judged())
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			} else {
				t.Log(took)
			}
			checkClassification(t, r, c)
		})
	}
}

func BenchmarkOutcome(b *testing.B) {
	r := Result{ExitCode: 1, StderrTail: []byte(strings.Repeat("compiling a file that is of no interest here\n", 1400) + erofsLine)}
	b.SetBytes(int64(len(r.StderrTail)))
	for b.Loop() {
		if c := Outcome(r, judged()); c.Outcome != Denied {
			b.Fatal(c.Outcome)
		}
	}
}
