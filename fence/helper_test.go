//go:build linux

package fence

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// realFS is the host's tree for policy.Resolve.
type realFS struct{}

func (realFS) Lstat(path string) (policy.Info, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return policy.Info{}, err
	}
	kinds := map[fs.FileMode]policy.Kind{0: policy.KindFile, fs.ModeDir: policy.KindDir, fs.ModeSymlink: policy.KindSymlink, fs.ModeSocket: policy.KindSocket}
	kind, ok := kinds[info.Mode().Type()]
	if !ok {
		kind = policy.KindOther
	}
	return policy.Info{Kind: kind}, nil
}

func (realFS) Readlink(path string) (string, error) { return os.Readlink(path) }

func (realFS) ReadFile(path string, max int64) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err == nil && int64(len(text)) > max {
		err = errors.New("too large")
	}
	return text, err
}

func (realFS) ReadDir(path string) (names []string, err error) {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// scratch is an empty folder, free of links, that everybody may pass.
func scratch(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// build makes a tree: a name that ends in "/" is a folder, a content that starts
// with "-> " a symbolic link, with "= " a hard link, "|" a fifo.
func build(t testing.TB, root string, nodes [][2]string) {
	t.Helper()
	for _, node := range nodes {
		path, content := filepath.Join(root, node[0]), node[1]
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case node[0][len(node[0])-1] == '/':
			err = os.MkdirAll(path, 0o755)
		case len(content) > 3 && content[:3] == "-> ":
			err = os.Symlink(content[3:], path)
		case len(content) > 2 && content[:2] == "= ":
			err = os.Link(filepath.Join(root, content[2:]), path)
		case content == "|":
			err = unix.Mkfifo(path, 0o644)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// resolve is a read-only policy on the real tree with entries below root.
func resolve(t testing.TB, d policy.Defaults, cwd string, req policy.Request) policy.Policy {
	t.Helper()
	p, err := policy.Resolve(req, d, policy.Host{Cwd: cwd}, realFS{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// usual is the policy of most tests: root is readable, root/w writable,
// root/w/secret and root/denied denied, root/denied/open readable, root/w/.git
// read-only.
func usual(t testing.TB, root string) policy.Policy {
	t.Helper()
	return resolve(t, policy.Defaults{Entries: []policy.Entry{
		{Path: root + "/w", Access: policy.Write},
		{Path: root + "/w/secret", Access: policy.Deny, Optional: true},
		{Path: root + "/denied", Access: policy.Deny},
		{Path: root + "/denied/open", Access: policy.Read, Optional: true},
	}}, root, policy.Request{})
}

func newFence(t testing.TB, p policy.Policy, options ...Option) *Fence {
	t.Helper()
	f, err := New(p, options...)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// denied returns the denial in err, or nil.
func denied(err error) *DeniedError {
	d, _ := errors.AsType[*DeniedError](err)
	return d
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
