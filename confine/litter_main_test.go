package confine_test

import (
	"maps"
	"os"
	"testing"

	"confine/confine/confinetest"
)

// TestMain runs the suite as the present user and, as root, once more as an
// ordinary one. The same binary performs the acts that the tests confine.
func TestMain(m *testing.M) {
	acts := map[string]confinetest.Act{}
	for _, more := range []map[string]confinetest.Act{oracleActs, escapeActs, superviseActs} {
		maps.Copy(acts, more)
	}
	os.Exit(confinetest.Main(m, acts))
}
