//go:build linux

package fence

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"confine/policy"
)

// TestProperty: on generated trees with links and hard links, under generated
// policies, the fence decides about every path as the definition does, and
// whatever operations do, nothing changes that the policy does not let change.
func TestProperty(t *testing.T) {
	checks := flag.Lookup("rapid.checks")
	if checks.Value.String() == checks.DefValue {
		if err := checks.Value.Set("200"); err != nil {
			t.Fatal(err)
		}
		defer checks.Value.Set(checks.DefValue)
	}
	base, n := scratch(t), 0
	seen := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		n++
		root := base + "/" + strconv.Itoa(n)
		defer os.RemoveAll(root)
		property(t, rt, root, seen)
	})
	t.Logf("%d trees: %v", n, seen)
	for _, what := range []string{"deny", "read", "write", "link denied", "link granted", "barred", "missing", "private", "changed", "refused"} {
		if seen[what] == 0 {
			t.Errorf("the cases never had: %s", what)
		}
	}
}

func property(t *testing.T, rt *rapid.T, root string, seen map[string]int) {
	paths := drawTree(t, rt, root)
	p := drawPolicy(rt, root, paths)
	f := newFence(t, p)
	o := oracle{policy.GrantLayers(p), p.RuntimeLinks()}
	for range 40 {
		paths = append(paths, drawPath(rt, root))
	}
	paths = append(paths, root, "/", root+"/..", root+"/a/..", root+"/a/b/../../c")

	for _, path := range paths {
		reached, access, errno := o.decide(path)
		o.count(seen, path, reached, access, errno)
		got, err := f.Decide(path)
		if got.Access != access || got.Reached != reached {
			rt.Fatalf("%s: the fence decides %v at %s (%v), the definition %v at %s", path, got.Access, got.Reached, err, access, reached)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil && access != policy.Deny && errno == nil && real != reached {
			rt.Fatalf("%s: reached %s, which is %s", path, reached, real)
		}
		for _, wanted := range []policy.Access{policy.Read, policy.Write} {
			err := f.Check(path, wanted)
			if (denied(err) != nil) != (access < wanted) {
				rt.Fatalf("check %v %s: %v, the definition says %v", wanted, path, err, access)
			}
			if errno != nil && errno != unix.ENOENT && access >= wanted && !errors.Is(err, errno) {
				rt.Fatalf("check %v %s: %v, want %v", wanted, path, err, errno)
			}
		}
		text, err := f.ReadFile(path)
		plain, plainErr := os.ReadFile(path)
		if access == policy.Deny {
			if denied(err) == nil {
				rt.Fatalf("read %s: %q, %v; want a denial", path, text, err)
			}
		} else if string(text) != string(plain) || (err == nil) != (plainErr == nil) {
			rt.Fatalf("read %s: %q, %v; without the fence %q, %v", path, text, err, plain, plainErr)
		}
		_, err = f.Stat(path)
		if _, plain := os.Stat(path); access == policy.Deny && denied(err) == nil || access != policy.Deny && (err == nil) != (plain == nil) {
			rt.Fatalf("stat %s: %v; access %v, without the fence %v", path, err, access, plain)
		}
	}

	before := protectedState(t, root, o)
	var did []string
	for i := range 12 {
		a, b := paths[rapid.IntRange(0, len(paths)-1).Draw(rt, "a")], paths[rapid.IntRange(0, len(paths)-1).Draw(rt, "b")]
		if !strings.HasPrefix(filepath.Clean(a), root+"/") || !strings.HasPrefix(filepath.Clean(b), root+"/") {
			continue // a wrong fence must not hurt the machine
		}
		op := rapid.IntRange(0, 6).Draw(rt, "operation "+strconv.Itoa(i))
		var err error
		switch op {
		case 0:
			err = f.WriteFile(a, []byte("changed"), 0o644)
		case 1:
			err = closing(f.OpenFile(a, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
		case 2:
			err = f.Mkdir(a, 0o755)
		case 3:
			err = f.MkdirAll(a, 0o755)
		case 4:
			err = f.Remove(a)
		case 5:
			err = f.RemoveAll(a)
		default:
			err = f.Rename(a, b)
		}
		switch {
		case err == nil:
			seen["changed"]++
		case denied(err) != nil:
			seen["refused"]++
		}
		did = append(did, fmt.Sprintf("%d %s %s: %v", op, a, b, err))
	}
	if after := protectedState(t, root, o); !slices.Equal(before, after) {
		rt.Fatalf("changed what is not writable:\n%s\nbefore:\n%s\noperations:\n%s\nlayers %+v",
			strings.Join(after, "\n"), strings.Join(before, "\n"), strings.Join(did, "\n"), o.All())
	}
}

// protectedState is a snapshot of everything that the policy lets nobody change.
func protectedState(t *testing.T, root string, o oracle) []string {
	return slices.DeleteFunc(snapshot(t, root), func(line string) bool {
		path, _, _ := strings.Cut(line, " ")
		return o.access(root+path) == policy.Write
	})
}

var segments = []string{"a", "b", "c", "..", "."}

// drawTree makes folders, files, links and hard links, three levels deep.
func drawTree(t *testing.T, rt *rapid.T, root string) (paths []string) {
	var files []string
	var grow func(dir string, depth int)
	grow = func(dir string, depth int) {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range segments[:3] {
			path := dir + "/" + name
			var err error
			switch kind := rapid.IntRange(0, 9).Draw(rt, path[len(root):]); {
			case kind < 4 && depth < 3:
				grow(path, depth+1)
			case kind == 4 && len(files) > 0:
				err = os.Link(rapid.SampledFrom(files).Draw(rt, "file"), path)
			case kind < 6:
				err = os.WriteFile(path, []byte(path), 0o644)
				files = append(files, path)
			case kind < 9:
				target := strings.Join(rapid.SliceOfN(rapid.SampledFrom(segments), 1, 5).Draw(rt, "target"), "/")
				if rapid.Bool().Draw(rt, "absolute") {
					target = root + "/" + target
				}
				err = os.Symlink(target, path)
			default:
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
	}
	grow(root, 0)
	return paths
}

func drawPath(rt *rapid.T, root string) string {
	path := root + "/" + strings.Join(rapid.SliceOfN(rapid.SampledFrom(segments), 1, 6).Draw(rt, "path"), "/")
	if rapid.IntRange(0, 7).Draw(rt, "slash") == 0 {
		path += "/"
	}
	return path
}

// drawPolicy draws entries for paths of the tree and beside it; those that
// cannot be used (through a file, a circle of links) are left out.
func drawPolicy(rt *rapid.T, root string, paths []string) policy.Policy {
	d := policy.Defaults{Mode: policy.ReadOnly, NoHardening: true, Runtime: policy.RuntimeNone}
	if rapid.IntRange(0, 3).Draw(rt, "baseline") == 0 {
		d.Baseline = policy.BaselineDeny
	}
	if rapid.IntRange(0, 3).Draw(rt, "workspace") == 0 {
		d.Mode, d.Workspace = policy.WorkspaceWrite, root
	}
	var req policy.Request
	p, err := policy.Resolve(req, d, policy.Host{Cwd: root}, realFS{})
	if err != nil {
		rt.Fatal(err)
	}
	for range rapid.IntRange(1, 6).Draw(rt, "entries") {
		path := drawPath(rt, root)
		if len(paths) > 0 && rapid.Bool().Draw(rt, "of the tree") {
			path = rapid.SampledFrom(paths).Draw(rt, "entry")
		}
		e := policy.Entry{Path: filepath.Clean(path), Access: rapid.SampledFrom([]policy.Access{policy.Deny, policy.Read, policy.Write, policy.Write}).Draw(rt, "access"), Optional: true}
		with, narrowed := d, req
		if e.Access != policy.Write && rapid.IntRange(0, 3).Draw(rt, "request") == 0 {
			narrowed.Entries = append(slices.Clone(req.Entries), e)
		} else {
			with.Entries = append(slices.Clone(d.Entries), e)
		}
		if next, err := policy.Resolve(narrowed, with, policy.Host{Cwd: root}, realFS{}); err == nil {
			d, req, p = with, narrowed, next
		}
	}
	return p
}

// oracle decides by the definition: strings, package os, all layers each time.
type oracle struct {
	policy.Layers
	links map[string]string
}

func (o oracle) access(path string) policy.Access {
	var by policy.Layer
	for _, layer := range o.All() {
		if policy.Contains(layer.Path, path) && len(layer.Path) >= len(by.Path) {
			by = layer
		}
	}
	if by.Private {
		return policy.Deny
	}
	return by.Access
}

func (o oracle) leadsSomewhere(path string) bool {
	for link := range o.links {
		if policy.Contains(path, link) {
			return true
		}
	}
	return slices.ContainsFunc(o.All(), func(l policy.Layer) bool {
		return policy.Contains(path, l.Path) && !l.Private && l.Access != policy.Deny
	})
}

// decide returns where a path leads, or where the way is barred, the access
// there, and the error that the way ends with.
func (o oracle) decide(path string) (string, policy.Access, error) {
	at, rest, links := "/", strings.Split(path, "/"), 0
	for len(rest) > 0 {
		name := rest[0]
		rest = rest[1:]
		next := filepath.Join(at, name)
		if name == "" || name == "." || name == ".." {
			at = next
			continue
		}
		if o.access(next) == policy.Deny && !o.leadsSomewhere(next) {
			return next, policy.Deny, fs.ErrPermission
		}
		info, err := os.Lstat(next)
		switch {
		case err != nil:
			end := filepath.Clean(next + "/" + strings.Join(rest, "/"))
			return end, o.access(end), unix.ENOENT
		case info.Mode().Type() == fs.ModeSymlink:
			if _, shown := o.links[next]; o.access(next) == policy.Deny && !shown {
				return next, policy.Deny, fs.ErrPermission
			}
			if links++; links > 40 {
				return next, o.access(next), unix.ELOOP
			}
			target, err := os.Readlink(next)
			if err != nil {
				return next, policy.Deny, err
			}
			if filepath.IsAbs(target) {
				at = "/"
			}
			rest = append(strings.Split(target, "/"), rest...)
		case !info.IsDir() && len(rest) > 0:
			return next, o.access(next), unix.ENOTDIR
		default:
			at = next
		}
	}
	return at, o.access(at), nil
}

// count notes what kinds of cases there were.
func (o oracle) count(seen map[string]int, path, reached string, access policy.Access, errno error) {
	seen[access.String()]++
	clean := filepath.Clean(path)
	switch {
	case o.Deciding(reached).Private:
		seen["private"]++
	case errno == fs.ErrPermission && reached != clean:
		seen["barred"]++
	case errno == unix.ENOENT:
		seen["missing"]++
	}
	if reached != clean && errno == nil {
		if access == policy.Deny {
			seen["link denied"]++
		} else {
			seen["link granted"]++
		}
	}
}
