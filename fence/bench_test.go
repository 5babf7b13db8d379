//go:build linux

package fence

import (
	"fmt"
	"os"
	"testing"

	"confine/policy"
)

// thousand is a fence with 1,000 nested layers, and a path below one of them
// that is granted.
func thousand(t testing.TB) (*Fence, string) {
	root := scratch(t)
	d := policy.Defaults{Entries: []policy.Entry{{Path: root, Access: policy.Write}}}
	for i := range 1000 {
		path := fmt.Sprintf("%s/pkg%d/module%d/src%d", root, i%10, i%100, i)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		d.Entries = append(d.Entries, policy.Entry{Path: path, Access: []policy.Access{policy.Deny, policy.Read}[i%2]})
	}
	file := root + "/pkg3/module33/src233/deep/er/file.go"
	build(t, root, [][2]string{{file[len(root):], "package"}})
	return newFence(t, resolve(t, d, root, policy.Request{})), file
}

// BenchmarkDecision is the lexical decision alone.
func BenchmarkDecision(b *testing.B) {
	f, file := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		if f.judge(file, file, policy.Read) != nil {
			b.Fatal("denied")
		}
	}
}

// BenchmarkCheck finds out where the path leads as well.
func BenchmarkCheck(b *testing.B) {
	f, file := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := f.Check(file, policy.Read); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadFile and BenchmarkPlainReadFile: what the fence adds.
func BenchmarkReadFile(b *testing.B) {
	f, file := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.ReadFile(file); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPlainReadFile(b *testing.B) {
	_, file := thousand(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := os.ReadFile(file); err != nil {
			b.Fatal(err)
		}
	}
}

func TestDecisionAllocatesNothing(t *testing.T) {
	f, file := thousand(t)
	if len(f.layers.All()) < 1000 {
		t.Fatalf("%d layers", len(f.layers.All()))
	}
	if n := testing.AllocsPerRun(100, func() { f.judge(file, file, policy.Read) }); n != 0 {
		t.Errorf("a decision allocates %v times", n)
	}
}
