package policy

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// checkMany runs a property 10,000 times unless -rapid.checks asks otherwise.
func checkMany(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if before := checks.Value.String(); before == checks.DefValue {
		if err := checks.Value.Set("10000"); err != nil {
			t.Fatal(err)
		}
		defer checks.Value.Set(before)
	}
	rapid.Check(t, property)
}

// world is a small tree with everything in it that matters.
type world struct {
	tree  map[string]string
	fs    *MemFS
	paths []string // of the tree and beside it
	h     Host
}

var tops = []string{"/h", "/w", "/tmp"}

func drawWorld(t *rapid.T) world {
	w := world{tree: map[string]string{}, h: Host{Home: "/h", Cwd: "/w"}}
	names := []string{"a", "b", ".git"}
	var grow func(dir string, depth int)
	grow = func(dir string, depth int) {
		w.tree[dir] = "dir"
		these := names
		if dir == "/h" {
			these = append(slices.Clone(names), ".ssh")
		}
		for _, name := range these {
			path := dir + "/" + name
			w.paths = append(w.paths, path)
			switch rapid.IntRange(0, 9).Draw(t, path) {
			case 0, 1, 2, 3:
				if depth < 3 {
					grow(path, depth+1)
				}
			case 4:
				w.tree[path] = "file"
			case 5:
				w.tree[path] = "socket"
				w.h.Sockets = append(w.h.Sockets, path)
			case 6:
				w.tree[path] = "-> link"
			}
		}
	}
	for _, top := range tops {
		w.paths = append(w.paths, top)
		grow(top, 1)
	}
	w.paths = append(w.paths, "/", "/other", "/h/.aws", "/h/.netrc", "/w/.ssh", "/w/.hg/x", "/w/a/.hg")
	slices.Sort(w.paths)
	w.fs = NewMemFS("/")
	for _, path := range slices.Sorted(mapKeys(w.tree)) {
		switch w.tree[path] {
		case "dir":
			w.fs.Dir(path)
		case "file":
			w.fs.File(path, "")
		case "socket":
			w.fs.Node(path, KindSocket)
		default:
			// Links lead to folders of the tree or to nothing, so that no path
			// goes through a file and no chain is endless.
			target := "/h/missing"
			if dirs := w.dirs(); rapid.Bool().Draw(t, "dangling "+path) {
				target = rapid.SampledFrom(dirs).Draw(t, "target of "+path)
			}
			w.tree[path] = "-> " + target
			w.fs.Symlink(path, target)
		}
	}
	return w
}

func (w world) dirs() (dirs []string) {
	for path, kind := range w.tree {
		if kind == "dir" {
			dirs = append(dirs, path)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// entries draws up to four entries on the tree; absent ones are optional.
func (w world) entries(t *rapid.T, label string, allowed ...Access) (entries []Entry) {
	for i := range rapid.IntRange(0, 4).Draw(t, label+" count") {
		entries = append(entries, w.entry(t, fmt.Sprintf("%s %d", label, i), allowed...))
	}
	return entries
}

func (w world) entry(t *rapid.T, label string, allowed ...Access) Entry {
	usable := slices.DeleteFunc(slices.Clone(w.paths), func(p string) bool {
		for _, dir := range Ancestors(p) {
			if k := w.tree[dir]; k == "file" || k == "socket" {
				return true
			}
		}
		return false
	})
	return Entry{
		Path: rapid.SampledFrom(usable).Draw(t, label), Access: rapid.SampledFrom(allowed).Draw(t, label+" access"),
		Optional: true, Source: label,
	}
}

func (w world) defaults(t *rapid.T) Defaults {
	return Defaults{
		Mode:        rapid.SampledFrom([]Mode{ReadOnly, WorkspaceWrite}).Draw(t, "mode"),
		Workspace:   rapid.SampledFrom([]string{"/w", "/w", "/h", "/tmp"}).Draw(t, "workspace"),
		Baseline:    rapid.SampledFrom([]Baseline{BaselineAllow, BaselineDeny}).Draw(t, "baseline"),
		Tmp:         rapid.SampledFrom([]Tmp{0, TmpPrivate, TmpNone}).Draw(t, "tmp"),
		NoHardening: rapid.Bool().Draw(t, "no hardening"),
		Entries:     w.entries(t, "entry", Deny, Read, Write),
	}
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Whatever is stated, the layers say of every path what the definition says.
func TestLayersEqualTheDefinition(t *testing.T) {
	resolved, refused := 0, 0
	checkMany(t, func(t *rapid.T) {
		w := drawWorld(t)
		d := w.defaults(t)
		if d.Mode == ReadOnly {
			d.Tmp = TmpNone
		}
		req := Request{Entries: w.entries(t, "request", Deny, Read)}
		var grant []Entry
		if rapid.Bool().Draw(t, "approved") {
			grant = w.entries(t, "approval", Read, Write)
			req.Approval = Approve(Grant{Entries: grant})
		}
		o := &oracle{tree: w.tree, d: d, req: req, grant: grant, h: w.h, mode: d.Mode, protected: ProtectedNames()}
		want, planted := o.judge(w.paths)

		p, err := Resolve(req, d, w.h, w.fs)
		if len(planted) > 0 {
			refused++
			if err == nil || !strings.Contains(err.Error(), "symlink") {
				t.Fatalf("a path through the replaceable links %q was accepted (%v)", planted, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		resolved++
		layers := GrantLayers(p)
		for _, path := range w.paths {
			if got := layers.AccessFor(path); got != want[path] {
				t.Fatalf("AccessFor(%q) = %s, want %s\n%s", path, got, want[path], list(layers))
			}
		}
		everyLayerCounts(t, layers)
	})
	if resolved < refused/4 || refused == 0 && resolved > 5000 {
		t.Errorf("the generator is lopsided: %d resolved, %d refused", resolved, refused)
	}
}

// everyLayerCounts checks that no layer could be left out, and the lists that
// are derived from the layers.
func everyLayerCounts(t *rapid.T, l Layers) {
	all := l.All()
	for i, layer := range all {
		if i == 0 {
			if layer.Path != "/" {
				t.Fatalf("the first layer is %q", layer.Path)
			}
			continue
		}
		above := l.Deciding(parent(layer.Path))
		if above.Access == layer.Access && above.Private == layer.Private {
			t.Fatalf("the layer at %q changes nothing", layer.Path)
		}
		if at, ok := l.At(layer.Path); !ok || at != layer {
			t.Fatalf("At(%q) = %v, %v", layer.Path, at, ok)
		}
		if !slices.IsSortedFunc(all, func(a, b Layer) int { return comparePaths(a.Path, b.Path) }) {
			t.Fatal("the layers are out of order")
		}
	}
	for _, root := range l.WritableRoots() {
		if l.AccessFor(root.Path) != Write {
			t.Fatalf("%q is no writable root", root.Path)
		}
		for _, c := range root.CarveOuts {
			if l.AccessFor(c) == Write || !Contains(root.Path, c) {
				t.Fatalf("%q is no carve-out of %q", c, root.Path)
			}
		}
	}
	for _, p := range l.UnreadablePaths() {
		if l.AccessFor(p) != Deny {
			t.Fatalf("%q is readable", p)
		}
	}
}

// For every path, a request leaves the minimum of what the deployment grants
// and what it asks for.
func TestRequestsIntersect(t *testing.T) {
	checkMany(t, func(t *rapid.T) {
		w := drawWorld(t)
		d := w.defaults(t)
		req := Request{Entries: w.entries(t, "request", Deny, Read)}
		before, err := Resolve(Request{}, d, w.h, w.fs)
		if err != nil {
			t.Skip("refused")
		}
		after, err := Resolve(req, d, w.h, w.fs)
		if err != nil {
			t.Skip("refused")
		}
		o := &oracle{tree: w.tree}
		for _, path := range w.paths {
			want := GrantLayers(before).AccessFor(path)
			deepest := ""
			for _, e := range req.Entries {
				if end, _, _ := o.follow(e.Path); inside(end, path) && len(end) >= len(deepest) {
					deepest = end
				}
			}
			if deepest != "" {
				for _, e := range slices.Backward(req.Entries) {
					if end, _, _ := o.follow(e.Path); end == deepest {
						want = min(want, e.Access)
						break
					}
				}
			}
			if got := GrantLayers(after).AccessFor(path); got != want {
				t.Fatalf("AccessFor(%q) = %s, want %s\nbefore:\n%s\nafter:\n%s", path, got, want, list(GrantLayers(before)), list(GrantLayers(after)))
			}
		}
	})
}

// A grant at or above the access in force shrinks nothing, but for what a new
// writable root protects or has watched.
func TestGrantsNeverShrink(t *testing.T) {
	checkMany(t, func(t *rapid.T) {
		w := drawWorld(t)
		d := w.defaults(t)
		before, err := Resolve(Request{}, d, w.h, w.fs)
		if err != nil {
			t.Skip("refused")
		}
		o := &oracle{tree: w.tree}
		e := w.entry(t, "grant", Read, Write)
		if end, exists, _ := o.follow(e.Path); !exists || e.Access < GrantLayers(before).AccessFor(end) {
			t.Skip("no grant")
		}
		approved := rapid.Bool().Draw(t, "by approval")
		req := Request{}
		if approved {
			req.Approval = Approve(Grant{Entries: []Entry{e}})
		} else {
			d.Entries = append(d.Entries, e)
		}
		after, err := Resolve(req, d, w.h, w.fs)
		if err != nil {
			t.Skip("refused")
		}
		for _, path := range w.paths {
			by := GrantLayers(after).Deciding(path)
			if by.Origin == OriginProtected || by.Absent || by.Origin == OriginHardening && by.Symlink {
				continue
			}
			if above := GrantLayers(after).Deciding(parent(by.Path)); by.Kind == KindSocket && (above.Origin == OriginProtected || strings.Contains(path, "/.")) {
				continue // a socket in a protected place is closed with it
			}
			if was := GrantLayers(before).AccessFor(path); by.Access < was {
				t.Fatalf("%s %q made %q %s, it was %s\n%s", e.Access, e.Path, path, by.Access, was, list(GrantLayers(after)))
			}
		}
	})
}
