package confinetest

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Snapshot is what a tree looked like, by path relative to its root.
type Snapshot map[string]Node

// Node is what can be told of a file without changing it. Folders have no
// modification time here: an entry that comes or goes is seen by itself.
type Node struct {
	Mode     uint32
	UID, GID uint32
	Links    uint64 // of files
	Size     int64
	MTime    int64
	Hash     [8]byte
	Target   string // of links
}

// Take takes a snapshot of root.
func Take(t testing.TB, root string) Snapshot {
	t.Helper()
	snap := Snapshot{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		node, err := look(path)
		snap[strings.TrimPrefix(strings.TrimPrefix(path, root), "/")] = node
		return err
	})
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	return snap
}

func look(path string) (Node, error) {
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return Node{}, &fs.PathError{Op: "lstat", Path: path, Err: err}
	}
	n := Node{Mode: st.Mode, UID: st.Uid, GID: st.Gid}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		var err error
		n.Target, err = os.Readlink(path)
		return n, err
	case unix.S_IFREG:
		n.Size, n.MTime, n.Links = st.Size, st.Mtim.Nano(), uint64(st.Nlink)
		f, err := os.Open(path)
		if err != nil {
			return n, nil // its mode says why; size and time still count
		}
		defer f.Close()
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			return n, err
		}
		copy(n.Hash[:], h.Sum(nil))
	}
	return n, nil
}

// Diff lists the paths that differ, each with what happened to it: "+" came,
// "-" went, "~" changed.
func (before Snapshot) Diff(after Snapshot) []string {
	var diff []string
	for path, b := range before {
		a, still := after[path]
		switch {
		case !still:
			diff = append(diff, fmt.Sprintf("- %q", path))
		case a != b:
			diff = append(diff, fmt.Sprintf("~ %q %+v -> %+v", path, b, a))
		}
	}
	for path := range after {
		if _, was := before[path]; !was {
			diff = append(diff, fmt.Sprintf("+ %q", path))
		}
	}
	slices.SortFunc(diff, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return diff
}

// Paths returns the paths of the snapshot, parents before children.
func (before Snapshot) Paths() []string { return slices.Sorted(maps.Keys(before)) }

// Unchanged takes a snapshot of root and, when the test ends, fails it if the
// tree differs then.
func Unchanged(t testing.TB, root string) {
	t.Helper()
	before := Take(t, root)
	t.Cleanup(func() {
		for _, line := range before.Diff(Take(t, root)) {
			t.Errorf("left behind in %s: %s", root, line)
		}
	})
}
