package confinetest

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Dir makes a folder for a test outside /tmp, which a private tmp hides, and
// removes it with the test: below /srv, /var/lib or the home folder, whichever
// this user can write to first.
func Dir(t testing.TB) string {
	t.Helper()
	for _, base := range []string{"/srv", "/var/lib", os.Getenv("HOME")} {
		if base != "" && unix.Access(base, unix.W_OK) == nil {
			return DirIn(t, base)
		}
	}
	Skip(t, "no folder outside /tmp is writable")
	return ""
}

// TempDir makes a folder for a test below /tmp.
func TempDir(t testing.TB) string {
	t.Helper()
	return DirIn(t, "/tmp")
}

// DirIn makes a folder for a test below base and removes it with the test.
func DirIn(t testing.TB, base string) string {
	t.Helper()
	dir, err := os.MkdirTemp(base, "confinetest-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { Remove(t, dir) })
	return dir
}

// Remove removes a tree whatever the modes of its folders.
func Remove(t testing.TB, dir string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if d != nil && d.IsDir() && err == nil {
			_ = os.Chmod(path, 0o700) // before it is read
		}
		return nil
	})
	if err := os.RemoveAll(dir); err != nil {
		t.Errorf("clean up: %v", err)
	}
}

// WriteTree makes files below root: a name that ends in "/" is a folder, a
// content that starts with "-> " a symbolic link.
func WriteTree(t testing.TB, root string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := root + "/" + name
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch {
		case name[len(name)-1] == '/':
			err = os.MkdirAll(path, 0o755)
		case len(content) > 3 && content[:3] == "-> ":
			err = os.Symlink(content[3:], path)
		default:
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
