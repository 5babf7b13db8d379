package confinetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// binEnv names the program to test; without it CLI builds one.
const binEnv = "CONFINE_BIN"

// building lets parallel tests share one build.
var building sync.Mutex

// CLI returns the path of the confine program, built from this checkout the
// first time. The package under test lies directly below the module's root.
func CLI(t testing.TB) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	if bin := os.Getenv(binEnv); bin != "" {
		return bin
	}
	Require(t, "go")
	dir, err := os.MkdirTemp("", "confine-bin-") // lives as long as the test binary: removed by Main
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "confine")
	if out, err := exec.Command("go", "build", "-o", bin, "../cmd/confine").CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		t.Fatalf("build the program: %v\n%s", err, out)
	}
	os.Setenv(binEnv, bin)
	os.Setenv(builtEnv, dir)
	return bin
}

// builtEnv names the folder of a program that CLI built.
const builtEnv = "CONFINE_BIN_BUILT"

func removeBuilt() {
	if dir := os.Getenv(builtEnv); dir != "" {
		os.RemoveAll(dir)
		os.Unsetenv(builtEnv)
		os.Unsetenv(binEnv)
	}
}
