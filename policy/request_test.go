package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRequest(t *testing.T) {
	got, err := ParseRequest([]byte(`{"mode": "read-only", "network": "deny", // narrower
	  "entries": [{"path": "/a/../b", "access": "deny", "optional": true}]}`))
	want := Request{Mode: ReadOnly, Network: ReachDeny, Entries: []Entry{{Path: "/b", Access: Deny, Optional: true, Source: "request:2:25"}}}
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	got, err = ParseWorkspaceRequest(".confine.jsonc", []byte(`{"version": 1, "entries": [{"path": "vendor", "access": "read"}, {"path": "${WORKSPACE}/x", "access": "deny"}]}`), "/w")
	if err != nil || len(got.Entries) != 2 || got.Entries[0].Path != "/w/vendor" || got.Entries[1].Path != "/w/x" {
		t.Errorf("%v, %v", got, err)
	}
}

var badRequests = []struct{ text, want string }{
	{`{"entries":[{"path":"/etc","access":"write"}]}`, `request:1:37: write "/etc": a request may only narrow`},
	{`{"entries":[{"path":"etc","access":"read"}]}`, `request:1:21: read "etc": the path "etc" is relative`},
	{`{"entries":[{"path":"","access":"read"}]}`, `request:1:13: the entry has no "path"`},
	{`{"cwd":"/"}`, `request:1:2: unknown key "cwd"`},
	{`{"session_mode":"danger-full-access"}`, `unknown key "session_mode"`},
	{`{"approval":{"approved":true}}`, `unknown key "approval"`},
	{`{"mode":"danger"}`, `unknown mode "danger"; did you mean "danger-full-access"?`},
	{`{"mode":"read-only","mode":"danger-full-access"}`, `duplicate key "mode"`},
	{`{"version":3}`, `version 3 is not known`},
	{`{"mode":2}`, `want a string, not a number`},
	{"{\"mode\":\"\xc3\"}", `not UTF-8`},
	{strings.Repeat("[", 2000), `nested`},
	{`"` + strings.Repeat("a", 1<<20) + `"`, `more than 1048576 bytes`},
}

func TestBadRequests(t *testing.T) {
	for _, test := range badRequests {
		got, err := ParseRequest([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.80s: got %v, want %s", test.text, err, test.want)
		}
		if diff := cmp.Diff(Request{}, got); diff != "" {
			t.Errorf("%.80s: something was used: %s", test.text, diff)
		}
	}
}

func TestRequestsAreCapped(t *testing.T) {
	h, f := testHost()
	d := Defaults{Mode: WorkspaceWrite, Network: ReachLoopback}
	for _, test := range []struct {
		name   string
		req    Request
		mode   Mode
		reach  Reach
		capped []Capping
	}{
		{"nothing", Request{}, WorkspaceWrite, ReachLoopback, nil},
		{"stricter", Request{Mode: ReadOnly, Network: ReachDeny}, ReadOnly, ReachDeny, nil},
		{"wider", Request{Mode: DangerFullAccess, Network: ReachAllowAll}, WorkspaceWrite, ReachLoopback,
			[]Capping{{"mode", "danger-full-access", "workspace-write"}, {"network", "allow-all", "loopback"}}},
		{"session is stricter", Request{SessionMode: ReadOnly, Mode: WorkspaceWrite}, ReadOnly, ReachLoopback,
			[]Capping{{"mode", "workspace-write", "read-only"}}},
		{"session is wider", Request{SessionMode: DangerFullAccess}, DangerFullAccess, ReachLoopback, nil},
		{"two requests", Request{Mode: WorkspaceWrite, Also: []Request{{Mode: ReadOnly, Network: ReachDeny}}}, ReadOnly, ReachDeny,
			[]Capping{{"mode", "workspace-write", "read-only"}}},
		{"an inner session does not count", Request{Also: []Request{{SessionMode: DangerFullAccess}}}, WorkspaceWrite, ReachLoopback, nil},
		{"approved", Request{Mode: ReadOnly, Approval: Approve(Grant{Mode: DangerFullAccess, Network: ReachAllowAll})}, DangerFullAccess, ReachAllowAll, nil},
	} {
		p, err := Resolve(test.req, d, h, f)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if p.Mode() != test.mode || p.Network() != test.reach {
			t.Errorf("%s: %s, %s; want %s, %s", test.name, p.Mode(), p.Network(), test.mode, test.reach)
		}
		if diff := cmp.Diff(test.capped, p.Capped()); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
}

func TestRequestEntriesOnlyNarrow(t *testing.T) {
	req := Request{
		Entries: []Entry{{Path: "/home/u/repo", Access: Read}, {Path: "/home/u/.ssh", Access: Read}, {Path: "/usr", Access: Deny}, {Path: "/usr/lib", Access: Read}},
		Also:    []Request{{Entries: []Entry{{Path: "/home/u/repo/src", Access: Deny}, {Path: "/usr/lib", Access: Deny}}}},
	}
	l := GrantLayers(resolve(t, req, Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/repo/src", Access: Write}}}))
	for path, want := range map[string]Access{
		"/home/u/repo": Read, "/home/u/repo/x": Read, "/home/u/repo/src/x": Deny, "/home/u/.ssh/id": Deny, "/usr/bin": Deny, "/usr/lib": Deny, "/etc": Read, "/tmp": Write,
	} {
		if got := l.AccessFor(path); got != want {
			t.Errorf("AccessFor(%q) = %s, want %s", path, got, want)
		}
	}
	h, f := testHost()
	_, err := Resolve(Request{Entries: []Entry{{Path: "/etc/passwd", Access: Write}}}, Defaults{}, h, f)
	if err == nil || !strings.Contains(err.Error(), `write "/etc/passwd": a request may only narrow`) {
		t.Errorf("a write entry in a request gave %v", err)
	}
}

func TestRequestDigest(t *testing.T) {
	base := Request{Mode: ReadOnly, Entries: []Entry{{Path: "/a", Access: Deny}}}
	same := base
	same.Cwd, same.SessionMode = "/x", WorkspaceWrite
	if same.Digest() != base.Digest() {
		t.Error("the host's fields change the digest")
	}
	for name, other := range map[string]Request{
		"mode":     {Entries: base.Entries},
		"network":  {Mode: ReadOnly, Network: ReachDeny, Entries: base.Entries},
		"access":   {Mode: ReadOnly, Entries: []Entry{{Path: "/a", Access: Read}}},
		"path":     {Mode: ReadOnly, Entries: []Entry{{Path: "/a\xff", Access: Deny}}},
		"bytes":    {Mode: ReadOnly, Entries: []Entry{{Path: "/a\xfe", Access: Deny}}},
		"optional": {Mode: ReadOnly, Entries: []Entry{{Path: "/a", Access: Deny, Optional: true}}},
		"also":     {Mode: ReadOnly, Entries: base.Entries, Also: []Request{{}}},
	} {
		if other.Digest() == base.Digest() || other.Digest() == "" {
			t.Errorf("another %s has the same digest", name)
		}
	}
	if (Request{Entries: []Entry{{Path: "/a\xff", Access: Deny}}}).Digest() == (Request{Entries: []Entry{{Path: "/a\xfe", Access: Deny}}}).Digest() {
		t.Error("bytes that are not UTF-8 do not count")
	}
}

// Whatever a request says, it widens nothing.
func FuzzRequest(f *testing.F) {
	for _, test := range badRequests {
		if len(test.text) < 4096 { // large seeds only slow the search down
			f.Add([]byte(test.text))
		}
	}
	f.Add([]byte(`{"mode":"read-only","entries":[{"path":"/home/u/repo","access":"read"},{"path":"/","access":"deny"}]}`))
	f.Add([]byte(`{"entries":[{"path":"/home/u/repo/src","access":"deny"},{"path":"/home/u/.ssh","access":"read","optional":true}]}`))
	h, tree := testHost()
	d := Defaults{Mode: WorkspaceWrite}
	base, err := Resolve(Request{}, d, h, tree)
	if err != nil {
		f.Fatal(err)
	}
	probes := []string{"/", "/etc/passwd", "/home/u/repo", "/home/u/repo/src/x", "/home/u/repo/.git", "/home/u/.ssh", "/tmp/x", "/run/docker.sock", "/proc/sys"}
	f.Fuzz(func(t *testing.T, text []byte) {
		req, err := ParseRequest(text)
		if err != nil {
			for _, problem := range flatten(err) {
				placed(t, problem, text)
			}
			return
		}
		if req.Cwd != "" || req.SessionMode != 0 || req.Approval != nil {
			t.Fatal("a document set what is the host's")
		}
		p, err := Resolve(req, d, h, tree)
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Errorf("the error is %T", err)
			}
			return
		}
		if p.Mode() > base.Mode() || p.Network() > base.Network() {
			t.Error("the request widened the mode or the reach")
		}
		for _, path := range probes {
			if p.Mode() == base.Mode() && GrantLayers(p).AccessFor(path) > GrantLayers(base).AccessFor(path) {
				t.Errorf("the request widened %q", path)
			}
		}
	})
}

// The largest request takes no longer than its size calls for.
func TestLargeRequest(t *testing.T) {
	const n = 30_000
	text := `{"entries":[` + strings.Repeat(`{"path":"/x","access":"deny"},`, n) + `]}`
	req, err := ParseRequest([]byte(text))
	if err != nil || len(req.Entries) != n {
		t.Fatalf("%d entries, %v", len(req.Entries), err)
	}
	if got := req.Entries[n-1].Source; got != "request:1:899991" {
		t.Errorf("the last entry is at %s", got)
	}
	long := strings.Repeat("k", 400_000)
	if _, err := ParseRequest([]byte(`{"` + long + `":[` + strings.Repeat("0,", 200_000) + `0]}`)); err == nil || !strings.HasPrefix(err.Error(), "request:1:2: unknown key") || len(err.Error()) > 300 {
		t.Errorf("a long key gave %.300v", err)
	}
}
