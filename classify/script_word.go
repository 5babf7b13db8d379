package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// cut separates the fields that an expansion makes of a word. A script with NUL bytes is not read, so it occurs in no text.
const cut = "\x00"

// word reads a word for the substitutions in it, where its value does not matter.
func (k *walker) word(w *syntax.Word) {
	if w != nil {
		k.substitutions(w)
	}
}

// substitutions reads the commands inside $(…), `…` and <(…) below a node. What they print is not known, so each is Unknown.
func (k *walker) substitutions(n syntax.Node) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			k.substitution(n, n.Stmts, "a command substitution puts in words that are not known before it runs")
			return false
		case *syntax.ProcSubst:
			k.substitution(n, n.Stmts, "a process substitution puts in a file that is not known before it runs")
			return false
		}
		return true
	})
}

func (k *walker) substitution(n syntax.Node, stmts []*syntax.Stmt, why string) {
	at := k.span(n)
	k.r.add(Unknown, "$(", why, literal(at, k.slice(n)), at)
	input, piped, folder := k.r.input, k.r.piped, k.r.folder
	k.r.input, k.r.piped = nil, false
	k.stmts(stmts)
	k.r.input, k.r.piped, k.r.folder = input, piped, folder
}

// fields expands words as far as the script tells.
func (k *walker) fields(list []*syntax.Word) []word {
	return k.appendFields(make([]word, 0, len(list)), list)
}

func (k *walker) appendFields(out []word, list []*syntax.Word) []word {
	for _, w := range list {
		if f, ok := k.plain(w); ok {
			out = append(out, f)
			continue
		}
		choices, _ := k.choices(w)
		for _, c := range choices {
			out = flatten(out, c)
		}
	}
	return out
}

func flatten(out []word, choice [][]word) []word {
	for _, fields := range choice {
		if len(out) < maxWords {
			out = append(out, fields...)
		}
	}
	return out
}

// unsplit expands the value of an assignment, which the shell does not split.
func (k *walker) unsplit(w *syntax.Word) []word {
	return k.fields([]*syntax.Word{{Parts: []syntax.WordPart{&syntax.DblQuoted{Left: w.Pos(), Right: w.End(), Parts: w.Parts}}}})
}

// plain is the fast way for a word of one part without expansions.
func (k *walker) plain(w *syntax.Word) (word, bool) {
	if len(w.Parts) != 1 {
		return word{}, false
	}
	start, end := k.offset(w.Pos()), k.offset(w.End())
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		if strings.IndexByte(p.Value, '\\') >= 0 || strings.IndexByte(p.Value, '{') >= 0 || end-start != len(p.Value) {
			return word{}, false
		}
		return word{text: p.Value, at: k.place(start, end, start), glob: isGlob(p.Value)}, true
	case *syntax.SglQuoted:
		if !p.Dollar && end-start == len(p.Value)+2 {
			return word{text: p.Value, at: k.place(start, end, start+1)}, true
		}
	case *syntax.DblQuoted:
		if p.Dollar || len(p.Parts) != 1 {
			break
		}
		if l, ok := p.Parts[0].(*syntax.Lit); ok && strings.IndexByte(l.Value, '\\') < 0 && end-start == len(l.Value)+2 {
			return word{text: l.Value, at: k.place(start, end, start+1)}, true
		}
	}
	return word{}, false
}

// place is the source of a string that stands from first in the word at start to end.
func (k *walker) place(start, end, first int) source {
	return source{span: k.src.sub(start, end), offset: k.src.offset + first, exact: k.src.exact}
}

// choices expands one word. Braces make several words of it, each with its choices: the fields it is with each value that a variable
// in it may have. expanded reports whether a variable or substitution took part.
func (k *walker) choices(w *syntax.Word) (out [][][]word, expanded bool) {
	if f, ok := k.plain(w); ok {
		return [][][]word{{{f}}}, false
	}
	at := k.span(w)
	braced, ok := expandBraces(w)
	if !ok {
		k.r.add(Unknown, "{", "the braces make more words than are read", literal(at, k.slice(w)), at)
	}
	for _, b := range braced {
		e := expansion{k: k, alts: []alternative{{}}}
		e.parts(b.Parts, false)
		expanded = expanded || e.expanded
		var choice [][]word
		for _, a := range e.alts {
			choice = append(choice, a.fields(at))
		}
		out = append(out, choice)
	}
	return out, expanded
}

// document reads the body of a here-document.
func (k *walker) document(w *syntax.Word) word {
	e := expansion{k: k, alts: []alternative{{}}}
	e.parts(w.Parts, true)
	a := e.alts[0]
	at := k.span(w)
	out := word{text: strings.ReplaceAll(a.text, cut, " "), dynamic: a.dynamic || e.expanded, at: inexactly(at)}
	if start := k.offset(w.Pos()); strings.HasPrefix(k.text[min(start, len(k.text)):], out.text) {
		out.at = k.place(start, start+len(out.text), start)
	}
	return out
}

func (a alternative) fields(at span) []word {
	if !strings.Contains(a.text, cut) {
		if a.text == "" && !a.quoted {
			return nil
		}
		return []word{{text: a.text, at: inexactly(at), dynamic: a.dynamic, glob: a.glob}}
	}
	var out []word
	for field := range strings.SplitSeq(a.text, cut) {
		if field != "" && len(out) < maxWords {
			out = append(out, word{text: field, at: inexactly(at), dynamic: a.dynamic, glob: a.glob})
		}
	}
	return out
}
