package classify

import (
	"flag"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the wanted outcomes of testdata/outcomes.txt")

// corpusJudge is the policy under which the corpus was recorded.
func corpusJudge(p string) (access, layer string, ok bool) {
	if !path.IsAbs(p) {
		p = path.Join("/srv/t/work", p)
	}
	p = path.Clean(p)
	for _, l := range [][3]string{ // deepest first
		{"/srv/t/work/repo/.git", "read", "layer read /srv/t/work/repo/.git (protected)"},
		{"/srv/t/work/.env", "deny", "layer deny /srv/t/work/.env (entry)"},
		{"/srv/t/secret", "deny", "layer deny /srv/t/secret (entry)"},
		{"/srv/t/work", "write", "layer write /srv/t/work (mode)"},
		{"/tmp", "write", "layer write /tmp (temp)"},
		{"/", "read", "layer read / (baseline)"},
	} {
		if p == l[0] || l[0] == "/" || strings.HasPrefix(p, l[0]+"/") {
			return l[1], l[2], true
		}
	}
	return "", "", false
}

type corpusCase struct {
	want, dialect, reach, command, stderr string
	exit                                  int
}

func corpus(t testing.TB) (header string, cases []corpusCase) {
	t.Helper()
	data, err := os.ReadFile("testdata/outcomes.txt")
	if err != nil {
		t.Fatal(err)
	}
	header, rest, _ := strings.Cut(string(data), "\n\n")
	for _, block := range strings.Split("\n"+rest, "\n=== ")[1:] {
		head, stderr, _ := strings.Cut(block, "\n")
		f := strings.SplitN(head, " | ", 5)
		if len(f) != 5 {
			t.Fatalf("malformed case header %q", head)
		}
		exit, err := strconv.Atoi(f[3])
		if err != nil {
			t.Fatalf("case %q: %v", head, err)
		}
		cases = append(cases, corpusCase{want: f[0], dialect: f[1], reach: f[2], exit: exit, command: f[4], stderr: stderr})
	}
	return header, cases
}

func (c corpusCase) dialectValue() Dialect {
	if c.dialect == "landlock" { // recorded without any grant below /tmp
		judge := func(p string) (access, layer string, ok bool) {
			if p == "/tmp" || strings.HasPrefix(p, "/tmp/") {
				return "deny", "layer deny / (baseline)", true
			}
			return corpusJudge(p)
		}
		return Landlock(judge, "workspace-write", c.reach)
	}
	return Namespace(corpusJudge, "workspace-write", c.reach)
}

// summary is an answer in the words of the corpus.
func summary(c Classification) string {
	if c.Deciding == nil {
		if c.Outcome == Failed {
			return fmt.Sprintf("%s (%s)", c.Outcome, c.Confidence)
		}
		return string(c.Outcome)
	}
	d := c.Deciding
	s := fmt.Sprintf("%s %s %s, %s", c.Outcome, d.Kind, d.What, d.Confidence)
	if where := d.Path + d.Host; where != "" {
		s += ", " + escapedText(where)
	}
	return s
}

func TestOutcomeCorpus(t *testing.T) {
	header, cases := corpus(t)
	if len(cases) < 200 {
		t.Fatalf("%d cases in the corpus, want at least 200", len(cases))
	}
	var rewritten strings.Builder
	rewritten.WriteString(header + "\n\n")
	for _, c := range cases {
		got := summary(Outcome(Result{ExitCode: c.exit, StderrTail: []byte(c.stderr)}, c.dialectValue()))
		if got != c.want && !*update {
			t.Errorf("%s %s\n%s got %q\nwant %q", c.dialect, c.command, c.stderr, got, c.want)
		}
		fmt.Fprintf(&rewritten, "=== %s | %s | %s | %d | %s\n%s\n", got, c.dialect, c.reach, c.exit, c.command, strings.TrimSuffix(c.stderr, "\n"))
	}
	if *update {
		if err := os.WriteFile("testdata/outcomes.txt", []byte(rewritten.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
