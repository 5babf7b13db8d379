package classify

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// pathSet is a list of path patterns. A pattern that begins with / or ~ is anchored there, any other matches at every depth.
// Segments may be globs of path.Match; matching is by whole segments and ignores case.
type pathSet struct {
	byFirst  map[string][]*pathPattern // not anchored, the first segment plain
	bySecond map[string][]*pathPattern // anchored, the segment after the root or home plain
	bySuffix map[string][]*pathPattern // not anchored, the first segment "*.xyz"; by ".xyz"
	globs    []*pathPattern            // the first segment, of anchored ones the second, any other glob
	all      []*pathPattern
}

// match matches a name that is no glob itself.
func (s *segmentPattern) match(name string) bool {
	switch s.kind {
	case plainSegment:
		return s.text == name
	case oneStar:
		return name != "" && len(name) >= len(s.head)+len(s.tail) && strings.HasPrefix(name, s.head) && strings.HasSuffix(name, s.tail)
	}
	return name != "" && globMatch(s.text, name)
}

func (s *pathSet) add(patterns []string) error {
	for _, text := range patterns {
		p := &pathPattern{}
		for seg := range strings.SplitSeq(strings.ToLower(strings.TrimSuffix(text, "/")), "/") {
			if _, err := path.Match(seg, ""); err != nil {
				return fmt.Errorf("path pattern %q: %w", text, err)
			}
			p.segments = append(p.segments, newSegment(seg))
		}
		p.anchored = p.segments[0].text == "" || p.segments[0].text == "~"
		s.all = append(s.all, p)
		key, index := p.segments[0].text, &s.byFirst
		if p.anchored && len(p.segments) > 1 {
			key, index = p.segments[1].text, &s.bySecond
		}
		if suffix, ok := strings.CutPrefix(key, "*"); ok && index == &s.byFirst && strings.LastIndexByte(suffix, '.') == 0 {
			key, index = suffix, &s.bySuffix
		}
		if isGlob(key) {
			s.globs = append(s.globs, p)
			continue
		}
		if *index == nil {
			*index = map[string][]*pathPattern{}
		}
		(*index)[key] = append((*index)[key], p)
	}
	return nil
}

func (s pathSet) clone() pathSet {
	return pathSet{
		byFirst: cloneIndex(s.byFirst), bySecond: cloneIndex(s.bySecond), bySuffix: cloneIndex(s.bySuffix),
		globs: slices.Clip(s.globs), all: slices.Clip(s.all),
	}
}

func cloneIndex(m map[string][]*pathPattern) map[string][]*pathPattern {
	n := maps.Clone(m)
	for key, patterns := range n {
		n[key] = slices.Clip(patterns)
	}
	return n
}

// pathRules are the paths that matter whatever the program.
type pathRules struct {
	secrets     pathSet // hold credentials, with everything below
	notSecret   pathSet // names that only look so
	places      pathSet // critical themselves
	trees       pathSet // critical with everything below
	notCritical pathSet // exceptions of trees, with everything below
	files       pathSet // critical whatever the write, with everything below
	harmless    pathSet // sinks and terminals
	trusted     pathSet // folders whose programs are what their names say
}

func (r pathRules) clone() pathRules {
	return pathRules{
		secrets: r.secrets.clone(), notSecret: r.notSecret.clone(), places: r.places.clone(), trees: r.trees.clone(),
		notCritical: r.notCritical.clone(), files: r.files.clone(), harmless: r.harmless.clone(), trusted: r.trusted.clone(),
	}
}

// reach says how far below its pattern a path still matches.
type reach uint8

const (
	reachSelf  reach = iota // the path itself
	reachBelow              // the path itself and everything below
)

// cleanPath is a path cut into segments: "" first when absolute, "~" first when below a home; "." and ".." are resolved as far as
// words tell. up counts the ".." that lead out of where the path starts.
type cleanPath struct {
	segments []string
	up       int
	glob     bool // some segments are globs the shell expands
}

// clean cuts s into segments, using buf as storage.
func clean(s string, glob bool, buf []string) cleanPath {
	p := cleanPath{segments: buf[:0], glob: glob && isGlob(s)}
	s = strings.ToLower(s)
	if strings.HasPrefix(s, "/") {
		p.segments = append(p.segments, "")
	}
	for s != "" {
		seg, rest, _ := strings.Cut(s, "/")
		s = rest
		n := len(p.segments)
		switch {
		case seg == "" || seg == ".":
		case seg != "..":
			if n == 0 && p.up == 0 && seg[0] == '~' {
				seg = "~"
			}
			p.segments = append(p.segments, seg)
		case n == 0:
			p.up++
		case n == 1 && p.segments[0] == "":
		case n == 1 && p.segments[0] == "~":
			p.segments = append(p.segments[:0], "", "home")
		default:
			p.segments = p.segments[:n-1]
		}
	}
	for len(p.segments) > 3 && p.segments[0] == "" && p.segments[1] == "proc" && p.segments[3] == "root" { // a link to the root
		p.segments = append(p.segments[:1], p.segments[4:]...)
	}
	return p
}

// rooted is the path that enough ".." lead to.
func (p cleanPath) rooted() (cleanPath, bool) {
	if p.up == 0 || len(p.segments) == 0 {
		return p, false
	}
	return cleanPath{segments: append([]string{""}, p.segments...), glob: p.glob}, true
}

// match finds the pattern that p falls under, and the number of segments up to its end.
func (s *pathSet) match(p cleanPath, r reach) (found *pathPattern, end int) {
	for i := range p.segments {
		if found, end = s.matchAt(p, i, r); found != nil {
			return found, end
		}
	}
	return nil, 0
}

func (s *pathSet) matchAt(p cleanPath, i int, r reach) (*pathPattern, int) {
	seg := p.segments[i]
	lists := [...][]*pathPattern{s.byFirst[seg], nil, nil, s.globs}
	if i == 0 && len(p.segments) > 1 && (seg == "" || seg == "~") {
		lists[1] = s.bySecond[p.segments[1]]
	}
	if dot := strings.LastIndexByte(seg, '.'); dot >= 0 {
		lists[2] = s.bySuffix[seg[dot:]]
	}
	if p.glob && (isGlob(seg) || i == 0) {
		lists[3] = s.all
	}
	for _, list := range lists {
		for _, pat := range list {
			if end, ok := pat.matchFrom(p, i, r); ok {
				return pat, end
			}
		}
	}
	return nil, 0
}
