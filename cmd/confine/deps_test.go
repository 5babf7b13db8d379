package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rules say which packages may import what, beside the standard library.
// A folder is governed by the longest name that contains it.
var rules = []struct {
	folder string
	may    []string // prefixes of import paths
	reason string
}{
	{"policy", []string{"confine/policy", "github.com/bmatcuk/doublestar/", "github.com/go-json-experiment/json", "github.com/tailscale/hujson"},
		"pure: what it needs of the world comes in as a value"},
	{"classify", []string{"confine/classify", "mvdan.cc/sh/v3/"}, "pure: what it needs of the world comes in as a value"},
	{"seccomp", []string{"confine/seccomp", "github.com/seccomp/libseccomp-golang", "golang.org/x/sys/"}, "a leaf: profiles know of no policy"},
	{"fence", []string{"confine/fence", "confine/policy", "golang.org/x/sys/"}, "judges by the layers alone, whatever enforces them"},
	{"confine", []string{"confine/confine", "confine/policy", "confine/classify", "confine/seccomp", "golang.org/x/sys/", "github.com/landlock-lsm/go-landlock/"},
		"the library knows of no command line"},
	{"confine/internal/launch", []string{"golang.org/x/sys/"}, "obeys a plan and decides nothing"},
	{"cmd/confine", []string{"confine/", "github.com/spf13/", "golang.org/x/term"}, "parses, calls and prints; system calls are for the packages below"},
	{"scripts", nil, "tools need nothing that has to be fetched"},
}

// TestImports holds the direction of imports of all code that is no test.
func TestImports(t *testing.T) {
	const root = "../.."
	seen := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rule := -1
		for i, r := range rules {
			if (folder == r.folder || strings.HasPrefix(folder, r.folder+"/")) && (rule < 0 || len(r.folder) > len(rules[rule].folder)) {
				rule = i
			}
		}
		if rule < 0 {
			t.Errorf("%s: no rule says what code in %q may import", path, folder)
			return nil
		}
		seen[rules[rule].folder] = true
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") && first != "confine" {
				continue // the standard library
			}
			allowed := func(prefix string) bool {
				return imported == prefix || strings.HasPrefix(imported, strings.TrimSuffix(prefix, "/")+"/")
			}
			if strings.HasPrefix(imported, rules[rule].folder+"/") || slices.ContainsFunc(rules[rule].may, allowed) {
				continue
			}
			if folder == "seccomp/internal/gen/table" || folder == "seccomp/internal/gen/program" {
				continue // run by go generate alone
			}
			t.Errorf("%s imports %q; %s: %s", path, imported, rules[rule].folder, rules[rule].reason)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rules {
		if !seen[r.folder] && r.folder != "fence" {
			t.Errorf("the rule for %q governs no file", r.folder)
		}
	}
}
