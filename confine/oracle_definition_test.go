package confine_test

import (
	"slices"
	"strings"

	"confine/policy"
)

// The meaning of a policy written down literally, sharing nothing with package
// policy but the input. Every statement is kept in a list and the whole list is
// scanned for every question.

// statement says what holds at a path and below, until a deeper one.
type statement struct {
	path    string
	access  policy.Access
	rank    int // between statements for one path: 0 baseline, 1 generated, 2 written
	private bool
	folder  bool // on the host
	absent  bool
}

type definition struct {
	statements []statement
	// links through which the policy grants something
	links []string
}

func within(root, path string) bool {
	return root == "/" || path == root || strings.HasPrefix(path, root+"/")
}

func parentDir(path string) string {
	i := strings.LastIndex(path, "/")
	if i == 0 {
		return "/"
	}
	return path[:i]
}

// define lists the statements of a policy for a tree. kinds tells what is at a
// path of the tree: "dir", "file", or "" for nothing.
func define(d policy.Defaults, kinds func(string) string) *definition {
	def := &definition{}
	add := func(path string, access policy.Access, rank int, private bool) {
		kind := kinds(path)
		def.statements = append(def.statements, statement{path, access, rank, private, kind == "dir", kind == ""})
	}
	root := policy.Read
	if d.Baseline == policy.BaselineDeny {
		root = policy.Deny
	}
	add("/", root, 0, false)
	tmp := d.Tmp
	if tmp == 0 && d.Mode == policy.WorkspaceWrite {
		tmp = policy.TmpPrivate
	}
	if tmp == policy.TmpPrivate || tmp == policy.TmpHost {
		add("/tmp", policy.Write, 1, tmp == policy.TmpPrivate)
	}
	if d.Mode == policy.WorkspaceWrite {
		add(d.Workspace, policy.Write, 1, false)
	}
	for _, e := range d.Entries {
		add(e.Path, e.Access, 2, false)
	}
	// what is planted under one of these names runs later, outside
	var protected []statement
	for _, s := range def.statements {
		if s.access != policy.Write || s.private || !s.folder || def.decide(s.path) != s {
			continue
		}
		for _, name := range []string{".git", ".hg", ".svn", ".ssh", ".aws", ".npmrc", ".netrc"} {
			path := strings.TrimSuffix(s.path, "/") + "/" + name
			in := def.decide(path)
			if in.access == policy.Write && !in.private && !(in.path == path && in.rank == 2) {
				protected = append(protected, statement{path, policy.Read, 1, false, kinds(path) == "dir", kinds(path) == ""})
			}
		}
	}
	def.statements = append(def.statements, protected...)
	return def
}

// decide returns the statement that counts at path.
func (def *definition) decide(path string) statement {
	var best statement
	for _, s := range def.statements {
		if !within(s.path, path) {
			continue
		}
		switch {
		case best.path == "" || len(s.path) > len(best.path):
			best = s
		case len(s.path) < len(best.path) || s.rank < best.rank:
		case s.rank > best.rank, s.rank == 2: // the later of written ones
			best = s
		case s.access < best.access, s.access == best.access && !s.private: // the stricter of generated ones
			best = s
		}
	}
	return best
}

func (def *definition) access(path string) policy.Access { return def.decide(path).access }

// shown reports whether the host's object at path is what is seen inside.
func (def *definition) shown(path string) bool {
	in := def.decide(path)
	return in.access != policy.Deny && !in.private
}

// changes reports whether what holds at path differs from what holds around it.
func (def *definition) changes(path string) bool {
	if path == "/" {
		return true
	}
	here, around := def.decide(path), def.decide(parentDir(path))
	return here.access != around.access || here.access != policy.Deny && here.private != around.private
}

// mountPoint reports whether something is mounted at path: a grant, a
// carve-out, or a pin on the way from a writable tree to one.
func (def *definition) mountPoint(path string) bool {
	for _, s := range def.statements {
		if !within(path, s.path) || !def.changes(s.path) {
			continue
		}
		if s.path == path {
			return !s.absent
		}
		around := def.decide(parentDir(s.path))
		root := def.rootOf(parentDir(s.path))
		if around.access == policy.Write && !around.private && path != root && within(root, path) {
			return true
		}
	}
	return false
}

// rootOf returns where the access in force at path begins.
func (def *definition) rootOf(path string) string {
	for path = def.decide(path).path; !def.changes(path); {
		path = def.decide(parentDir(path)).path
	}
	return path
}

// mountOf returns the path of the mount on which the host's object at path is seen.
func (def *definition) mountOf(path string) string {
	for !def.mountPoint(path) && path != "/" {
		path = parentDir(path)
	}
	return path
}

// opened reports whether path is a folder on the way to something granted, or
// to a made link, so that it exists inside although it is hidden itself.
func (def *definition) opened(path string) bool {
	return def.holdsMounts(path) || slices.ContainsFunc(def.links, func(l string) bool { return l != path && within(path, l) && def.madeLink(l) })
}

func (def *definition) holdsMounts(path string) bool {
	for _, s := range def.statements {
		if within(path, s.path) && s.path != path && def.changes(s.path) && !s.absent {
			return true
		}
	}
	return false
}

// madeLink reports whether path is a link that is made again inside, because
// something is granted through it and its place is hidden.
func (def *definition) madeLink(path string) bool {
	return slices.Contains(def.links, path) && !def.shown(path)
}
