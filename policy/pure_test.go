package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The package asks nothing of the machine: what it knows comes in as values, so
// that a policy can be resolved and tested anywhere.
func TestThePackageIsPure(t *testing.T) {
	forbidden := map[string]string{
		"os": "the tree comes in as an FS", "os/exec": "nothing is run", "net": "no network", "syscall": "no system calls", "io/ioutil": "no files",
		"path/filepath": "paths are those of Linux", "runtime": "no platform logic", "crypto/rand": "randomness comes from the caller", "log": "no output", "unsafe": "no tricks",
	}
	clock := map[string]bool{"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true, "NewTimer": true, "Tick": true}
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("list the package's files: %q, %v", names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if why := forbidden[path]; why != "" || strings.HasPrefix(path, "confine/") || strings.HasPrefix(path, "golang.org/x/sys") {
				t.Errorf("%s imports %s: %s", name, path, why)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.SelectorExpr); ok {
				if pkg, ok := call.X.(*ast.Ident); ok && pkg.Name == "time" && clock[call.Sel.Name] {
					t.Errorf("%s reads the clock with time.%s", name, call.Sel.Name)
				}
			}
			return true
		})
	}
}
