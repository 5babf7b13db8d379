//go:build linux

package fence

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// TestMoved: what happens when something moves at the worst moment, between two
// steps of one operation.
func TestMoved(t *testing.T) {
	tree := [][2]string{{"w/d/f", "good"}, {"w/d/in/f", "good"}, {"denied/f", "SECRET"}, {"denied/d/f", "SECRET"}}
	type step struct {
		name string
		path string
		do   func(f *Fence, p *place) error
	}
	walked := func(f *Fence, p *place) error { return f.settle("x", p, policy.Read) }
	tests := []step{
		{"a file that was found", "w/d/f", walked},
		{"a folder that was found", "w/d/in", walked},
		{"the folder of a file that is missing", "w/d/new", walked},
		{"opening a file", "w/d/f", func(f *Fence, p *place) error {
			fd, err := f.reopen("x", p, os.O_RDONLY)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}},
		{"emptying a file", "w/d/f", func(f *Fence, p *place) error {
			_, err := f.reopen("x", p, os.O_RDWR|os.O_TRUNC)
			return err
		}},
		{"removing a name", "w/d/f", func(f *Fence, p *place) error { return f.holdsName("x", p) }},
		{"removing a tree", "w/d/in", func(f *Fence, p *place) error { return f.removeTree(p.dir, p.path, p.name) }},
	}
	for _, tt := range tests {
		for _, moved := range []bool{false, true} {
			root := scratch(t)
			build(t, root, tree)
			f := newFence(t, usual(t, root))
			p := f.walk(root+"/"+tt.path, true)
			want := error(nil)
			if moved {
				want = errMoved
				// The same names stay in place, with other objects behind them.
				for _, r := range [][2]string{{"/w/d", "/w/elsewhere"}, {"/denied/d", "/w/d"}} {
					if err := os.Rename(root+r[0], root+r[1]); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := tt.do(f, &p); err != want {
				t.Errorf("%s, moved %v: %v, want %v", tt.name, moved, err, want)
			}
			p.close()
			if moved {
				if text, err := os.ReadFile(root + "/w/elsewhere/f"); err != nil || string(text) != "good" || !exists(root+"/w/elsewhere/in/f") {
					t.Errorf("%s: acted on what had moved: %q, %v", tt.name, text, err)
				}
			}
		}
	}
}

// TestMovedWhileCreating: a folder that is carried into a denied one in the
// moment of creation takes the new file along, but the caller does not get it.
func TestMovedWhileCreating(t *testing.T) {
	root := scratch(t)
	build(t, root, [][2]string{{"w/d/", ""}, {"denied/", ""}})
	f := newFence(t, usual(t, root))
	p := f.walk(root+"/w/d/new", true)
	defer p.close()
	if err := f.settle("x", &p, policy.Write); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(root+"/w/d", root+"/denied/d"); err != nil {
		t.Fatal(err)
	}
	fd, err := f.create("x", &p, os.O_RDWR|os.O_CREATE, 0o644)
	if d := denied(err); fd != -1 || d == nil || d.Reached != root+"/denied/d/new" {
		t.Errorf("got %d, %v", fd, err)
	}
}

// TestPlantedLink: a denied folder may be passed on the way to something
// granted, but a link that takes its place may not.
func TestPlantedLink(t *testing.T) {
	root := scratch(t)
	build(t, root, [][2]string{{"w/open/f", "planted"}, {"denied/open/f", "granted"}})
	f := newFence(t, usual(t, root))
	if text, err := f.ReadFile(root + "/denied/open/f"); err != nil || string(text) != "granted" {
		t.Fatalf("before: %q, %v", text, err)
	}
	if err := os.Rename(root+"/denied", root+"/gone"); err != nil {
		t.Fatal(err)
	}
	build(t, root, [][2]string{{"denied", "-> w"}})
	if text, err := f.ReadFile(root + "/denied/open/f"); denied(err) == nil {
		t.Errorf("after: %q, %v; want a denial", text, err)
	}
}

// TestShownLink: a link in a place that is not shown is followed if the policy
// leads through it, as long as it is the same link.
func TestShownLink(t *testing.T) {
	root := scratch(t)
	build(t, root, [][2]string{{"hidden/link", "-> ../data"}, {"hidden/other", "-> ../data"}, {"data/f", "granted"}, {"data2/f", "granted too"}})
	f := newFence(t, resolve(t, policy.Defaults{Baseline: policy.BaselineDeny, Runtime: policy.RuntimeNone, Entries: []policy.Entry{
		{Path: root + "/hidden/link", Access: policy.Read}, {Path: root + "/data2", Access: policy.Read},
	}}, root, policy.Request{}))
	if text, err := f.ReadFile(root + "/hidden/link/f"); err != nil || string(text) != "granted" {
		t.Errorf("through the link: %q, %v", text, err)
	}
	if text, err := f.ReadFile(root + "/hidden/other/f"); denied(err) == nil {
		t.Errorf("through another link: %q, %v", text, err)
	}
	if err := os.Remove(root + "/hidden/link"); err != nil {
		t.Fatal(err)
	}
	build(t, root, [][2]string{{"hidden/link", "-> ../data2"}})
	if text, err := f.ReadFile(root + "/hidden/link/f"); denied(err) == nil {
		t.Errorf("through a link put in its place: %q, %v", text, err)
	}
}

// TestDeleted: an object whose name is gone is nowhere, and a name that looks
// like the kernel's mark for that is a name.
func TestDeleted(t *testing.T) {
	root := scratch(t)
	build(t, root, [][2]string{{"denied/", ""}, {"w/f", "x"}, {"w/g (deleted)", "odd"}, {"w/g", "plain"}})
	f := newFence(t, usual(t, root))
	p := f.walk(root+"/w/f", true)
	defer p.close()
	if err := os.Remove(root + "/w/f"); err != nil {
		t.Fatal(err)
	}
	if err := f.settle("x", &p, policy.Read); err != errMoved {
		t.Errorf("a removed file: %v", err)
	}
	if text, err := f.ReadFile(root + "/w/g (deleted)"); err != nil || string(text) != "odd" {
		t.Errorf("an odd name: %q, %v", text, err)
	}
}

// TestNoDescriptorIsLeft: whatever happens, nothing stays open.
func TestNoDescriptorIsLeft(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	before := open()
	full := newFence(t, resolve(t, policy.Defaults{Mode: policy.DangerFullAccess}, root, policy.Request{}))
	for range 20 {
		for _, node := range usualTree {
			for _, f := range []*Fence{f, full} {
				path := root + "/" + node[0]
				for _, tail := range []string{"", "/", "/x", "/../f", "/x/y"} {
					f.Check(path+tail, policy.Write)
					f.Stat(path + tail)
					f.ReadDir(path + tail)
					f.Lstat(path + tail)
					if node[1] != "|" {
						f.ReadFile(path + tail)
					}
				}
				f.Mkdir(path, 0o755)
				f.Rename(path, root+"/ro/x/y")
				f.OpenFile(path, os.O_CREATE|os.O_EXCL, 0)
			}
		}
	}
	f.RemoveAll(root + "/w/d")
	if after := open(); after != before {
		t.Errorf("%d descriptors are open, %d before", after, before)
	}
}
