package policy

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testHost is an ordinary machine: a user with a repository.
func testHost() (Host, *MemFS) {
	f := NewMemFS("/usr/bin", "/usr/lib", "/proc/sys", "/sys/firmware", "/tmp", "/var/tmp", "/dev/shm", "/run/systemd/resolve",
		"/home/u/.ssh", "/home/u/repo/.git/hooks", "/home/u/repo/src", "/home/u/data", "/etc/ssl").
		Symlink("/bin", "usr/bin").Symlink("/lib", "usr/lib").Symlink("/var/run", "/run").
		File("/run/systemd/resolve/stub-resolv.conf", "").Symlink("/etc/resolv.conf", "../run/systemd/resolve/stub-resolv.conf").
		File("/etc/passwd", "").File("/home/u/.netrc", "").
		Node("/dev/null", KindDevice).Node("/run/docker.sock", KindSocket).Node("/srv/app.sock", KindSocket)
	return Host{Home: "/home/u", Cwd: "/home/u/repo", Sockets: []string{"/run/docker.sock", "/srv/app.sock"}}, f
}

// list prints layers one a line, without the system folders.
func list(l Layers) string {
	var b strings.Builder
	for _, layer := range l.All() {
		if Contains("/proc", layer.Path) || Contains("/dev", layer.Path) && layer.Path != "/dev/shm" || Contains("/sys", layer.Path) {
			continue
		}
		fmt.Fprintf(&b, "%s %s %s", layer.Access, layer.Origin, layer.Path)
		if layer.Private {
			b.WriteString(" private")
		}
		if layer.Absent {
			b.WriteString(" absent")
		}
		if layer.Symlink {
			b.WriteString(" symlink")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func resolve(t *testing.T, req Request, d Defaults) Policy {
	t.Helper()
	h, f := testHost()
	p, err := Resolve(req, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestLayersOfTheDefaults(t *testing.T) {
	want := `read baseline /
deny hardening /run
deny hardening /srv/app.sock
deny hardening /home/u/.netrc
deny hardening /home/u/.ssh
read hardening /run/systemd/resolve/stub-resolv.conf
`
	if diff := cmp.Diff(want, list(GrantLayers(resolve(t, Request{}, Defaults{})))); diff != "" {
		t.Error(diff)
	}
}

func TestLayersOfADenyBaseline(t *testing.T) {
	p := resolve(t, Request{}, Defaults{Mode: WorkspaceWrite, Baseline: BaselineDeny, Entries: []Entry{{Path: "/home/u/data", Access: Read}}})
	l := GrantLayers(p)
	expect(t, l, map[string]Access{
		"/": Deny, "/usr/bin/x": Read, "/etc/passwd": Read, "/etc/shadow": Deny, "/home/u": Deny, "/home/u/data": Read, "/home/u/repo": Write,
		"/run/systemd/resolve/stub-resolv.conf": Read, "/run/docker.sock": Deny, "/sys": Deny, "/proc": Write, "/dev/null": Write, "/dev": Read, "/tmp/x": Write,
	})
	want := map[string]string{"/bin": "usr/bin", "/lib": "usr/lib", "/etc/resolv.conf": "../run/systemd/resolve/stub-resolv.conf"}
	if diff := cmp.Diff(want, p.RuntimeLinks()); diff != "" {
		t.Error(diff)
	}
	p = resolve(t, Request{}, Defaults{Baseline: BaselineDeny, Runtime: RuntimeNone})
	expect(t, GrantLayers(p), map[string]Access{"/usr": Deny, "/etc/passwd": Deny, "/run/systemd/resolve/stub-resolv.conf": Deny})
}

func TestAnEntryThatClosesAFolderClosesWhatIsBuiltIn(t *testing.T) {
	deny := func(baseline Baseline, paths ...string) Layers {
		d := Defaults{Baseline: baseline}
		for _, p := range paths {
			d.Entries = append(d.Entries, Entry{Path: p, Access: Deny})
		}
		return GrantLayers(resolve(t, Request{}, d))
	}
	expect(t, deny(BaselineAllow, "/run"), map[string]Access{"/run/systemd/resolve/stub-resolv.conf": Deny})
	expect(t, deny(BaselineDeny, "/etc"), map[string]Access{"/etc/passwd": Deny, "/usr": Read})
	expect(t, deny(BaselineAllow, "/proc", "/dev"), map[string]Access{"/proc/sys": Deny, "/dev/null": Deny})
	expect(t, deny(BaselineAllow, "/"), map[string]Access{"/dev/null": Write, "/proc": Write, "/sys": Deny, "/etc": Deny})
}

func TestSystemFoldersStayUnderAGrantOfEverything(t *testing.T) {
	l := GrantLayers(resolve(t, Request{}, Defaults{Entries: []Entry{{Path: "/", Access: Write}}}))
	expect(t, l, map[string]Access{
		"/etc/x": Write, "/proc/sys/kernel": Read, "/sys/x": Read, "/sys/firmware/x": Deny, "/dev/sda": Read, "/dev/null": Write, "/run/docker.sock": Deny, "/srv/app.sock": Write,
		"/.git": Read, "/home/u/.ssh/id": Deny, "/home/u/.aws": Deny,
	})
	if at := l.Deciding("/proc/1/root"); !at.Private {
		t.Errorf("/proc is the host's: %+v", at)
	}
}

func TestHardening(t *testing.T) {
	h, f := testHost()
	f.Dir("/run/user/1000/bus").Symlink("/home/u/.docker", "/home/u/repo/dot").Dir("/home/u/repo/dot").Node("/home/u/repo/agent", KindSocket)
	h.RuntimeDir, h.SSHAuthSock = "/run/user/1000", "/home/u/repo/agent"
	layers := func(d Defaults) Layers {
		t.Helper()
		p, err := Resolve(Request{}, d, h, f)
		if err != nil {
			t.Fatal(err)
		}
		return GrantLayers(p)
	}
	home := Defaults{Mode: WorkspaceWrite, Workspace: "/home/u"}
	l := layers(home)
	expect(t, l, map[string]Access{
		"/run/user/1000/bus": Deny, "/home/u/repo/agent": Deny, "/home/u/repo/dot/config": Deny, "/home/u/.docker": Read, "/home/u/.kube/config": Deny,
		"/home/u/.config/gh/hosts.yml": Deny, "/home/u/.config/x": Write, "/var/run/docker.sock": Read,
	})
	if at, _ := l.At("/home/u/.docker"); !at.Symlink || at.Origin != OriginHardening {
		t.Errorf("the link is %+v", at)
	}
	home.NoHardening = true
	expect(t, layers(home), map[string]Access{"/run/docker.sock": Read, "/home/u/.kube": Write, "/home/u/.ssh": Read, "/srv/app.sock": Read})
	open := Defaults{Entries: []Entry{{Path: "/run/docker.sock", Access: Read}, {Path: "/home/u/.ssh", Access: Read}, {Path: "/srv/app.sock", Access: Write}}}
	expect(t, layers(open), map[string]Access{"/run/docker.sock": Read, "/home/u/.ssh/id": Read, "/srv/app.sock": Write, "/run/x": Deny})
}

func TestTemporaryFolders(t *testing.T) {
	for _, test := range []struct {
		mode  Mode
		tmp   Tmp
		want  Access
		priv  bool
		wrong bool
	}{
		{WorkspaceWrite, 0, Write, true, false}, {WorkspaceWrite, TmpNone, Read, false, false}, {WorkspaceWrite, TmpHost, Write, false, false},
		{ReadOnly, 0, Read, false, false}, {ReadOnly, TmpPrivate, Write, true, false}, {ReadOnly, TmpNone, Read, false, false}, {ReadOnly, TmpHost, 0, false, true},
	} {
		h, f := testHost()
		p, err := Resolve(Request{}, Defaults{Mode: test.mode, Tmp: test.tmp}, h, f)
		if (err != nil) != test.wrong {
			t.Errorf("%+v: %v", test, err)
		}
		for _, path := range []string{"/tmp", "/var/tmp"} {
			if at := GrantLayers(p).Deciding(path); err == nil && (at.Access != test.want || at.Private != test.priv) {
				t.Errorf("%+v: %+v", test, at)
			}
		}
	}
	// A request for a stricter mode is no reason to fail.
	p := resolve(t, Request{Mode: ReadOnly}, Defaults{Mode: WorkspaceWrite, Tmp: TmpHost})
	expect(t, GrantLayers(p), map[string]Access{"/tmp": Read})
	// What is granted below a private folder is the host's.
	h, f := testHost()
	f.Dir("/tmp/w").Dir("/tmp/d").Symlink("/tmp/l", "/home/u/data")
	p, err := Resolve(Request{}, Defaults{Mode: WorkspaceWrite, Workspace: "/tmp/w", Entries: []Entry{{Path: "/tmp/d", Access: Read}, {Path: "/tmp/l", Access: Read}}}, h, f)
	if err != nil {
		t.Fatal(err)
	}
	for path, private := range map[string]bool{"/tmp/w": false, "/tmp/w/x": false, "/tmp/d": false, "/tmp/x": true} {
		if at := GrantLayers(p).Deciding(path); at.Private != private {
			t.Errorf("%q: %+v", path, at)
		}
	}
	if diff := cmp.Diff(map[string]string{"/tmp/l": "/home/u/data"}, p.RuntimeLinks()); diff != "" {
		t.Error(diff)
	}
}

func TestOwnFilesStayOutOfReach(t *testing.T) {
	h, f := testHost()
	f.File("/home/u/repo/policy.jsonc", "").File("/home/u/state/key", "").Symlink("/home/u/repo/linked.jsonc", "policy2.jsonc").File("/home/u/repo/policy2.jsonc", "")
	d := Defaults{
		Mode: WorkspaceWrite, Files: []string{"/home/u/repo/policy.jsonc", "/home/u/repo/linked.jsonc"}, Private: []string{"/home/u/state", "/home/u/repo/later"}, Secret: []string{"/home/u/state/key"},
		Entries: []Entry{{Path: "/home/u/state", Access: Write}, {Path: "/home/u/state/key", Access: Write}, {Path: "/home/u/repo/policy.jsonc", Access: Write}},
	}
	a := Approve(Grant{Entries: []Entry{{Path: "/home/u/state/key", Access: Read}, {Path: "/home/u/repo/policy.jsonc", Access: Write}}})
	p, err := Resolve(Request{Approval: a}, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(p), map[string]Access{
		"/home/u/repo/policy.jsonc": Read, "/home/u/repo/policy2.jsonc": Read, "/home/u/repo/linked.jsonc": Read, "/home/u/state": Read, "/home/u/state/spent/x": Read, "/home/u/state/key": Deny, "/home/u/repo/later": Read,
	})
}

// A private folder hides the host's file; nothing has to stand in its place.
func TestOwnFilesBelowAPrivateFolder(t *testing.T) {
	h, f := testHost()
	f.File("/tmp/p.jsonc", "").File("/tmp/w/p.jsonc", "")
	d := Defaults{Mode: WorkspaceWrite, Workspace: "/tmp/w", Files: []string{"/tmp/p.jsonc", "/tmp/w/p.jsonc"}}
	p, err := Resolve(Request{}, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(p), map[string]Access{"/tmp/w/p.jsonc": Read})
	if at := GrantLayers(p).Deciding("/tmp/p.jsonc"); !at.Private || at.Path != "/tmp" {
		t.Errorf("%+v", at)
	}
	d.Tmp = TmpHost
	if p, err = Resolve(Request{}, d, h, f); err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(p), map[string]Access{"/tmp/p.jsonc": Read, "/tmp/w/p.jsonc": Read, "/tmp/x": Write})
}

func TestBadInputIsReportedTogether(t *testing.T) {
	h, f := testHost()
	f.File("/home/u/file", "").Bar("/home/u/shut").Symlink("/home/u/loop", "loop")
	long := "/" + strings.Repeat("x/", 2500)
	_, err := Resolve(
		Request{Entries: []Entry{{Path: "x", Access: Deny}, {Path: "/etc", Access: Write, Source: "request:1:2"}}},
		Defaults{Mode: 9, Limits: Limits{Memory: -1}, Env: EnvRules{Pass: []string{"A=B"}, Set: map[string]string{"C": "\x00"}}, Entries: []Entry{
			{Path: "/missing", Access: Deny, Source: "flag --deny"}, {Path: "/home/u/file/x", Access: Read}, {Path: "/home/u/shut/x", Access: Write},
			{Path: "/proc/sys", Access: Write}, {Path: "/sys/fs/cgroup", Access: Write, Optional: true}, {Path: "/dev", Access: Write}, {Path: "", Access: Read},
			{Path: "/a\x00b", Access: Read}, {Path: "/etc", Access: 7}, {Path: long, Access: Read}, {Path: "/home/u/loop", Access: Deny},
		}}, h, f)
	want := []string{
		`unknown value mode(9)`, `env: "A=B" is no name`, `the value of "C" holds a NUL byte`, `the limit memory is negative`,
		`flag --deny: deny "/missing": the path does not exist; create it, or mark it optional: /missing?`,
		`"/home/u/file" is not a folder`, `write "/home/u/shut/x": the path may not be looked at`, `"/proc/sys" is kernel state`, `"/sys/fs/cgroup" is kernel state`,
		`"/dev" holds every device`, `the path is empty`, `holds a NUL byte`, `the access of "/etc" is access(7)`, `the path has 5000 bytes`, `more than 40 links`,
		`deny "x": the path "x" is relative`, `request:1:2: write "/etc": a request may only narrow`,
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%d problems, want %d:\n%v", len(lines), len(want), err)
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) {
			t.Errorf("got %s\nwant %s", line, want[i])
		}
	}
	for _, problem := range flatten(err) {
		if e, ok := errors.AsType[*Error](problem); !ok || e.Code != "SANDBOX_POLICY_INVALID" {
			t.Errorf("%T: %v", problem, problem)
		}
	}
}

func TestWorkspace(t *testing.T) {
	h, f := testHost()
	f.File("/home/u/file", "").Symlink("/home/u/way", "repo")
	for _, test := range []struct {
		cwd, given, host, want string
		entries                []Entry
	}{
		{"", "", "/home/u/repo", "/home/u/repo", nil},
		{"", "/home/u/data/", "/home/u/repo", "/home/u/data", nil},
		{"/home/u/repo/src", "/home/u/data", "/home/u/repo", "/home/u/repo/src", nil},
		{"", "/home/u/way", "/", "/home/u/repo", nil},
		{"", "", "/", `the workspace is "/", which would make the whole host writable; start in a project folder`, nil},
		{"", "", "/", "/", []Entry{{Path: "/", Access: Write}}},
		{"", "/missing", "/", `"/missing" does not exist; create it, or name another with --workspace`, nil},
		{"", "/home/u/file", "/", "is not a folder", nil},
		{"", "rel", "/", "is relative", nil},
		{"", "/proc/sys", "/", "is kernel state", nil},
		{"", "/dev", "/", "holds every device", nil},
		{"", "", "", "no workspace is named", nil},
	} {
		h.Cwd = test.host
		d := Defaults{Mode: WorkspaceWrite, Workspace: test.given, Entries: test.entries}
		p, err := Resolve(Request{Cwd: test.cwd}, d, h, f)
		if err != nil && !strings.Contains(err.Error(), test.want) || err == nil && p.Workspace() != test.want {
			t.Errorf("%+v: %q, %v", test, p.Workspace(), err)
		}
		if d.Mode = ReadOnly; test.given != "rel" {
			if _, err := Resolve(Request{Cwd: test.cwd}, d, h, f); err != nil {
				t.Errorf("under read-only, %+v: %v", test, err)
			}
		}
	}
}

func TestOptionalEntries(t *testing.T) {
	p := resolve(t, Request{Entries: []Entry{{Path: "/home/u/repo/gone", Access: Read, Optional: true}}}, Defaults{Mode: WorkspaceWrite, Entries: []Entry{
		{Path: "/none/w", Access: Write, Optional: true}, {Path: "/none/r", Access: Read, Optional: true}, {Path: "/none/d", Access: Deny, Optional: true},
		{Path: "/home/u/repo/later", Access: Read, Optional: true}, {Path: "/home/u/repo/secret", Access: Deny, Optional: true},
	}})
	l := GrantLayers(p)
	expect(t, l, map[string]Access{"/none/w": Read, "/none/d": Deny, "/home/u/repo/later": Read, "/home/u/repo/secret": Deny, "/home/u/repo/gone": Read})
	for _, path := range []string{"/none/d", "/home/u/repo/later", "/home/u/repo/secret", "/home/u/repo/gone"} {
		if at, ok := l.At(path); !ok || !at.Absent {
			t.Errorf("%q: %+v", path, at)
		}
	}
	var skipped []string
	for _, e := range p.Skipped() {
		skipped = append(skipped, e.Path)
	}
	if diff := cmp.Diff([]string{"/none/w", "/none/r"}, skipped); diff != "" {
		t.Error(diff)
	}
}

func TestUnreachablePaths(t *testing.T) {
	h, f := testHost()
	f.Bar("/home/u/shut")
	p, err := Resolve(Request{}, Defaults{Entries: []Entry{{Path: "/home/u/shut/a/b", Access: Deny}}}, h, f)
	if err != nil {
		t.Fatal(err)
	}
	if at, ok := GrantLayers(p).At("/home/u/shut/a/b"); !ok || at.Access != Deny || at.Kind != 0 || at.Absent {
		t.Errorf("%+v", at)
	}
}

func TestNarrow(t *testing.T) {
	wide := resolve(t, Request{}, Defaults{Mode: DangerFullAccess, Workspace: "/home/u/repo", Entries: []Entry{{Path: "/home/u/data", Access: Write}}})
	if _, confined := wide.Confining(); confined {
		t.Error("danger-full-access is confined")
	}
	expect(t, GrantLayers(wide), map[string]Access{"/": Write, "/home/u/.ssh": Write})
	middle, err := wide.Narrow(WorkspaceWrite)
	if err != nil {
		t.Fatal(err)
	}
	same := resolve(t, Request{}, Defaults{Mode: WorkspaceWrite, Workspace: "/home/u/repo", Entries: []Entry{{Path: "/home/u/data", Access: Write}}})
	if diff := cmp.Diff(list(GrantLayers(same)), list(GrantLayers(middle))); diff != "" || middle.Digest() != same.Digest() {
		t.Error(diff)
	}
	strict, err := middle.Narrow(ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(strict), map[string]Access{"/home/u/repo": Read, "/home/u/data": Write, "/tmp": Read})
	expect(t, GrantLayers(middle), map[string]Access{"/home/u/repo": Write})
	back, err := strict.Narrow(DangerFullAccess)
	if err != nil || back.Mode() != ReadOnly || len(back.Capped()) != 1 || len(strict.Capped()) != 0 {
		t.Errorf("%v, %v", back.Capped(), err)
	}
	if _, err := strict.Narrow(0); err == nil {
		t.Error("an unknown mode was accepted")
	}
	h, f := testHost()
	h.Cwd = "/"
	if wide, err = Resolve(Request{}, Defaults{Mode: DangerFullAccess}, h, f); err != nil {
		t.Fatal(err)
	}
	if p, err := wide.Narrow(WorkspaceWrite); err == nil || p.Valid() == nil {
		t.Error("a policy without a workspace became workspace-write")
	}
}

func TestTheZeroPolicyIsInvalid(t *testing.T) {
	var p Policy
	if p.Valid() == nil {
		t.Error("it is valid")
	}
	if _, confined := p.Confining(); confined {
		t.Error("it is confined")
	}
	if _, err := p.Narrow(ReadOnly); err == nil {
		t.Error("it can be narrowed")
	}
	if _, err := p.MarshalJSON(); err == nil {
		t.Error("it can be written")
	}
	if GrantLayers(p).AccessFor("/") != Deny || p.Workspace() != "" || p.Digest() != "" {
		t.Error("it grants something")
	}
}

func TestDigest(t *testing.T) {
	base := Defaults{Mode: WorkspaceWrite, Env: EnvRules{Set: map[string]string{"A": "1"}}}
	digest := func(change func(*Defaults)) string {
		d := base
		d.Env.Set = map[string]string{"A": "1"}
		change(&d)
		return resolve(t, Request{}, d).Digest()
	}
	want := digest(func(*Defaults) {})
	if got := digest(func(d *Defaults) { d.Entries = []Entry{{Path: "/usr", Access: Read, Source: "x"}} }); got != want {
		t.Error("an entry that changes nothing changes the digest")
	}
	seen := map[string]bool{want: true}
	for _, change := range []func(*Defaults){
		func(d *Defaults) { d.Mode = ReadOnly }, func(d *Defaults) { d.Network = ReachLoopback }, func(d *Defaults) { d.Env.Set["A"] = "2" },
		func(d *Defaults) { d.Env.All = true }, func(d *Defaults) { d.Limits.CPU = 1 }, func(d *Defaults) { d.Seccomp.Preset = "strict" }, func(d *Defaults) { d.Absent = AbsentReserve },
		func(d *Defaults) { d.Entries = []Entry{{Path: "/usr", Access: Deny}} }, func(d *Defaults) { d.Tmp = TmpHost }, func(d *Defaults) { d.Limits.Wall = 1 },
	} {
		got := digest(change)
		if len(got) != 64 || seen[got] {
			t.Errorf("a change gives the digest %q", got)
		}
		seen[got] = true
	}
	text, err := resolve(t, Request{}, base).MarshalJSON()
	if err != nil || !strings.Contains(string(text), `"set":["A"]`) || strings.Contains(string(text), `"1"`) {
		t.Errorf("%v\n%s", err, text)
	}
}
