package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxPath is the shortest path the kernel refuses, in bytes.
const MaxPath = 4096

// Clean returns the shortest lexical form of an absolute path: no ".", "..",
// doubled or trailing slash; ".." stops at "/". It follows no links. An empty or
// relative path and one with a NUL byte are errors. Clean is idempotent.
func Clean(path string) (string, error) {
	switch {
	case path == "":
		return "", &Error{Code: CodeInvalid, Msg: "the path is empty"}
	case strings.IndexByte(path, 0) >= 0:
		return "", &Error{Code: CodeInvalid, Path: path, Msg: fmt.Sprintf("the path %q holds a NUL byte", clip(path, 200))}
	case path[0] != '/':
		return "", &Error{Code: CodeInvalid, Path: path, Msg: fmt.Sprintf("the path %q is relative", clip(path, 200)), Hint: "write an absolute path"}
	case isClean(path):
		return path, nil
	}
	kept := make([]string, 0, 16)
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "", ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, name)
		}
	}
	return "/" + strings.Join(kept, "/"), nil
}

// Abs is Clean of path taken relative to the absolute folder base.
func Abs(base, path string) (string, error) {
	if path != "" && path[0] != '/' {
		path = base + "/" + path
	}
	return Clean(path)
}

// isClean reports whether path is absolute and already in the form Clean gives.
func isClean(path string) bool {
	if path == "/" {
		return true
	}
	if path == "" || path[0] != '/' {
		return false
	}
	for start := 1; ; {
		end := strings.IndexByte(path[start:], '/')
		name := path[start:]
		if end >= 0 {
			name = name[:end]
		}
		if name == "" || name == "." || name == ".." {
			return false
		}
		if end < 0 {
			return strings.IndexByte(path, 0) < 0
		}
		start += end + 1
	}
}

// Contains reports whether path is root or lies below it, by whole segments.
// Both must be clean.
func Contains(root, path string) bool {
	if root == "/" {
		return path != "" && path[0] == '/'
	}
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '/')
}

// Depth is the number of segments of a clean path; "/" has none.
func Depth(path string) int {
	if path == "/" {
		return 0
	}
	return strings.Count(path, "/")
}

// Ancestors lists the folders that strictly contain a clean path, "/" first.
func Ancestors(path string) []string {
	above := make([]string, 0, Depth(path))
	for path != "/" && path != "" {
		path = parent(path)
		above = append(above, path)
	}
	slices.Reverse(above)
	return above
}

// DedupeRoots drops every clean path that another one contains, keeping the
// order of the rest.
func DedupeRoots(roots []string) []string {
	given := make(map[string]bool, len(roots))
	for _, r := range roots {
		given[r] = true
	}
	var kept []string
	seen := make(map[string]bool, len(roots))
	for _, r := range roots {
		covered := slices.ContainsFunc(Ancestors(r), func(dir string) bool { return given[dir] })
		if !covered && !seen[r] {
			kept = append(kept, r)
			seen[r] = true
		}
	}
	return kept
}

// OrderEntries returns the entries broadest first: by depth, then by path.
// Entries for one path keep their order, so the last of them decides.
func OrderEntries(entries []Entry) []Entry {
	ordered := slices.Clone(entries)
	slices.SortStableFunc(ordered, func(a, b Entry) int { return comparePaths(a.Path, b.Path) })
	return ordered
}

// comparePaths puts parents before children.
func comparePaths(a, b string) int {
	return cmp.Or(cmp.Compare(Depth(a), Depth(b)), strings.Compare(a, b))
}

// parent is the folder that holds a clean path; that of "/" is "/".
func parent(path string) string {
	return path[:max(1, strings.LastIndexByte(path, '/'))]
}

// join appends names below a clean folder.
func join(dir string, names ...string) string {
	for _, name := range names {
		if dir != "/" {
			dir += "/"
		}
		dir += name
	}
	return dir
}
