package confinetest

import (
	"os"
	"os/exec"
	"testing"
)

// requireEnv, set to anything, turns every skip into a failure.
const requireEnv = "CONFINE_REQUIRE"

// Skip skips the test because this machine cannot show what it is about.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(requireEnv) != "" {
		t.Fatalf("%s is set, and this test would be skipped: %s", requireEnv, reason)
	}
	t.Skip(reason)
}

// Require skips the test where one of the programs is not installed.
func Require(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			Skip(t, p+" is not installed")
		}
	}
}
