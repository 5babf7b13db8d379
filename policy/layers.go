package policy

import (
	"maps"
	"slices"
)

// Layer is one element of the stack that decides access: Access at Path and
// below it, until a deeper layer.
type Layer struct {
	Path   string `json:"path"` // clean, free of links except where Symlink is set
	Access Access `json:"access"`
	Origin Origin `json:"origin"`
	// Private: what is seen here was made for the run (a private /tmp, /dev,
	// /proc) and is not the host's tree. Access is still to be enforced: a
	// request can make part of it read-only or close it.
	Private bool `json:"private,omitempty"`
	// Absent: nothing existed at Path when the policy was resolved. The command
	// can create it only where the layer around is writable; elsewhere there is
	// nothing to enforce, and what the host's user puts there is his own.
	Absent bool `json:"absent,omitempty"`
	// Symlink: Path is itself a link that must not be replaced. What it points
	// to has a layer of its own where it needs one.
	Symlink bool   `json:"symlink,omitempty"`
	Kind    Kind   `json:"kind,omitzero"` // on the host
	Source  string `json:"source,omitempty"`
}

// Layers is the one result that everything which enforces or explains a policy
// reads. The deepest layer that contains a path decides it. Immutable; the zero
// value denies everything.
type Layers struct {
	stack []Layer        // parents before children; the first is "/"
	at    map[string]int // index in stack by path
}

// WritableRoot is a writable layer and what is closed again below it.
type WritableRoot struct {
	Path      string   `json:"path"`
	Private   bool     `json:"private,omitempty"`
	CarveOuts []string `json:"carve_outs,omitempty"` // layers below, not writable, with no other root between
}

// GrantLayers returns the layers of a resolved policy. Under DangerFullAccess it
// is one writable layer at "/"; the layers of a policy that is not Valid deny
// everything.
func GrantLayers(p Policy) Layers { return p.layers }

// newLayers collapses a stack with one layer per path: a layer that changes
// neither the access in force at its path nor what is seen there is dropped.
func newLayers(byPath map[string]Layer) Layers {
	all := slices.SortedFunc(maps.Values(byPath), func(a, b Layer) int { return comparePaths(a.Path, b.Path) })
	l := Layers{at: make(map[string]int, len(all))}
	for _, layer := range all {
		if i := l.find(layer.Path); i >= 0 {
			above := l.stack[i]
			if above.Access == layer.Access && (above.Private == layer.Private || layer.Access == Deny) {
				continue
			}
		}
		l.at[layer.Path] = len(l.stack)
		l.stack = append(l.stack, layer)
	}
	return l
}

// find returns the index of the layer that decides a clean path, or -1.
func (l Layers) find(path string) int {
	for {
		if i, ok := l.at[path]; ok {
			return i
		}
		if path == "/" || path == "" {
			return -1
		}
		path = parent(path)
	}
}

// All returns the layers broadest first: parents before children, then by path.
func (l Layers) All() []Layer { return slices.Clone(l.stack) }

// AccessFor returns the access at path, judged lexically: it follows no links,
// so a caller that holds a path which may contain links asks about what the
// path reaches. A path that Clean refuses is denied.
func (l Layers) AccessFor(path string) Access { return l.Deciding(path).Access }

// Deciding returns the layer that decides path. For a path that Clean refuses,
// and for the zero Layers, it is a denial at "/" with no origin.
func (l Layers) Deciding(path string) Layer {
	if !isClean(path) {
		var err error
		if path, err = Clean(path); err != nil {
			return Layer{Path: "/", Access: Deny}
		}
	}
	if i := l.find(path); i >= 0 {
		return l.stack[i]
	}
	return Layer{Path: "/", Access: Deny}
}

// At returns the layer whose path is exactly the clean path.
func (l Layers) At(path string) (Layer, bool) {
	i, ok := l.at[path]
	if !ok {
		return Layer{}, false
	}
	return l.stack[i], true
}

// Under returns the layers strictly below a clean path, parents before children.
func (l Layers) Under(path string) []Layer {
	var below []Layer
	for _, layer := range l.stack {
		if layer.Path != path && Contains(path, layer.Path) {
			below = append(below, layer)
		}
	}
	return below
}

// WritableRoots returns every writable layer with its carve-outs.
func (l Layers) WritableRoots() []WritableRoot {
	var roots []WritableRoot
	index := map[string]int{}
	for _, layer := range l.stack {
		if layer.Access == Write {
			index[layer.Path] = len(roots)
			roots = append(roots, WritableRoot{Path: layer.Path, Private: layer.Private})
		}
	}
	for _, layer := range l.stack {
		if layer.Access == Write {
			continue
		}
		for p := layer.Path; p != "/"; {
			p = parent(p)
			if i, ok := index[p]; ok {
				roots[i].CarveOuts = append(roots[i].CarveOuts, layer.Path)
				break
			}
		}
	}
	return roots
}

// UnreadablePaths returns the path of every layer that denies.
func (l Layers) UnreadablePaths() []string {
	var paths []string
	for _, layer := range l.stack {
		if layer.Access == Deny {
			paths = append(paths, layer.Path)
		}
	}
	return paths
}
