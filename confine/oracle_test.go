package confine_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine/confinetest"
	"confine/fence"
	"confine/policy"
)

// For generated policies and trees, what the kernel allows equals what the
// layers and the fence say equals the definition, for every path and operation. CONFINE_SEED=n repeats one of them (its subtest is called n),
// CONFINE_POLICIES=n changes their number.
func TestOracle(t *testing.T) {
	seed, count := uint64(time.Now().UnixNano())%1e9, 200
	if n, err := strconv.Atoi(os.Getenv("CONFINE_POLICIES")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("CONFINE_SEED"), 10, 64); err == nil {
		seed, count = n, max(1, count*btoi(os.Getenv("CONFINE_POLICIES") != ""))
	}
	t.Logf("seed %d: %d policies from CONFINE_SEED=%d on", seed, count, seed)
	base, below := confinetest.Dir(t), confinetest.TempDir(t)
	var seen tally
	t.Run("policies", func(t *testing.T) {
		for i := range count {
			t.Run(fmt.Sprint(seed+uint64(i)), func(t *testing.T) {
				t.Parallel()
				oracleRun(t, rand.New(rand.NewPCG(seed+uint64(i), 1)), base, below, &seen)
			})
		}
	})
	if count >= 100 && !t.Failed() {
		seen.check(t)
	}
}

// tally counts how often each operation was allowed and refused, so that an
// oracle that only ever sees one of them is noticed.
type tally struct {
	mu    sync.Mutex
	count map[string][2]int
}

func (c *tally) add(op string, allowed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == nil {
		c.count = map[string][2]int{}
	}
	n := c.count[op]
	n[btoi(allowed)]++
	c.count[op] = n
}

func (c *tally) check(t *testing.T) {
	for _, op := range slices.Sorted(maps.Keys(c.count)) {
		n := c.count[op]
		t.Logf("%-12s refused %6d allowed %6d", op, n[0], n[1])
		if n[0] < 20 || n[1] < 20 {
			t.Errorf("%s was refused %d times and allowed %d times: the generated policies say too little", op, n[0], n[1])
		}
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func oracleRun(t *testing.T, rng *rand.Rand, base, below string, seen *tally) {
	dir := base
	if rng.IntN(4) == 0 {
		dir = below // hidden by a private tmp where nothing grants it
	}
	tree := growTree(t, rng, confinetest.DirIn(t, dir))
	d := growPolicy(rng, tree)
	direct, links, granting := tree.direct(d)
	def := define(withExe(t, direct), func(path string) string {
		if kind := tree.kind[path]; kind != "" || within(tree.root, path) {
			return kind
		}
		return "dir"
	})
	def.links = granting
	pol, err := confinetest.TryResolve(t, d, "/usr")
	replaceable := slices.ContainsFunc(links, func(l string) bool { in := def.decide(l); return in.access == policy.Write && !in.private })
	if (err != nil) != replaceable {
		t.Fatalf("resolve: %v; entries over links that the command could replace: %v", err, replaceable)
	}
	if replaceable {
		return // refused, and rightly
	}
	layers := policy.GrantLayers(pol)

	fenceAgrees(t, tree, def, pol)
	task := oracleTask{Remove: true}
	for _, p := range tree.paths {
		if got, want := layers.AccessFor(p), def.access(p); got != want {
			t.Errorf("AccessFor(%q) = %s, the definition says %s", p, got, want)
		}
		task.Paths = append(task.Paths, []byte(p))
		task.Kinds = append(task.Kinds, tree.kind[p])
	}
	for range 30 {
		from, to := 1+rng.IntN(len(tree.paths)-1), slices.Index(tree.paths, tree.folders()[rng.IntN(len(tree.folders()))])
		if from == 0 || within(tree.paths[from], tree.paths[to]) {
			continue // a folder into itself is EINVAL for everybody
		}
		task.Moves = append(task.Moves, [2]int{from, to})
	}
	before := confinetest.Take(t, tree.root)
	shared := sharedWithWritable(tree, def)

	c := confinetest.Command(t, pol, "oracle")
	input, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin = bytes.NewReader(input)
	result, report := confinetest.Perform(t, c)
	if !result.Done() {
		t.Errorf("the process could not undo what it did: %s", result.Err)
	}
	var answers []oracleAnswer
	if err := json.Unmarshal([]byte(result.Out), &answers); err != nil {
		t.Fatal(err)
	}
	if report.Outcome != "success" {
		t.Errorf("outcome %s: %s", report.Outcome, report.Reason)
	}
	removed := map[string]bool{}
	for _, a := range answers {
		q := question{def: def, tree: tree, path: tree.paths[a.Path], op: a.Op, removed: removed}
		if a.Other >= 0 {
			q.other = tree.paths[a.Other]
		}
		want, why := q.expect()
		seen.add(a.Op, a.Errno == 0)
		if got := a.Errno == 0; got != want {
			t.Errorf("%s %q %q (%s, %s): %s, expected %s", a.Op, rel(tree, q.path), rel(tree, q.other), tree.kind[q.path], def.access(q.path), errnoOr(a.Errno), why)
		} else if !want && !slices.Contains(refusals, a.Errno) {
			t.Errorf("%s %q: refused with %s, which programs do not understand as a refusal", a.Op, rel(tree, q.path), errnoOr(a.Errno))
		}
		if a.Op == "remove" && want && def.shown(q.path) {
			removed[q.path] = true
		}
	}
	hostUnchanged(t, tree, before, def, removed, shared)
	if t.Failed() {
		t.Logf("mode %s, baseline %s, tmp %s, workspace %q under %s", d.Mode, d.Baseline, d.Tmp, rel(tree, d.Workspace), tree.root)
		for _, l := range layers.All() {
			if within(tree.root, l.Path) || within(l.Path, tree.root) {
				t.Logf("layer %-5s %q %s absent=%v private=%v", l.Access, rel(tree, l.Path), l.Origin, l.Absent, l.Private)
			}
		}
	}
}

// fenceAgrees holds the fence to the definition, at every path. A link is
// judged by what it reaches, and must itself be readable.
func fenceAgrees(t *testing.T, g *generatedTree, def *definition, pol policy.Policy) {
	t.Helper()
	f, err := fence.New(pol, fence.WithHardLinks(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range g.paths {
		most := def.decide(p)
		if g.kind[p] == "link" {
			target := g.targets[p]
			if target == "" {
				continue // judged where it would be created
			}
			if reached := def.decide(target); def.shown(p) || def.madeLink(p) {
				most = reached
			}
		}
		for _, want := range []policy.Access{policy.Read, policy.Write} {
			err := f.Check(p, want)
			if allowed := most.access >= want && !most.private; allowed != (err == nil) {
				t.Errorf("fence: %s %q (%s, %s, private %v): %v", want, rel(g, p), g.kind[p], most.access, most.private, err)
			} else if err != nil && !errors.Is(err, fs.ErrPermission) {
				t.Errorf("fence: %s %q: %v is no denial", want, rel(g, p), err)
			}
		}
	}
}

func withExe(t *testing.T, d policy.Defaults) policy.Defaults {
	d.Entries = append(slices.Clone(d.Entries), policy.Entry{Path: confinetest.Exe(t), Access: policy.Read})
	return d
}

func rel(g *generatedTree, path string) string { return strings.TrimPrefix(path, g.root) }

func errnoOr(e unix.Errno) string {
	if e == 0 {
		return "allowed"
	}
	return unix.ErrnoName(e)
}

// What a refusal looks like. ENOENT where the path is hidden; ENOTEMPTY for
// folders that still hold something that could not be removed.
var refusals = []unix.Errno{unix.EACCES, unix.EPERM, unix.EROFS, unix.EBUSY, unix.EXDEV, unix.ENOENT, unix.ENOTEMPTY}

// question is one operation at one path.
type question struct {
	def     *definition
	tree    *generatedTree
	path    string
	op      string
	other   string
	removed map[string]bool
}

// expect answers from the definition, and knows the divergences.
func (q question) expect() (allowed bool, why string) {
	at := q.def.decide(q.path)
	if at.private {
		// Not the host's object but something of the run's own at the same
		// place; hostUnchanged sees to it that the host's is out of reach.
		return q.ownTmp()
	}
	for _, d := range divergences {
		if d.applies(q) {
			return false, d.name
		}
	}
	writable := func(paths ...string) bool {
		return !slices.ContainsFunc(paths, func(p string) bool { return q.def.access(p) != policy.Write })
	}
	want := false
	switch q.op {
	case "read", "readdir", "readlink":
		want = at.access >= policy.Read || q.def.madeLink(q.path)
	case "lstat":
		want = at.access >= policy.Read || q.def.madeLink(q.path) || q.def.opened(q.path) || at.path == q.path && q.maskSeen()
	case "read through":
		target := q.tree.targets[q.path]
		want = (at.access >= policy.Read || q.def.madeLink(q.path)) && q.reachable(target)
	case "write", "truncate", "create", "utimes", "chown", "chmod", "setxattr":
		want = writable(q.path)
	case "rename", "link":
		want = writable(q.path, parentDir(q.path))
	case "move", "link into":
		want = writable(q.path, parentDir(q.path), q.other) && !q.def.decide(q.other).private
	case "remove":
		want = writable(q.path, parentDir(q.path)) && q.empty()
	}
	return want, fmt.Sprintf("by access %s: %v", at.access, want)
}

// reachable reports whether a link's target, "" for a dangling one, can be opened.
func (q question) reachable(target string) bool {
	return target != "" && (q.def.shown(target) || q.def.decide(target).private && q.def.opened(target))
}

// maskSeen: the mask itself can be seen where its folder can.
func (q question) maskSeen() bool {
	around := q.def.decide(parentDir(q.path))
	return around.access >= policy.Read || around.private
}

// empty reports whether everything in the folder has been removed before.
func (q question) empty() bool {
	return !slices.ContainsFunc(q.tree.paths, func(p string) bool {
		return p != q.path && within(q.path, p) && !q.removed[p]
	})
}

// ownTmp: inside a private tmp only the way to what is granted exists.
func (q question) ownTmp() (bool, string) {
	if !q.def.opened(q.path) && !q.def.madeLink(q.path) {
		return false, "a private tmp hides it"
	}
	switch q.op {
	case "remove":
		return !q.def.holdsMounts(q.path), "a private tmp's folder may hold a mount point"
	case "read through":
		return q.reachable(q.tree.targets[q.path]), "a link made in a private tmp"
	case "move", "link into":
		return q.def.decide(q.other).private && q.def.opened(q.other), "within a private tmp"
	}
	return true, "a private tmp's own folder"
}

// A divergence is a case in which the kernel refuses what the access at the
// path alone would allow. This list is complete: anything else is a failure.
type divergence struct {
	name    string
	applies func(question) bool
}

var divergences = []divergence{
	{"EBUSY: a mount point (grant, carve-out or pin) cannot be renamed, replaced or removed", func(q question) bool {
		return slices.Contains([]string{"rename", "move", "remove"}, q.op) && q.def.mountPoint(q.path)
	}},
	{"EXDEV: nothing can be renamed or linked from one mount to another, as across any two file systems", func(q question) bool {
		switch q.op {
		case "move":
			return q.def.mountOf(parentDir(q.path)) != q.def.mountOf(q.other)
		case "link into":
			return q.def.mountOf(q.path) != q.def.mountOf(q.other)
		case "link":
			return q.def.mountOf(q.path) != q.def.mountOf(parentDir(q.path))
		}
		return false
	}},
}

// sharedWithWritable are the files that have a second name which may be written to.
func sharedWithWritable(g *generatedTree, def *definition) map[string]bool {
	inode := map[string]uint64{}
	writable := map[uint64]bool{}
	for _, p := range g.paths {
		var st unix.Stat_t
		if g.kind[p] == "file" && unix.Lstat(p, &st) == nil {
			inode[p] = st.Ino
			writable[st.Ino] = writable[st.Ino] || def.access(p) == policy.Write && st.Nlink > 1
		}
	}
	shared := map[string]bool{}
	for p, ino := range inode {
		shared[p] = writable[ino]
	}
	return shared
}

// hostUnchanged compares the host's tree with what it has to be.
func hostUnchanged(t *testing.T, g *generatedTree, before confinetest.Snapshot, def *definition, removed, shared map[string]bool) {
	t.Helper()
	after := confinetest.Take(t, g.root)
	for path, was := range before {
		full := g.root
		if path != "" {
			full += "/" + path
		}
		now, still := after[path]
		delete(after, path)
		in := def.decide(full)
		mayTouch := in.access == policy.Write && !in.private || shared[full]
		switch {
		case still == removed[full]:
			t.Errorf("host: %q exists: %v, was removed inside: %v", path, still, removed[full])
		case !still:
		case mayTouch || was.Links > 1:
			now.MTime, now.Links = was.MTime, was.Links
			fallthrough
		default:
			if now != was {
				t.Errorf("host: %q changed from %+v to %+v", path, was, now)
			}
		}
	}
	for path := range after {
		t.Errorf("host: %q appeared", path)
	}
}
