package classify

import (
	"path"
	"strings"
)

// pathPattern is one pattern of a set.
type pathPattern struct {
	segments []segmentPattern
	anchored bool // begins at the root ("" first) or at a home ("~" first)
}

// segmentPattern is one segment of a pattern, taken apart as far as its form allows.
type segmentPattern struct {
	text       string
	kind       segmentKind
	head, tail string // around the star of a oneStar
}

type segmentKind uint8

const (
	plainSegment segmentKind = iota
	oneStar
	anyGlob
)

func newSegment(text string) segmentPattern {
	s := segmentPattern{text: text}
	head, tail, star := strings.Cut(text, "*")
	switch {
	case star && !isGlob(head) && !isGlob(tail):
		s.kind, s.head, s.tail = oneStar, head, tail
	case isGlob(text):
		s.kind = anyGlob
	}
	return s
}

// isGlob reports whether a shell would expand s; a lone [ is a name.
func isGlob(s string) bool {
	closing := strings.LastIndexByte(s, ']')
	for i := range len(s) {
		switch s[i] {
		case '*', '?':
			return true
		case '[':
			if closing > i+1 {
				return true
			}
		}
	}
	return false
}

func (pat *pathPattern) matchFrom(p cleanPath, i int, r reach) (end int, ok bool) {
	end = i + len(pat.segments)
	if end > len(p.segments) || r == reachSelf && end != len(p.segments) || pat.anchored && i != 0 {
		return 0, false
	}
	for k := range pat.segments {
		want, seg := &pat.segments[k], p.segments[i+k]
		if !want.match(seg) && !(p.glob && want.kind == plainSegment && expandsTo(seg, want.text, pat.anchored)) {
			return 0, false
		}
	}
	return end, true
}

// expandsTo reports whether a glob that the shell expands may become a plain name. At patterns of any depth it must say enough of
// the name to mean it, so that "*.json" is not taken for every secret that ends so.
func expandsTo(glob, name string, anchored bool) bool {
	switch {
	case name == "" || name == "~" || !isGlob(glob):
		return false
	case name[0] == '.' && glob[0] != '.' && glob[0] != '[': // shells hide dot files from * and ?
		return false
	case !anchored && name[0] != '.' && (literals(glob) < 3 || strings.HasPrefix(glob, "*.")):
		return false
	}
	return globMatch(glob, name)
}

// globMatch matches one segment; the usual globs have one star.
func globMatch(pattern, name string) bool {
	if star := strings.IndexByte(pattern, '*'); star >= 0 && !isGlob(pattern[:star]) && !isGlob(pattern[star+1:]) {
		return len(name) >= len(pattern)-1 && strings.HasPrefix(name, pattern[:star]) && strings.HasSuffix(name, pattern[star+1:])
	}
	if strings.Contains(pattern, "[!") {
		pattern = strings.ReplaceAll(pattern, "[!", "[^")
	}
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// literals counts the characters of a glob that are not wild.
func literals(glob string) int {
	n := 0
	for _, c := range glob {
		if c != '*' && c != '?' && c != '[' && c != ']' {
			n++
		}
	}
	return n
}

// wildOnly reports whether a segment is a glob for all or all hidden names of a folder.
func wildOnly(seg string) bool {
	return isGlob(seg) && strings.Trim(seg, "*?.[]!^") == ""
}
