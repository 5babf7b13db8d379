package policy

import (
	"fmt"
	"testing"
)

// manyEntries is a tree of n folders, and nested entries on all of them.
func manyEntries(n int) (Defaults, Host, *MemFS) {
	f := NewMemFS("/home/u/repo", "/tmp")
	d := Defaults{Mode: WorkspaceWrite, Workspace: "/home/u/repo"}
	for i := range n {
		path := fmt.Sprintf("/home/u/repo/pkg%d/module%d/src%d", i%10, i%100, i)
		f.Dir(path)
		d.Entries = append(d.Entries, Entry{Path: path, Access: []Access{Deny, Read}[i%2]})
	}
	return d, Host{Home: "/home/u", Cwd: "/home/u/repo"}, f
}

func BenchmarkAccessFor(b *testing.B) {
	d, h, f := manyEntries(1000)
	p, err := Resolve(Request{}, d, h, f)
	if err != nil {
		b.Fatal(err)
	}
	layers := GrantLayers(p)
	b.ReportAllocs()
	for b.Loop() {
		layers.AccessFor("/home/u/repo/pkg3/module33/src233/deep/er/file.go")
	}
}

func BenchmarkResolve(b *testing.B) {
	d, h, f := manyEntries(1000)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Resolve(Request{}, d, h, f); err != nil {
			b.Fatal(err)
		}
	}
}

func TestAccessForAllocatesNothing(t *testing.T) {
	d, h, f := manyEntries(1000)
	p, err := Resolve(Request{}, d, h, f)
	if err != nil {
		t.Fatal(err)
	}
	layers := GrantLayers(p)
	if n := testing.AllocsPerRun(100, func() { layers.AccessFor("/home/u/repo/pkg3/module33/src233/deep/er/file.go") }); n != 0 {
		t.Errorf("AccessFor allocates %v times", n)
	}
}
