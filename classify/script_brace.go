package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxBraces    = 64 // words that braces make of one word
	maxBraceOpen = 10 // opening braces in one word: taking them apart doubles with each
)

// expandBraces makes the words of {a,b} and {1..3}. It reports false when there are too many to read; the word then stays as written.
func expandBraces(w *syntax.Word) ([]*syntax.Word, bool) {
	open := 0
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok {
			open += strings.Count(l.Value, "{")
		}
	}
	if open == 0 || open > maxBraceOpen {
		return []*syntax.Word{w}, open == 0
	}
	parts := append([]syntax.WordPart(nil), w.Parts...)
	split := &syntax.Word{Parts: parts}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}, true
	}
	out := braceWords(split.Parts, 0)
	if len(out) == 0 || len(out) > maxBraces {
		return []*syntax.Word{w}, false
	}
	return out, true
}

func braceWords(parts []syntax.WordPart, depth int) []*syntax.Word {
	out := []*syntax.Word{{}}
	for _, p := range parts {
		var options []*syntax.Word
		if b, ok := p.(*syntax.BraceExp); ok && depth < 8 {
			options = braceElements(b, depth)
		} else {
			options = []*syntax.Word{{Parts: []syntax.WordPart{p}}}
		}
		if len(out)*len(options) > maxBraces {
			return nil
		}
		var next []*syntax.Word
		for _, head := range out {
			for _, o := range options {
				joined := append(head.Parts[:len(head.Parts):len(head.Parts)], o.Parts...)
				next = append(next, &syntax.Word{Parts: joined})
			}
		}
		out = next
	}
	return out
}

func braceElements(b *syntax.BraceExp, depth int) []*syntax.Word {
	var out []*syntax.Word
	if !b.Sequence {
		for _, e := range b.Elems {
			out = append(out, braceWords(e.Parts, depth+1)...)
		}
		return out
	}
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	lit := func(s string) {
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: b.Pos(), ValueEnd: b.End(), Value: s}}})
	}
	if len(from) == 1 && len(to) == 1 {
		lo, hi := min(from[0], to[0]), max(from[0], to[0])
		for c := int(lo); c <= int(hi) && len(out) <= maxBraces; c++ {
			lit(string(rune(c)))
		}
		return out
	}
	lit(from)
	lit(to)
	return out
}
