package confine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
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

// realScene is a workspace, what lies outside of it, and a peer on the loopback
// interface. Placeholders: {dir}, and below it {ws} {out} {home}; {addr} and
// {port} of a web server; {closed}, a port where nobody listens.
type realScene struct {
	dir   string
	peers *realPeers
}

type realPeers struct{ addr, port, closed string }

func openPeers(t *testing.T) *realPeers {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/missing") {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, "{}")
	}))
	t.Cleanup(server.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, closed, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	addr := server.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	return &realPeers{addr: addr, port: port, closed: closed}
}

func (s *realScene) ws() string { return s.dir + "/ws" }

// fill replaces the placeholders.
func (s *realScene) fill(text string) string {
	return strings.NewReplacer("{dir}", s.dir, "{ws}", s.ws(), "{out}", s.dir+"/out", "{home}", s.dir+"/home",
		"{addr}", s.peers.addr, "{port}", s.peers.port, "{closed}", s.peers.closed).Replace(text)
}

// blank undoes fill, and replaces the random part of names.
func (s *realScene) blank(text string) string {
	text = regexp.MustCompile(`/sed[A-Za-z0-9]{6}\b`).ReplaceAllString(text, "/sedXXXXXX")
	text = regexp.MustCompile(`\.go\.[0-9]+`).ReplaceAllString(text, ".go.N")
	return strings.NewReplacer(s.ws(), "{ws}", s.dir+"/out", "{out}", s.dir+"/home", "{home}", s.dir, "{dir}").Replace(text)
}

const realPath = "/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

func (s *realScene) env() map[string]string {
	return map[string]string{
		"PATH": realPath, "HOME": s.dir + "/home", "LC_ALL": "C", "LANG": "C", "TERM": "dumb", "NO_COLOR": "1",
		"GOCACHE": goCache(), "GOPATH": s.ws() + "/go", "GOTOOLCHAIN": "local", "GOFLAGS": "-buildvcs=false",
		"npm_config_cache": s.ws() + "/.npm", "npm_config_update_notifier": "false", "npm_config_fund": "false", "npm_config_fetch_retries": "0",
		"GIT_TERMINAL_PROMPT": "0", "http_proxy": "", "https_proxy": "", "PYTHONDONTWRITEBYTECODE": "1",
	}
}

// goCache is where this user's compiled packages are kept, so that the standard
// library is not compiled for each case.
func goCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "/nonexistent"
	}
	return dir + "/go-build"
}

func newRealScene(t *testing.T, c realCase, peers *realPeers) *realScene {
	t.Helper()
	s := &realScene{dir: confinetest.Dir(t), peers: peers}
	files := map[string]string{
		"ws/file": "text\n", "ws/sub/file": "text\n", "ws/vendor/lib": "text\n", "ws/secret/key": "SECRET\n", "ws/token": "SECRET\n",
		"out/file": "outside\n", "out/dir/": "", "home/.ssh/id_rsa": "SECRET\n",
		"home/.config/go/telemetry/mode": "off\n", // else a child of go writes here for a while
		"home/.gitconfig":                "[user]\n\tname = T\n\temail = t@example.org\n[init]\n\tdefaultBranch = main\n",
	}
	confinetest.WriteTree(t, s.dir, files)
	for name, content := range c.files {
		confinetest.WriteTree(t, s.dir, map[string]string{name: s.fill(content)})
	}
	if c.setup != "" {
		if code, out := s.outside(t, []string{"/bin/sh", "-ec", s.fill(c.setup)}); code != 0 {
			t.Fatalf("set up: exit code %d: %s", code, out)
		}
	}
	return s
}

func (s *realScene) policy(t *testing.T, given ...func(*realScene, *policy.Defaults)) policy.Policy {
	t.Helper()
	host, err := confine.Host()
	if err != nil {
		t.Fatal(err)
	}
	host.Cwd, host.Home = s.ws(), s.dir+"/home"
	d := policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: s.ws(), Env: policy.EnvRules{Set: s.env()}, Entries: []policy.Entry{
		{Path: s.ws() + "/vendor", Access: policy.Read}, {Path: s.ws() + "/secret", Access: policy.Deny}, {Path: s.ws() + "/token", Access: policy.Deny},
	}}
	for _, change := range given {
		if change != nil {
			change(s, &d)
		}
	}
	p, err := policy.Resolve(policy.Request{}, d, host, confine.FS())
	if err != nil {
		t.Fatal(err)
	}
	return p
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

// outside runs argv unconfined and returns its exit code, 128+n for a signal.
func (s *realScene) outside(t *testing.T, argv []string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	if found := lookReal(argv[0]); found != "" {
		cmd.Path, cmd.Err = found, nil
	}
	cmd.Dir, cmd.WaitDelay = s.ws(), time.Second
	for name, value := range s.env() {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
			return 128 + int(status.Signal()), string(out)
		}
		return exit.ExitCode(), string(out)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		t.Fatalf("run %q outside: %v", argv, err)
	}
	return 0, string(out)
}

// lookReal finds a program in realPath.
func lookReal(name string) string {
	for _, dir := range filepath.SplitList(realPath) {
		if path, err := exec.LookPath(dir + "/" + name); err == nil && !strings.Contains(name, "/") {
			return path
		}
	}
	return ""
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

func (s *realScene) entry(access policy.Access, path string) policy.Entry {
	return policy.Entry{Path: s.fill(path), Access: access}
}

// The changes of policies that cases share.

func readOnly(_ *realScene, d *policy.Defaults) { d.Mode = policy.ReadOnly }

func loopback(_ *realScene, d *policy.Defaults) { d.Network = policy.ReachLoopback }

func allowAll(_ *realScene, d *policy.Defaults) { d.Network = policy.ReachAllowAll }

func baselineDeny(_ *realScene, d *policy.Defaults) { d.Baseline = policy.BaselineDeny }

func withGoCache(_ *realScene, d *policy.Defaults) {
	d.Entries = append(d.Entries, policy.Entry{Path: goCache(), Access: policy.Write, Optional: true})
}

// grant widens a policy by an entry.
func grant(access policy.Access, path string) func(*realScene, *policy.Defaults) {
	return func(s *realScene, d *policy.Defaults) { d.Entries = append(d.Entries, s.entry(access, path)) }
}
