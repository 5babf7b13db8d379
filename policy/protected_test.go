package policy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func expect(t *testing.T, l Layers, want map[string]Access) {
	t.Helper()
	for path, access := range want {
		if got := l.Deciding(path); got.Access != access {
			t.Errorf("AccessFor(%q) = %s, want %s (%+v)", path, got.Access, access, got)
		}
	}
}

func TestProtectedNames(t *testing.T) {
	h, f := testHost()
	f.Dir("/home/u/repo/vendor/x").File("/home/u/repo/.envrc", "")
	d := Defaults{
		Mode: WorkspaceWrite, Protect: []string{".envrc", ".github/workflows"}, Unprotect: []string{".hg"},
		Entries: []Entry{{Path: "/home/u/repo/vendor/x", Access: Write}, {Path: "/home/u/data", Access: Write}, {Path: "/home/u/repo/.git/hooks", Access: Write}},
	}
	p, err := Resolve(Request{}, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(p), map[string]Access{
		"/home/u/repo/.git/config": Read, "/home/u/repo/.git/hooks/x": Write, "/home/u/repo/.hg": Write, "/home/u/repo/.envrc": Read,
		"/home/u/repo/.github/workflows/ci.yml": Read, "/home/u/repo/.github/x": Write, "/home/u/repo/vendor/.git": Write,
		"/home/u/repo/vendor/x/.git": Read, "/home/u/data/.ssh/config": Read, "/home/u/repo/sub/.git": Write,
	})
	if l, ok := GrantLayers(p).At("/home/u/repo/.svn"); !ok || !l.Absent || l.Origin != OriginProtected {
		t.Errorf("the absent name has the layer %+v", l)
	}
	d.Entries = append(d.Entries, Entry{Path: "/home/u/repo/.git", Access: Write})
	if p, err = Resolve(Request{}, d, h, f); err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(p), map[string]Access{"/home/u/repo/.git/config": Write})
	for _, bad := range []string{"", "/x", "..", "a/../b", "a//b", "."} {
		if _, err := Resolve(Request{}, Defaults{Protect: []string{bad}}, h, f); err == nil {
			t.Errorf("the protected name %q was accepted", bad)
		}
	}
}

func TestProtectedLinks(t *testing.T) {
	h, f := testHost()
	f.Symlink("/home/u/repo/.hg", "store/hg").Symlink("/home/u/repo/store", "/home/u/data").Dir("/home/u/data/hg").Symlink("/home/u/repo/.npmrc", ".")
	d := Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/data", Access: Write}}}
	p, err := Resolve(Request{}, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	l := GrantLayers(p)
	expect(t, l, map[string]Access{"/home/u/repo/.hg": Read, "/home/u/repo/store": Read, "/home/u/data/hg": Read, "/home/u/data": Write, "/home/u/repo": Write, "/home/u/repo/.npmrc": Read})
	for path, link := range map[string]bool{"/home/u/repo/.hg": true, "/home/u/repo/store": true, "/home/u/data/hg": false} {
		if at, _ := l.At(path); at.Symlink != link {
			t.Errorf("%q: %+v", path, at)
		}
	}
}

func TestWorktreeProtectsItsRepository(t *testing.T) {
	h, f := testHost()
	f.File("/home/u/data/main/.git/worktrees/w/commondir", "../..\n").File("/home/u/repo2/.git", "gitdir: /home/u/data/main/.git/worktrees/w\n").Dir("/home/u/data/main/src")
	d := Defaults{Mode: WorkspaceWrite, Workspace: "/home/u/repo2", Entries: []Entry{{Path: "/home/u/data", Access: Write}}}
	resolve := func() Layers {
		t.Helper()
		p, err := Resolve(Request{}, d, h, f)
		if err != nil {
			t.Fatal(err)
		}
		return GrantLayers(p)
	}
	expect(t, resolve(), map[string]Access{
		"/home/u/repo2/.git": Read, "/home/u/data/main/.git/config": Read, "/home/u/data/main/.git/worktrees/w/HEAD": Read, "/home/u/data/main/src": Write,
	})
	d.Entries = append(d.Entries, Entry{Path: "/home/u/data/main/.git", Access: Write})
	expect(t, resolve(), map[string]Access{"/home/u/data/main/.git/worktrees/w/HEAD": Write})
	f.File("/home/u/repo2/.git", "gitdir: .\n")
	expect(t, resolve(), map[string]Access{"/home/u/repo2/x": Write})
}

func TestHooksElsewhereAreProtected(t *testing.T) {
	h, f := testHost()
	f.File("/home/u/repo/.git/config", "[user]\n\thooksPath = no\n[Core]\n bare = false\n hookspath = \"tools/hooks\" ; ours\n[core]\n\tHooksPath=/home/u/data/absent # x\n").
		Dir("/home/u/repo/tools/hooks")
	p, err := Resolve(Request{}, Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/data", Access: Write}}}, h, f)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, GrantLayers(p), map[string]Access{"/home/u/repo/tools/hooks/pre-commit": Read, "/home/u/repo/tools/x": Write, "/home/u/data/absent/pre-push": Read, "/home/u/repo/no": Write})
	if diff := cmp.Diff([]string{`a "b`, "c"}, coreHooksPath("[core] hooksPath = a \\\"b\n[core \"x\"]\nhooksPath=z\n[CORE]\nhooksPath = \"c\"")); diff != "" {
		t.Error(diff)
	}
}

func TestPlantedLinksAreNamed(t *testing.T) {
	h, f := testHost()
	f.Symlink("/home/u/repo/link", "/etc").Symlink("/home/u/way", "data").Symlink("/home/u/repo/ok", "src")
	for _, test := range []struct {
		name  string
		d     Defaults
		req   Request
		wrong bool
	}{
		{"grant", Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/repo/link/ssl", Access: Write}}}, Request{}, true},
		{"carve-out", Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/repo/ok", Access: Deny}}}, Request{}, true},
		{"request", Defaults{Mode: WorkspaceWrite}, Request{Entries: []Entry{{Path: "/home/u/repo/ok", Access: Deny}}}, true},
		{"approval", Defaults{Mode: WorkspaceWrite}, Request{Approval: Approve(Grant{Entries: []Entry{{Path: "/home/u/repo/link", Access: Write}}})}, true},
		{"workspace", Defaults{Mode: WorkspaceWrite, Workspace: "/home/u/repo/ok", Entries: []Entry{{Path: "/home/u/repo", Access: Write}}}, Request{}, true},
		{"under read-only", Defaults{Entries: []Entry{{Path: "/home/u/repo/ok", Access: Deny}}}, Request{}, false},
		{"above every root", Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/way", Access: Write}}}, Request{}, false},
		{"in a carve-out", Defaults{Mode: WorkspaceWrite, Entries: []Entry{{Path: "/home/u/repo", Access: Read}, {Path: "/home/u/repo/ok", Access: Deny}}}, Request{}, false},
	} {
		_, err := Resolve(test.req, test.d, h, f)
		if planted := err != nil && strings.Contains(err.Error(), `goes through the symlink "/home/u/repo/`); planted != test.wrong {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}
