package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// load reads /p/policy.jsonc and the other files given as path and text.
func load(t *testing.T, text string, more ...string) (Defaults, error) {
	t.Helper()
	h, f := testHost()
	f.File("/p/policy.jsonc", text)
	for i := 0; i+1 < len(more); i += 2 {
		f.File(more[i], more[i+1])
	}
	h.Env = func(name string) string {
		return map[string]string{"CACHE": "/home/u/data", "ODD": "/home/u/a*b", "REL": "x"}[name]
	}
	return Load([]string{"/p/policy.jsonc"}, "", h, f)
}

func TestLoadMergesInOrder(t *testing.T) {
	d, err := load(t, `{
	  "version": 1, "extends": ["./base.jsonc"], "mode": "workspace-write", "workspace": "../home/u/repo",
	  "entries": [{"path": "${WORKSPACE}/src", "access": "deny"}],
	  "protect": {"add": [".envrc"], "drop": [".hg"]}, "hardening": true,
	  "env": {"pass": ["B"], "set": {"X": "${WORKSPACE}/x\\n", "Y": "$$1"}},
	  "limits": {"wall": "10m", "memory": "2GiB"},
	  "seccomp": {"deny": ["ptrace"]}, "classify": {"a": 1},
	}`, "/p/base.jsonc", `{
	  "version": 1, "mode": "read-only", "network": "loopback", "baseline": "deny", "hardening": false, "tmp": "none", "runtime": "none", "absent": "reserve",
	  "entries": [{"path": "~", "access": "read"}],
	  "protect": {"add": [".hg"]}, "env": {"pass": ["A"], "set": {"X": "1"}, "all": true},
	  "limits": {"memory": 1024, "processes": 5}, "seccomp": {"preset": "strict", "allow": ["bpf"]}, "code": {"b": [null]},
	}`)
	if err != nil {
		t.Fatal(err)
	}
	want := Defaults{
		Mode: WorkspaceWrite, Workspace: "/home/u/repo", Network: ReachLoopback, Baseline: BaselineDeny,
		Entries: []Entry{
			{Path: "/home/u", Access: Read, Source: "/p/base.jsonc:3:25"},
			{Path: "/home/u/repo/src", Access: Deny, Source: "/p/policy.jsonc:3:25"},
		},
		Tmp: TmpNone, Runtime: RuntimeNone, Absent: AbsentReserve,
		Protect: []string{".envrc"}, Unprotect: []string{".hg"},
		Env:      EnvRules{Pass: []string{"A", "B"}, Set: map[string]string{"X": `/home/u/repo/x\n`, "Y": "$1"}, All: true},
		Limits:   Limits{Wall: 10 * time.Minute, Memory: 2 << 30, Processes: 5},
		Seccomp:  SeccompRules{Preset: "strict", Allow: []string{"bpf"}, Deny: []string{"ptrace"}},
		Files:    []string{"/p/policy.jsonc", "/p/base.jsonc"},
		Classify: []Section{{JSON: []byte(`{"a": 1}`), File: "/p/policy.jsonc", Line: 7, Col: 49}},
		Code:     []Section{{JSON: []byte(`{"b": [null]}`), File: "/p/base.jsonc", Line: 5, Col: 107}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Error(diff)
	}
}

func TestExpansion(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{`~`, "/home/u"},
		{`~/x`, "/home/u/x"},
		{`$HOME/x`, "/home/u/x"},
		{`${CACHE}/x`, "/home/u/data/x"},
		{`${NONE:-~/y}/x`, "/home/u/y/x"},
		{`${NONE:-${CACHE}/z}`, "/home/u/data/z"},
		{`${ODD}`, "/home/u/a*b"},
		{`/a/\*\[b\]\\`, `/a/*[b]\`},
		{`/a/$$HOME`, "/a/$HOME"},
		{`x/../y/`, "/p/y"},
		{`./~`, "/p/~"},
		{`${NONE}`, `the variable "NONE" is not set; set it, or write ${NONE:-default}`},
		{`${REL}/x`, `"${REL}/x" gives the relative path "x/x"`},
		{`~root/x`, `only "~" and "~/" are expanded`},
		{`/a/$`, `a "$" without a name`},
		{`/a/${B`, "has no closing brace"},
		{`/a/${B-c}`, "is no variable"},
		{`/a\`, "ends in a backslash"},
		{`${GIT_DIR}`, "the workspace is not a git repository"},
		{"/a\u0000", "NUL"},
	} {
		d, err := load(t, fmt.Sprintf(`{"version": 1, "entries": [{"path": %q, "access": "read"}]}`, strings.ReplaceAll(test.path, "\x00", "\\u0000")))
		if strings.HasPrefix(test.path, "/a\x00") {
			d, err = load(t, `{"version": 1, "entries": [{"path": "/a\u0000", "access": "read"}]}`)
		}
		if err != nil {
			if !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "/p/policy.jsonc:1:37: ") {
				t.Errorf("%q: %v", test.path, err)
			}
			continue
		}
		if len(d.Entries) != 1 || d.Entries[0].Path != test.want {
			t.Errorf("%q is expanded to %v, want %q", test.path, d.Entries, test.want)
		}
	}
}

func TestExtends(t *testing.T) {
	for _, test := range []struct {
		name, text, want string
		more             []string
	}{
		{"unknown preset", `{"version":1,"extends":["gti"]}`, `/p/policy.jsonc:1:25: unknown preset "gti"; did you mean "git"?, or the path of a file`, nil},
		{"missing file", `{"version":1,"extends":["./x.jsonc"]}`, `/p/policy.jsonc:1:25: extend "./x.jsonc": read the policy file "/p/x.jsonc": it does not exist`, nil},
		{"itself", `{"version":1,"extends":["policy.jsonc"]}`, `in a cycle: /p/policy.jsonc -> /p/policy.jsonc`, nil},
		{"cycle over a link", `{"version":1,"extends":["./b.json"]}`, `in a cycle: /p/policy.jsonc -> /p/b.json -> /p/policy.jsonc`,
			[]string{"/p/b.json", `{"version":1,"extends":["./l.json"]}`}},
		{"bad base", `{"version":1,"extends":["./b.json"]}`, `/p/b.json:1:14: unknown key "x"`, []string{"/p/b.json", `{"version":1,"x":0}`}},
		{"workspace", `{"version":1,"extends":["${WORKSPACE}/b.json"]}`, `the variable "WORKSPACE" is not set`, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, f := testHost()
			f.File("/p/policy.jsonc", test.text).Symlink("/p/l.json", "policy.jsonc")
			for i := 0; i+1 < len(test.more); i += 2 {
				f.File(test.more[i], test.more[i+1])
			}
			_, err := Load([]string{"/p/policy.jsonc"}, "", h, f)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestLoadCountsEachFileOnce(t *testing.T) {
	h, f := testHost()
	f.File("/p/a.json", `{"version":1,"extends":["./c.json","go"]}`).File("/p/b.json", `{"version":1,"extends":["go","./c.json"]}`).
		File("/p/c.json", `{"version":1,"entries":[{"path":"/etc","access":"deny"}]}`)
	d, err := Load([]string{"/p/a.json", "/p/b.json", "/p/a.json"}, "", h, f)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[Entry]bool{}
	for _, e := range d.Entries {
		if seen[e] {
			t.Errorf("%v is there twice", e)
		}
		seen[e] = true
	}
}

func TestLoadReportsEverything(t *testing.T) {
	_, err := load(t, `{"version":1,"workspace":"$NO1","env":{"set":{"A":"$NO2"}},"entries":[{"path":"$NO3","access":"read"},{"path":"/ok","access":"deny"},{"path":"$NO4","access":"deny"}]}`)
	for _, name := range []string{"NO1", "NO2", "NO3", "NO4"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not reported: %v", name, err)
		}
	}
}

func TestGlobs(t *testing.T) {
	h, f := testHost()
	f.File("/home/u/repo/.env", "").File("/home/u/repo/a/b/.env", "").File("/home/u/repo/a/x[1].pem", "").
		File("/home/u/keys/k.pem", "").Symlink("/home/u/repo/a/link.pem", "/home/u/keys/k.pem").Symlink("/home/u/repo/a/up.pem", "../..").
		Symlink("/home/u/repo/a/out", "/home/u/keys").Bar("/home/u/repo/shut")
	for _, test := range []struct {
		path, access string
		want         []string
		problem      string
	}{
		{"${WORKSPACE}/**/.env", "deny", []string{"/home/u/repo/.env", "/home/u/repo/a/b/.env"}, ""},
		{"${WORKSPACE}/**/*.pem", "deny", []string{"/home/u/keys/k.pem", "/home/u/repo/a/x[1].pem"}, ""},
		{"${WORKSPACE}/**/*.pem", "read", []string{"/home/u/repo/a/x[1].pem"}, ""},
		{"${WORKSPACE}/{.env,none}", "deny", []string{"/home/u/repo/.env"}, ""},
		{`${WORKSPACE}/a/x\[*`, "deny", []string{"/home/u/repo/a/x[1].pem"}, ""},
		{"../home/u/repo/./*/b", "read", []string{"/home/u/repo/a/b"}, ""},
		{"${WORKSPACE}/**/*.key", "deny", nil, `/p.jsonc:1:37: deny "${WORKSPACE}/**/*.key": the glob matches nothing`},
		{"/nowhere/*", "read", nil, "the glob matches nothing"},
		{"${WORKSPACE}/[", "deny", nil, "is no valid glob"},
	} {
		f.File("/p.jsonc", fmt.Sprintf(`{"version": 1, "entries": [{"path": %q, "access": %q}]}`, test.path, test.access))
		d, err := Load([]string{"/p.jsonc"}, "/home/u/repo", h, f)
		if test.problem != "" {
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%s: %v", test.path, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		var got []string
		for _, e := range d.Entries {
			got = append(got, e.Path)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.path, diff)
		}
		if len(d.Notes) != 1 || !strings.Contains(d.Notes[0], "files created later are not covered") {
			t.Errorf("the notes are %q", d.Notes)
		}
	}
}

func TestGlobsAreBounded(t *testing.T) {
	h, f := testHost()
	for i := range 500 {
		for j := range 500 {
			f.File(fmt.Sprintf("/big/%d/%d", i, j), "")
		}
	}
	f.File("/p.jsonc", `{"version": 1, "entries": [{"path": "/big/**/x", "access": "deny"}]}`)
	if _, err := Load([]string{"/p.jsonc"}, "", h, f); !errors.Is(err, errGlobBudget) {
		t.Errorf("the error is %v", err)
	}
}

func TestPresetsResolve(t *testing.T) {
	for _, name := range Presets() {
		h, f := testHost()
		f.File("/p.jsonc", fmt.Sprintf(`{"version": 1, "mode": "workspace-write", "extends": [%q]}`, name))
		d, err := Load([]string{"/p.jsonc"}, "/home/u/repo", h, f)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := Resolve(Request{}, d, h, f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, e := range d.Entries {
			if e.Access == Write && (e.Path == "/home/u" || e.Path == "/home/u/.cache" || Contains("/home/u/.config", e.Path)) {
				t.Errorf("preset %s makes %q writable", name, e.Path)
			}
		}
		for _, variable := range d.Env.Pass {
			if strings.Contains(variable, "TOKEN") || strings.Contains(variable, "SECRET") || strings.Contains(variable, "PASSW") {
				t.Errorf("preset %s passes %s", name, variable)
			}
		}
	}
	h, f := testHost()
	f.File("/p.jsonc", string(Starter()))
	d, err := Load([]string{"/p.jsonc"}, "", h, f)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Resolve(Request{}, d, h, f); err != nil {
		t.Error(err)
	}
}
