package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestClean(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "//": "/", "/a/": "/a", "/a//b": "/a/b", "/./a/.": "/a", "/a/../b": "/b", "/../..": "/", "/a/..": "/", "/.../a": "/.../a",
		"/..a/b..": "/..a/b..", "": "", "a": "", ".": "", "/a\x00": "", "a/../b": "",
	} {
		got, err := Clean(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Clean(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
}

func TestContainsWholeSegments(t *testing.T) {
	for _, test := range []struct {
		root, path string
		want       bool
	}{
		{"/", "/", true}, {"/", "/a", true}, {"/a", "/a", true}, {"/a", "/a/b", true}, {"/a", "/ab", false}, {"/a/b", "/a", false}, {"/a", "/", false}, {"/", "", false},
	} {
		if got := Contains(test.root, test.path); got != test.want {
			t.Errorf("Contains(%q, %q) = %v", test.root, test.path, got)
		}
	}
}

func TestPathLists(t *testing.T) {
	if diff := cmp.Diff([]string{"/a", "/b/c", "/ab"}, DedupeRoots([]string{"/a", "/a/x", "/b/c", "/a", "/ab", "/b/c/d/e"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/"}, DedupeRoots([]string{"/a", "/"})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/", "/a", "/a/b"}, Ancestors("/a/b/c")); diff != "" || len(Ancestors("/")) != 0 {
		t.Error(diff)
	}
	got := OrderEntries([]Entry{{Path: "/b/c", Access: Read}, {Path: "/b", Access: Deny}, {Path: "/a", Access: Read}, {Path: "/b", Access: Write}})
	want := []Entry{{Path: "/a", Access: Read}, {Path: "/b", Access: Deny}, {Path: "/b", Access: Write}, {Path: "/b/c", Access: Read}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzPathAlgebra(f *testing.F) {
	for _, seed := range []string{"/", "", "/a/../b", "//x//", "/a\x00b", "rel/../x", "/é/ü", "/.", "/..", "/a/b/c/d"} {
		f.Add(seed, "/a/b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		p, err := Clean(a)
		if bad := a == "" || a[0] != '/' || strings.Contains(a, "\x00"); bad != (err != nil) {
			t.Fatalf("Clean(%q) = %q, %v", a, p, err)
		}
		if err != nil {
			if (Layers{}).AccessFor(a) != Deny {
				t.Errorf("%q is not denied", a)
			}
			return
		}
		if again, err := Clean(p); again != p || err != nil || !isClean(p) {
			t.Errorf("Clean(%q) = %q, then %q", a, p, again)
		}
		if strings.Contains(p, "//") || strings.Contains(p+"/", "/../") || strings.Contains(p+"/", "/./") || len(p) > 1 && strings.HasSuffix(p, "/") {
			t.Errorf("Clean(%q) = %q", a, p)
		}
		above := Ancestors(p)
		if len(above) != Depth(p) {
			t.Errorf("%q has depth %d and %d ancestors", p, Depth(p), len(above))
		}
		for i, dir := range above {
			if Depth(dir) != i || !Contains(dir, p) || Contains(p, dir) {
				t.Errorf("%q is no ancestor of %q", dir, p)
			}
		}
		q, err := Clean(b)
		if err != nil {
			return
		}
		// Contains is the order of ancestors, decided another way.
		segments := func(path string) []string { return strings.FieldsFunc(path, func(r rune) bool { return r == '/' }) }
		s, r := segments(p), segments(q)
		if got, want := Contains(p, q), len(s) <= len(r) && slices.Equal(s, r[:min(len(s), len(r))]); got != want {
			t.Errorf("Contains(%q, %q) = %v", p, q, got)
		}
		for _, root := range []string{p, q} {
			if roots := DedupeRoots([]string{p, q}); !slices.ContainsFunc(roots, func(kept string) bool { return Contains(kept, root) }) {
				t.Errorf("%q lost %q", roots, root)
			}
		}
	})
}
