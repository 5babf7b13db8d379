package confine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"confine/policy"
)

// A generated tree and a generated policy for it.

type generatedTree struct {
	root    string
	paths   []string // absolute, parents before children
	kind    map[string]string
	targets map[string]string // physical target of each link, "" for dangling ones
}

// Names that a launcher could stumble over.
var oddNames = []string{"a", "b", "c", "with space", "new\nline", "not utf-8 \xff\xfe", "#|;$(x)", "ünï", "-rf", ".hidden", "tab\there", "q'\"`", "back\\slash"}

func growTree(t *testing.T, rng *rand.Rand, root string) *generatedTree {
	g := &generatedTree{root: root, kind: map[string]string{}, targets: map[string]string{}}
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	g.add(root, "dir")
	g.grow(t, rng, root, 0)
	var files, all []string
	for _, p := range g.paths[1:] {
		all = append(all, p)
		if g.kind[p] == "file" {
			files = append(files, p)
		}
	}
	for i := range 1 + rng.IntN(3) {
		dir := g.folders()[rng.IntN(len(g.folders()))]
		path := fmt.Sprintf("%s/link %d", dir, i)
		target := all[rng.IntN(len(all))]
		if g.kind[target] == "link" {
			continue
		}
		g.targets[path] = target
		if rng.IntN(5) == 0 {
			target, g.targets[path] = target+" missing", ""
		}
		g.must(t, os.Symlink(target, path))
		g.add(path, "link")
	}
	for i := range rng.IntN(3) {
		path := fmt.Sprintf("%s/hard %d", g.folders()[rng.IntN(len(g.folders()))], i)
		g.must(t, os.Link(files[rng.IntN(len(files))], path))
		g.add(path, "file")
	}
	return g
}

func (g *generatedTree) must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (g *generatedTree) add(path, kind string) {
	g.paths = append(g.paths, path)
	g.kind[path] = kind
}

func (g *generatedTree) folders() (list []string) {
	for _, p := range g.paths {
		if g.kind[p] == "dir" {
			list = append(list, p)
		}
	}
	return list
}

func (g *generatedTree) grow(t *testing.T, rng *rand.Rand, dir string, depth int) {
	names := append([]string{}, oddNames...)
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	file := func(name, content string) {
		path := dir + "/" + name
		g.must(t, os.WriteFile(path, []byte(content), 0o777))
		g.must(t, os.Chmod(path, 0o777))
		g.add(path, "file")
	}
	file("f", "some content")
	if rng.IntN(2) == 0 {
		file(names[0]+"2", "")
	}
	if rng.IntN(6) == 0 {
		file(".npmrc", "token")
	}
	subfolders := names[1 : 2+rng.IntN(2)]
	if depth < 2 {
		subfolders = names[1:3]
	}
	if depth == 3 {
		subfolders = nil
	}
	if rng.IntN(5) == 0 && depth < 3 {
		subfolders = append(subfolders[:len(subfolders):len(subfolders)], ".git")
	}
	for _, name := range subfolders {
		path := dir + "/" + name
		g.must(t, os.Mkdir(path, 0o777))
		g.must(t, os.Chmod(path, 0o777))
		g.add(path, "dir")
		if name == ".git" {
			g.must(t, os.WriteFile(path+"/config", []byte("[core]\n"), 0o777))
			g.add(path+"/config", "file")
			continue
		}
		g.grow(t, rng, path, depth+1)
	}
}

// growPolicy makes a policy whose statements nest in each other at random.
func growPolicy(rng *rand.Rand, g *generatedTree) policy.Defaults {
	pick := func() string { // rarely a link, which stands for what it reaches
		for {
			p := g.paths[rng.IntN(len(g.paths))]
			if g.kind[p] != "link" || g.targets[p] != "" && rng.IntN(3) == 0 {
				return p
			}
		}
	}
	d := policy.Defaults{
		Mode:      policy.Mode(1 + rng.IntN(2)),
		Baseline:  policy.Baseline(1 + rng.IntN(2)),
		Tmp:       policy.Tmp(rng.IntN(3)), // unset, private, none
		Workspace: g.folders()[rng.IntN(min(4, len(g.folders())))],
	}
	if d.Mode == policy.WorkspaceWrite && rng.IntN(6) == 0 {
		d.Tmp = policy.TmpHost
	}
	if rng.IntN(2) == 0 {
		d.Entries = append(d.Entries, policy.Entry{Path: g.root, Access: policy.Access(1 + rng.IntN(3))})
	}
	for range rng.IntN(10) {
		d.Entries = append(d.Entries, policy.Entry{Path: pick(), Access: policy.Access(1 + rng.IntN(3))})
	}
	// a chain down one branch: write inside deny inside write inside …
	deep := pick()
	access := policy.Write
	for p := g.reached(deep); within(g.root, p) && rng.IntN(4) > 0; p = parentDir(p) {
		d.Entries = append(d.Entries, policy.Entry{Path: p, Access: access})
		access = []policy.Access{0, policy.Write, policy.Deny, policy.Read}[access]
	}
	return d
}

// reached returns what a path of the tree leads to.
func (g *generatedTree) reached(path string) string {
	if target := g.targets[path]; target != "" {
		return target
	}
	return path
}

// direct returns the policy with what its entries reach in place of links, and
// the links on the way: all of them, and those over which something is granted.
func (g *generatedTree) direct(d policy.Defaults) (same policy.Defaults, links, granting []string) {
	same = d
	same.Entries = nil
	for _, e := range d.Entries {
		if g.kind[e.Path] == "link" {
			links = append(links, e.Path)
			if e.Access != policy.Deny {
				granting = append(granting, e.Path)
			}
			e.Path = g.reached(e.Path)
		}
		same.Entries = append(same.Entries, e)
	}
	return same, links, granting
}
