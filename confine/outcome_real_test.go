package confine_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"confine/classify"
	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// realCase is a command whose end is judged from what it really writes. Its
// words may hold placeholders: see realScene.
type realCase struct {
	name   string
	needs  string            // programs, separated by blanks
	files  map[string]string // below the scene's folder
	setup  string            // script that is run outside before
	given  func(s *realScene, d *policy.Defaults)
	script string   // for /bin/sh -c
	argv   []string // instead of script
	plain  bool     // without the recorder: the launcher executes argv itself
	exit   int      // the report's exit code, 128+n for a signal
	want   string   // summary of the report

	// The positive control. By default the command is run outside, where it
	// has to exit with 0 if it was denied, else as it did inside.
	outside   string                                 // another script to be run there
	widened   func(s *realScene, d *policy.Defaults) // instead: the command is run confined by this policy,
	freely    string                                 // with this summary; "" is "success", "*" all but a denial
	controlAs string                                 // only "root" or only the ordinary "user" can do outside what the control needs
	noOutside bool                                   // the end is known, or tells nothing: no control
	amd64     bool                                   // for this architecture only
}

func (c realCase) command(s *realScene) []string {
	if c.script != "" {
		return []string{"/bin/sh", "-c", s.fill(c.script)}
	}
	argv := slices.Clone(c.argv)
	for i := range argv {
		argv[i] = s.fill(argv[i])
	}
	return argv
}

// recorder executes a command whose stderr it copies to descriptor 3 as well.
const recorder = `exec "$@" 2> >(exec tee >(exec cat >&3) >&2) 3>&-`

// confined runs the case and checks that its stderr came through unchanged.
func (c realCase) confined(t *testing.T, s *realScene, given ...func(*realScene, *policy.Defaults)) (*confine.Report, string) {
	t.Helper()
	argv := c.command(s)
	if !c.plain {
		argv = append([]string{"/bin/bash", "-c", recorder, "recorder"}, argv...)
	}
	record, err := os.Create(s.dir + "/record")
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	var stderr bytes.Buffer
	cmd := confine.Command(s.policy(t, given...), argv[0], argv[1:]...)
	cmd.Stderr, cmd.Annotate, cmd.Linger = &stderr, true, true
	cmd.ExtraFiles = []*os.File{record}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	report, _ := cmd.RunContext(ctx) // its error is the outcome not-started
	written, err := os.ReadFile(record.Name())
	if err != nil {
		t.Fatal(err)
	}
	note := report.Annotation
	if note != "" && len(written) > 0 && written[len(written)-1] != '\n' {
		note = "\n" + note
	}
	if got, want := stderr.String(), string(written)+note; got != want {
		t.Errorf("stderr\n%q\nexpected what the command wrote and the annotation\n%q", got, want)
	}
	return report, string(written)
}

// summarize says in one line what a report says of the outcome: "failed", or
// "denied KIND WHAT WHERE, LAYER, CONFIDENCE"; then "; saw WHERE" for what was
// listed and did not decide.
func (s *realScene) summarize(r *confine.Report) string {
	text := string(r.Outcome)
	if r.Outcome == classify.Limit {
		text += " " + r.Limit
	}
	if d := r.Deciding; d != nil {
		where := d.Path + d.Host
		if where == "" {
			where = d.Errno
		}
		text += fmt.Sprintf(" %s %s %s", d.Kind, d.What, where)
		if d.Layer != "" {
			text += ", " + d.Layer
		}
		return s.blank(text + ", " + string(d.Confidence))
	}
	for _, d := range r.Denials {
		where := d.Path + d.Host
		if where == "" {
			where = d.Errno
		}
		text += fmt.Sprintf("; saw %s, %s", where, d.Confidence)
	}
	return s.blank(text)
}

func TestRealOutcomes(t *testing.T) {
	cases := slices.Concat(realFileDenials, realToolDenials, realNetworkDenials, realCallDenials, realFailures, realOtherEnds)
	if denials := slices.Concat(realFileDenials, realToolDenials, realNetworkDenials, realCallDenials); len(cases) < 60 || len(denials) < 40 {
		t.Errorf("%d cases, %d of them denials", len(cases), len(denials))
	}
	peers := openPeers(t)
	t.Run("case", func(t *testing.T) { // ends, and with it the peers, after the parallel cases
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				if c.amd64 && runtime.GOARCH != "amd64" {
					confinetest.Skip(t, "it makes calls of amd64")
				}
				for _, program := range strings.Fields(c.needs) {
					if lookReal(program) == "" {
						confinetest.Skip(t, program+" is not installed")
					}
				}
				c.test(t, peers)
			})
		}
	})
}

func (c realCase) test(t *testing.T, peers *realPeers) {
	s := newRealScene(t, c, peers)
	report, stderr := c.confined(t, s, c.given)
	if got := s.summarize(report); got != c.want || report.ExitCode != c.exit {
		t.Errorf("exit code %d, expected %d\n got %q\nwant %q\nstderr:\n%s%s", report.ExitCode, c.exit, got, c.want, s.blank(stderr), report.Annotation)
	}
	if denied := report.Outcome == classify.Denied; denied != strings.HasPrefix(report.Annotation, "confine: denied: ") {
		t.Errorf("outcome %s, annotation %q", report.Outcome, report.Annotation)
	}
	if report.Outcome == classify.Failed && report.Annotation != "" {
		t.Errorf("annotation of a failure: %q", report.Annotation)
	}
	c.control(t, newRealScene(t, c, peers), report)
}

// control shows that the sandbox made the difference, or that it made none.
func (c realCase) control(t *testing.T, s *realScene, report *confine.Report) {
	denied := report.Outcome == classify.Denied
	switch {
	case c.noOutside:
	case c.widened != nil:
		want := c.freely
		if want == "" {
			want = "success"
		}
		report, stderr := c.confined(t, s, c.given, c.widened)
		if got := s.summarize(report); got != want && (want != "*" || report.Outcome == classify.Denied) {
			t.Errorf("control: exit code %d\n got %q\nwant %q\nstderr:\n%s", report.ExitCode, got, want, s.blank(stderr))
		}
	case c.controlAs == "user" && os.Geteuid() == 0, c.controlAs == "root" && os.Geteuid() != 0:
	default:
		argv, want := c.command(s), report.ExitCode
		if c.outside != "" {
			argv = []string{"/bin/sh", "-c", s.fill(c.outside)}
		}
		if denied {
			want = 0
		}
		if code, out := s.outside(t, argv); code != want {
			t.Errorf("control: exit code %d outside, expected %d\n%s", code, want, s.blank(out))
		}
	}
}
