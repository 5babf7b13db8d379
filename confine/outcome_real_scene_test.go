package confine_test

import (
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
	"strings"
	"syscall"
	"testing"
	"time"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

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
