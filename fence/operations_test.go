//go:build linux

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var usualTree = [][2]string{
	{"ro/f", "ro"}, {"ro/d/", ""},
	{"denied/f", "SECRET"}, {"denied/d/f", "SECRET"}, {"denied/open/f", "open"},
	{"denied/back", "-> ../w/f"},
	{"w/f", "w"}, {"w/d/f", "wd"}, {"w/d/e/", ""}, {"w/empty/", ""}, {"w/secret/f", "SECRET"}, {"w/.git/config", "git"},
	{"w/to-f", "-> f"}, {"w/to-d", "-> d"}, {"w/to-ro", "-> ../ro/f"}, {"w/to-denied", "-> ../denied/f"},
	{"w/to-denied-dir", "-> ../denied"}, {"w/to-secret", "-> secret"}, {"w/chain", "-> to-denied"}, {"w/chain2", "-> chain"},
	{"w/dangling", "-> new-here"}, {"w/dangling-ro", "-> ../ro/new"}, {"w/dangling-denied", "-> ../denied/new"},
	{"w/via-denied", "-> ../denied/d/../../w/f"}, {"w/loop", "-> loop"}, {"w/file-dir", "-> f/x"},
	{"w/hard", "= denied/f"}, {"w/own", "own"}, {"w/own2", "= w/own"}, {"w/fifo", "|"},
	{"w/proc-fd", "-> /proc/self/fd"}, {"w/proc-root", "-> /proc/self/root"}, {"ro/into-w", "-> ../w/f"}, {"ro/fifo", "|"},
}

const (
	ok   = "ok"
	deny = "denied"
)

// verdict puts an error into one word.
func verdict(err error) string {
	var errno unix.Errno
	switch {
	case err == nil:
		return ok
	case denied(err) != nil:
		return deny
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

// TestOperations runs each operation on a fresh tree. A "!" marks a case whose
// path the same operation of package os, without the fence, can act on: then
// the denial is the fence's work and no accident.
func TestOperations(t *testing.T) {
	ops := map[string]struct {
		fenced, plain func(f *Fence, path string) error
	}{
		"read": {
			func(f *Fence, p string) error { _, err := f.ReadFile(p); return err },
			func(_ *Fence, p string) error { _, err := os.ReadFile(p); return err },
		},
		"write": {
			func(f *Fence, p string) error { return f.WriteFile(p, []byte("new"), 0o644) },
			func(_ *Fence, p string) error { return os.WriteFile(p, []byte("new"), 0o644) },
		},
		"create": {
			func(f *Fence, p string) error { return closing(f.Create(p)) },
			func(_ *Fence, p string) error { return closing(os.Create(p)) },
		},
		"excl": {
			func(f *Fence, p string) error {
				return closing(f.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
			},
			func(_ *Fence, p string) error {
				return closing(os.OpenFile(p, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644))
			},
		},
		"mkdir":     {func(f *Fence, p string) error { return f.Mkdir(p, 0o755) }, func(_ *Fence, p string) error { return os.Mkdir(p, 0o755) }},
		"mkdirall":  {func(f *Fence, p string) error { return f.MkdirAll(p, 0o755) }, func(_ *Fence, p string) error { return os.MkdirAll(p, 0o755) }},
		"remove":    {(*Fence).Remove, func(_ *Fence, p string) error { return os.Remove(p) }},
		"removeall": {(*Fence).RemoveAll, func(_ *Fence, p string) error { return os.RemoveAll(p) }},
		"stat": {
			func(f *Fence, p string) error { _, err := f.Stat(p); return err },
			func(_ *Fence, p string) error { _, err := os.Stat(p); return err },
		},
		"lstat": {
			func(f *Fence, p string) error { _, err := f.Lstat(p); return err },
			func(_ *Fence, p string) error { _, err := os.Lstat(p); return err },
		},
		"readdir": {
			func(f *Fence, p string) error { _, err := f.ReadDir(p); return err },
			func(_ *Fence, p string) error { _, err := os.ReadDir(p); return err },
		},
		"readlink": {
			func(f *Fence, p string) error { _, err := f.Readlink(p); return err },
			func(_ *Fence, p string) error { _, err := os.Readlink(p); return err },
		},
		"rename-from": {
			func(f *Fence, p string) error { return f.Rename(p, filepath.Join(f.cwd, "w/renamed")) },
			func(f *Fence, p string) error { return os.Rename(p, filepath.Join(f.cwd, "w/renamed")) },
		},
		"rename-to": {
			func(f *Fence, p string) error { return f.Rename(filepath.Join(f.cwd, "w/own"), p) },
			func(f *Fence, p string) error { return os.Rename(filepath.Join(f.cwd, "w/own"), p) },
		},
	}
	tests := []struct {
		op    string
		cases string // "path verdict" pairs; with "!" the plain operation works
	}{
		{"read", `w/f ok; ro/f ok; w/to-f ok; w/to-d/f ok; w/to-ro ok; ro/into-w ok; denied/open/f ok; w/d/../f ok; w/to-d/../f ok; w//./f ok; w/hard ok;
			denied/f denied!; w/to-denied denied!; w/chain2 denied!; w/to-denied-dir/f denied!; w/to-denied-dir/open/f ok; w/secret/f denied!; w/to-secret/f denied!;
			w/via-denied denied!; denied/back denied!; denied/d/../../w/f denied!; w/to-denied-dir/../w/f ok;
			denied/nothing denied; denied/nothing/../../w/f denied; w/nothing ENOENT; w/dangling ENOENT; w/dangling-denied denied; w/loop ELOOP; w/f/x ENOTDIR; w/f/ ENOTDIR; w/file-dir ENOTDIR;
			w/d EISDIR; w/d/ EISDIR; w/fifo denied; ro/fifo denied; w/proc-root/etc/passwd denied!; w/proc-fd/0 denied`},
		{"write", `w/f ok; w/to-f ok; w/new ok; w/dangling ok; w/d/../new ok; w/nothing/../new ENOENT;
			ro/f denied!; ro/new denied!; w/to-ro denied!; w/dangling-ro denied!; w/dangling-denied denied!; w/chain2 denied!; denied/open/f denied!; denied/open/new denied!;
			w/hard denied!; w/own denied!; w/.git/config denied!; w/.git/new denied!; w/secret/new denied!; w/to-denied-dir/new denied!; ro/into-w ok; w/../ro/f denied!;
			w/new/ EISDIR; w/d EISDIR; w/nothing/new ENOENT; w/fifo denied`},
		{"create", `w/f ok; w/new ok; w/dangling ok; w/dangling-ro denied!; w/hard denied!; ro/new denied!; ro/f denied!; denied/new denied!`},
		{"excl", `w/new ok; w/f EEXIST; w/dangling EEXIST; w/to-denied EEXIST; ro/new denied!; w/secret/new denied!; w/to-denied-dir/new denied!`},
		{"mkdir", `w/new ok; w/new/ ok; w/to-d/new ok; w/d EEXIST; w/dangling EEXIST; w/nothing/new ENOENT; ro/new denied!; w/.git/new denied!; denied/new denied!; w/to-denied-dir/new denied!; w/secret/new denied!`},
		{"mkdirall", `w/a/b/c ok; w/to-d/a/b ok; w/d ok; ro/d ok; w/f ENOTDIR; w/f/x ENOTDIR; w/a/../../ro/new denied; ro/a/b denied!; w/to-secret/a/b denied!; w/to-denied-dir/a denied!; w/.git/a/b denied!`},
		{"remove", `w/f ok; w/to-denied ok; w/to-denied-dir ok; w/dangling ok; w/empty ok; w/empty/ ok; w/hard ok; w/fifo ok; w/d ENOTEMPTY; w/nothing ENOENT; w/to-d/ ENOTDIR; w/f/ ENOTDIR; w/empty/. EINVAL; w/d/e/.. EINVAL;
			ro/f denied!; ro/d denied!; w/.git/config denied!; w/secret/f denied!; w/to-denied-dir/f denied!; denied/open/f denied!; denied/f denied!; ro/into-w denied!; w/to-ro ok`},
		{"removeall", `w/d ok; w/f ok; w/to-denied-dir ok; w/nothing ok; w denied!; w/.git denied!; w/secret denied!; ro denied!; ro/d denied!; w/to-denied-dir/d denied!; denied denied!; w/to-d/e ok`},
		{"stat", `w/f ok; w/to-f ok; w/to-ro ok; w/fifo ok; ro ok; denied denied!; denied/open ok; w/to-denied denied!; w/secret denied!; w/chain2 denied!; w/dangling ENOENT`},
		{"lstat", `w/f ok; w/to-denied ok; w/dangling ok; w/to-d/ ok; w/to-denied-dir/ denied!; denied/f denied!; denied/back denied!; w/secret denied!; w/to-denied-dir/back denied!`},
		{"readdir", `w ok; w/to-d ok; ro ok; denied/open ok; denied denied!; w/secret denied!; w/to-denied-dir denied!; w/to-secret denied!; w/f ENOTDIR; w/nothing ENOENT`},
		{"readlink", `w/to-denied ok; ro/into-w ok; w/f EINVAL; denied/back denied!; w/to-denied-dir/back denied!`},
		{"rename-from", `w/f ok; w/d ok; w/to-denied ok; w/hard ok; w/nothing ENOENT; ro/f denied!; denied/f denied!; w/secret/f denied!; w/secret denied!; w/.git denied!; w/.git/config denied!; w/to-denied-dir/f denied!; denied/open/f denied!; w/d/e/.. EINVAL`},
		{"rename-to", `w/f ok; w/new ok; w/to-denied ok; w/dangling-ro ok; w/d EISDIR; w/new/ ENOENT; w/nothing/x ENOENT; ro/f denied!; ro/new denied!; denied/new denied!; w/secret/f denied!; w/.git/new denied!; w/.git/config denied!; w/to-denied-dir/f denied!`},
	}
	for _, tt := range tests {
		for c := range strings.SplitSeq(tt.cases, ";") {
			path, want, _ := strings.Cut(strings.TrimSpace(c), " ")
			want, plain := strings.CutSuffix(want, "!")
			t.Run(tt.op+" "+path, func(t *testing.T) {
				if plain {
					root := scratch(t)
					build(t, root, usualTree)
					if err := ops[tt.op].plain(&Fence{cwd: root}, root+"/"+path); err != nil {
						t.Fatalf("control: without the fence: %v", err)
					}
				}
				root := scratch(t)
				build(t, root, usualTree)
				f := newFence(t, usual(t, root))
				before := snapshot(t, root)
				err := ops[tt.op].fenced(f, root+"/"+path)
				if got := verdict(err); got != want {
					t.Fatalf("got %s (%v), want %s", got, err, want)
				}
				if err != nil {
					if after := snapshot(t, root); !slices.Equal(before, after) {
						t.Errorf("the tree changed:\n%v\n%v", before, after)
					}
				}
				if got := verdict(ops[tt.op].fenced(f, path)); want == deny && got != deny {
					t.Errorf("relative: got %s, want %s", got, want)
				}
			})
		}
	}
}

func closing(f *os.File, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}

// snapshot lists everything below root with inode and content.
func snapshot(t testing.TB, root string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil {
			return err
		}
		text := ""
		switch d.Type() {
		case 0:
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(content)
		case fs.ModeSymlink:
			if text, err = os.Readlink(path); err != nil {
				return err
			}
		}
		lines = append(lines, fmt.Sprintf("%s ino=%d mode=%o %q", path[len(root):], st.Ino, st.Mode, text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}
