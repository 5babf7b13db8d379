package policy

import (
	"fmt"
	"slices"
	"strings"
)

// guard is a layer that protects something of one writable root. It comes into
// force where that root does and its own path would be writable.
type guard struct {
	layer Layer
	// linked: reached over a link or a pointer file, not under the root by name.
	// It does not close what the policy itself names as writable.
	linked bool
	// within: folders of the same thing; an explicit grant at or below one of
	// them wins over the guard.
	within []string
}

// protect looks up the protected names under every path that may become a
// writable root.
func (r *resolver) protect(f *facts) {
	names := r.protectedNames()
	f.guards = map[string][]guard{}
	roots := slices.Concat(f.trusted, f.approved, f.temps, []Layer{f.workspace})
	for _, root := range roots {
		if root.Path == "" || root.Access != Write || root.Kind != KindDir {
			continue
		}
		if _, done := f.guards[root.Path]; done {
			continue
		}
		var guards []guard
		for _, name := range names {
			guards = append(guards, r.guard(root.Path, name)...)
		}
		f.guards[root.Path] = guards
	}
}

// protectedNames are the built-in ones, as the deployment changed them.
func (r *resolver) protectedNames() []string {
	names := append(ProtectedNames(), r.d.Protect...)
	for _, name := range slices.Concat(r.d.Protect, r.d.Unprotect) {
		if clean, err := Clean("/" + name); name == "" || err != nil || clean != "/"+name {
			r.report(&Error{Code: CodeInvalid, Path: name, Source: "protect", Msg: fmt.Sprintf("the name %q is not a plain relative path", clip(name, 200))})
		}
	}
	for _, name := range r.d.Unprotect {
		names = slices.DeleteFunc(names, func(n string) bool { return n == name })
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// guard protects root/name: the place itself, the links that lead to it, and
// for a .git that is a file the git directories it stands for.
func (r *resolver) guard(root, name string) []guard {
	at, ok := r.find(root + "/" + name)
	if !ok {
		return nil
	}
	source := fmt.Sprintf("protected name %q under %q", name, root)
	var guards []guard
	for _, l := range linkLayers(at, OriginProtected, source) {
		guards = append(guards, guard{layer: l})
	}
	guards = append(guards, guard{linked: len(at.links) > 0, layer: Layer{
		Path: at.path, Access: Read, Origin: OriginProtected, Kind: at.kind, Absent: at.absent, Source: source,
	}})
	if name == ".git" {
		guards = append(guards, r.gitGuards(root, at)...)
	}
	// What holds the root is not protected from it: a link to ".." would close it.
	return slices.DeleteFunc(guards, func(g guard) bool { return Contains(g.layer.Path, root) })
}

// gitGuards protect what belongs to the repository of a root and may lie
// elsewhere: the git directories behind a .git file, and its hooks.
func (r *resolver) gitGuards(root string, at place) (guards []guard) {
	if at.absent {
		return nil
	}
	dirs := []string{at.path}
	if at.kind == KindFile {
		dirs = r.gitDirs(at.path, root)
		for _, dir := range dirs {
			guards = append(guards, guard{linked: true, within: dirs, layer: Layer{
				Path: dir, Access: Read, Origin: OriginProtected, Kind: KindDir, Source: fmt.Sprintf("git directory of %q", root),
			}})
		}
	}
	for _, path := range r.hooksPaths(root, dirs) {
		hooks, ok := r.find(path)
		if !ok {
			continue
		}
		source := fmt.Sprintf("git hooks of %q", root)
		for _, l := range linkLayers(hooks, OriginProtected, source) {
			guards = append(guards, guard{linked: true, layer: l})
		}
		guards = append(guards, guard{linked: true, layer: Layer{
			Path: hooks.path, Access: Read, Origin: OriginProtected, Kind: hooks.kind, Absent: hooks.absent, Source: source,
		}})
	}
	return guards
}

// gitDirs returns the git directory that a .git file in root names and, where
// that one belongs to a worktree, the common directory behind it. A file that
// says something else has none.
func (w *walker) gitDirs(file, root string) []string {
	dir, ok := w.gitPointer(file, root, "gitdir:")
	if !ok {
		return nil
	}
	if common, ok := w.gitPointer(dir+"/commondir", dir, ""); ok && common != dir {
		return []string{dir, common}
	}
	return []string{dir}
}

// gitPointer reads a file that holds one path after a prefix, relative to base,
// and returns the existing folder it names.
func (w *walker) gitPointer(file, base, prefix string) (string, bool) {
	text, err := w.fs.ReadFile(file, MaxPath+64)
	if err != nil {
		return "", false
	}
	rest, ok := strings.CutPrefix(string(text), prefix)
	if !ok {
		return "", false
	}
	path, err := Abs(base, strings.TrimSpace(rest))
	if err != nil {
		return "", false
	}
	at, ok := w.find(path)
	return at.path, ok && at.kind == KindDir
}
