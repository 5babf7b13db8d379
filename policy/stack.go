package policy

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// stack is one layer per path, before redundant ones are dropped.
type stack map[string]Layer

// add puts a layer in its place, unless what is there outranks it.
func (s stack) add(l Layer) {
	if old, taken := s[l.Path]; !taken || outranks(l, old) {
		s[l.Path] = l
	}
}

// outranks decides between two layers for one path: an approval over an entry,
// an entry over generated layers, those over the baseline's. Among entries the
// later wins, among generated layers the stricter, and between equals the
// workspace, because it shows the host's folder.
func outranks(later, earlier Layer) bool {
	a, b := rank(later.Origin), rank(earlier.Origin)
	switch {
	case a != b:
		return a > b
	case a >= rankEntry:
		return true
	}
	return later.Access < earlier.Access || later.Access == earlier.Access && later.Origin == OriginMode
}

const rankEntry = 2

func rank(o Origin) int {
	switch o {
	case OriginBaseline:
		return 0
	case OriginEntry, OriginRestriction:
		return rankEntry
	case OriginApproval:
		return rankEntry + 1
	}
	return 1
}

// deciding returns the deepest layer that contains a clean path.
func (s stack) deciding(path string) Layer {
	for {
		if l, ok := s[path]; ok {
			return l
		}
		if path == "/" {
			return Layer{Path: "/", Access: Deny}
		}
		path = parent(path)
	}
}

// clip lowers the stack to the minimum of itself and limits, for every path:
// where limits says nothing, nothing changes.
func (s stack) clip(limits stack, origin Origin) stack {
	clipped := maps.Clone(s)
	limit := func(path string) (Layer, bool) {
		for {
			if l, ok := limits[path]; ok {
				return l, true
			}
			if path == "/" {
				return Layer{}, false
			}
			path = parent(path)
		}
	}
	for path, l := range s {
		if by, ok := limit(path); ok && by.Access < l.Access {
			l.Access, l.Origin, l.Source = by.Access, origin, by.Source
			clipped[path] = l
		}
	}
	for path, by := range limits {
		if _, ok := s[path]; ok {
			continue
		}
		if in := s.deciding(path); by.Access < in.Access {
			by.Origin = origin
			by.Private = in.Private
			by.Absent = by.Absent || in.Private && in.Origin == OriginTemp
			clipped[path] = by
		} else if _, inside := limit(parent(path)); inside {
			// Another limit above may have closed what this one leaves open.
			in.Path, in.Kind, in.Absent, in.Symlink = path, by.Kind, by.Absent, by.Symlink
			clipped[path] = in
		}
	}
	return clipped
}

// assemble computes the layers under a confining mode, the links that have to
// be made inside, and the optional entries that came to nothing.
func (f *facts) assemble(mode Mode) (Layers, []Link, []Entry) {
	s := f.trustedStack(mode)
	for _, entries := range f.requested {
		if len(entries) > 0 {
			s = s.clip(winners(entries), OriginRestriction)
		}
	}
	f.approve(s)
	if len(f.kept) > 0 {
		s = s.clip(f.ownFiles(s), OriginProtected)
	}
	return newLayers(s), f.hiddenLinks(s), f.skipped(s)
}

// trustedStack is what the deployment alone decides.
func (f *facts) trustedStack(mode Mode) stack {
	s := stack{}
	root := Layer{Path: "/", Access: Read, Origin: OriginBaseline, Kind: KindDir, Source: "baseline"}
	if f.baseline == BaselineDeny {
		root.Access = Deny
	}
	s.add(root)
	for _, l := range f.trusted {
		s.add(l)
	}
	entries := maps.Clone(s)
	for _, l := range f.shown {
		// An entry that closes a folder closes what would be shown in it.
		if by := entries.deciding(l.Path); by.Path != "/" && by.Access == Deny {
			continue
		}
		if l.Path == "/sys" {
			l.Access = min(l.Access, entries["/"].Access)
		}
		s.add(l)
	}
	for _, l := range f.closed {
		s.add(l)
	}
	if tmp := f.tmpFor(mode); tmp != TmpNone {
		for _, l := range f.temps {
			l.Private = tmp == TmpPrivate
			l.Source = fmt.Sprintf("tmp: %s", tmp)
			s.add(l)
		}
	}
	if mode == WorkspaceWrite {
		s.add(f.workspace)
	}
	f.late(s, func(Layer) bool { return true })
	return s
}

// approve adds the entries of the approval, and what protects the roots it opens.
func (f *facts) approve(s stack) {
	if len(f.approved) == 0 {
		return
	}
	for _, l := range f.approved {
		s.add(l)
	}
	f.late(s, func(in Layer) bool { return in.Origin == OriginApproval })
}

// late adds the generated layers that depend on the access in force where they
// lie, looking only at places decided by a layer that concerns accepts.
func (f *facts) late(s stack, concerns func(Layer) bool) {
	var added []Layer
	consider := func(l Layer, wanted func(in Layer) bool) {
		in := s.deciding(l.Path)
		explicit := in.Path == l.Path && rank(in.Origin) >= rankEntry
		if !explicit && concerns(in) && wanted(in) {
			added = append(added, l)
		}
	}
	onHost := func(in Layer) bool { return in.Access == Write && !in.Private }
	for _, l := range f.vacant {
		if l.Origin == OriginApproval {
			continue // grants nothing, and an approval closes nothing
		}
		consider(l, onHost)
	}
	for _, l := range f.watched {
		consider(l, onHost)
	}
	for root, guards := range f.guards {
		if in, ok := s[root]; !ok || !onHost(in) || !concerns(in) {
			continue
		}
		for _, g := range guards {
			consider(g.layer, func(in Layer) bool { return onHost(in) && !g.spared(in) })
		}
	}
	// Guards are visited in no fixed order: settle which source is named.
	slices.SortFunc(added, func(a, b Layer) int { return cmp.Or(comparePaths(a.Path, b.Path), strings.Compare(a.Source, b.Source)) })
	fresh := make(map[string]bool, len(added))
	for _, l := range added {
		s.add(l)
		fresh[l.Path] = true
	}
	// A read-only place does not stop connecting to a socket in it.
	for _, l := range f.sockets {
		in := s.deciding(l.Path)
		explicit := in.Path == l.Path && rank(in.Origin) >= rankEntry
		if in.Access == Read && !explicit && (concerns(in) || fresh[in.Path]) {
			s.add(l)
		}
	}
}

// spared reports whether the layer in force was written for what the guard
// would close.
func (g guard) spared(in Layer) bool {
	return g.linked && in.Path == g.layer.Path ||
		rank(in.Origin) >= rankEntry && slices.ContainsFunc(g.within, func(dir string) bool { return Contains(dir, in.Path) })
}

// winners is the stack of one list of entries alone.
func winners(layers []Layer) stack {
	s := stack{}
	for _, l := range layers {
		s.add(l)
	}
	return s
}

// ownFiles are the limits for confine's own files, and for links that lead to
// them from where the command may write. One that lies where a folder made for
// the run covers it is out of reach already.
func (f *facts) ownFiles(s stack) stack {
	limits := stack{}
	stricter := func(l Layer) {
		if old, taken := limits[l.Path]; !taken || l.Access < old.Access {
			limits[l.Path] = l
		}
	}
	for _, l := range f.kept {
		if in := s.deciding(l.Path); !in.Private || in.Origin != OriginTemp {
			stricter(l)
		}
	}
	for _, l := range f.keptLinks {
		if in := s.deciding(l.Path); in.Access == Write && !in.Private {
			stricter(l)
		}
	}
	return limits
}

// hiddenLinks are the links on the way to something granted that would not be
// seen inside: below a denied folder, or in a temporary folder made for the run.
func (f *facts) hiddenLinks(s stack) []Link {
	var hidden []Link
	for _, link := range f.links {
		in := s.deciding(link.Path)
		if in.Access == Deny || in.Private && in.Origin == OriginTemp {
			hidden = append(hidden, link)
		}
	}
	slices.SortFunc(hidden, func(a, b Link) int { return comparePaths(a.Path, b.Path) })
	return slices.Compact(hidden)
}

// skipped lists the optional entries that have no layer.
func (f *facts) skipped(s stack) []Entry {
	skipped := slices.Clone(f.dropped)
	for _, l := range f.vacant {
		if s[l.Path].Source != l.Source || !s[l.Path].Absent {
			skipped = append(skipped, Entry{Path: l.Path, Access: l.Access, Optional: true, Source: l.Source})
		}
	}
	return skipped
}
