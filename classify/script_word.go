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

// alternative is one way a word may expand.
type alternative struct {
	text    string // fields separated by cut
	dynamic bool
	glob    bool
	quoted  bool // an empty field counts
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

// expansion builds the alternatives of one word.
type expansion struct {
	k        *walker
	alts     []alternative
	expanded bool
}

func (e *expansion) append(s string, glob bool) {
	for i := range e.alts {
		e.alts[i].text += s
		e.alts[i].glob = e.alts[i].glob || glob
	}
}

// opaque appends an expansion whose value is not known, as it was written.
func (e *expansion) opaque(n syntax.Node) {
	e.expanded = true
	s := strings.ReplaceAll(e.k.slice(n), cut, "")
	for i := range e.alts {
		e.alts[i].text += s
		e.alts[i].dynamic = true
	}
}

func (e *expansion) parts(parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if quoted {
				e.append(unquoteDouble(p.Value), false)
			} else {
				e.append(unquoteBare(p.Value), isGlob(p.Value))
			}
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				text = strings.ReplaceAll(unescape(text), cut, "")
			}
			e.append(text, false)
			e.quote()
		case *syntax.DblQuoted:
			e.parts(p.Parts, true)
			e.quote()
		case *syntax.ParamExp:
			e.param(p, quoted)
		case *syntax.ExtGlob:
			e.extended(p)
		case *syntax.ArithmExp:
			e.k.substitutions(p)
			e.opaque(p)
		default:
			e.k.substitutions(p)
			e.opaque(p)
		}
	}
}

// extended appends an extended glob: each of its alternatives, as the shell would find them.
func (e *expansion) extended(p *syntax.ExtGlob) {
	options := strings.Split(p.Pattern.Value, "|")
	if p.Op == syntax.GlobExcept || len(options)*len(e.alts) > maxValues {
		e.append("*", true)
		return
	}
	var out []alternative
	for _, a := range e.alts {
		for _, o := range options {
			n := a
			n.text, n.glob = a.text+o, a.glob || isGlob(o)
			out = append(out, n)
		}
	}
	e.alts = out
}

func (e *expansion) quote() {
	for i := range e.alts {
		e.alts[i].quoted = true
	}
}

// param expands a parameter: to what the script says it may hold, else it stays opaque.
func (e *expansion) param(p *syntax.ParamExp, quoted bool) {
	e.k.substitutions(p)
	if p.Param == nil {
		e.opaque(p)
		return
	}
	name := p.Param.Value
	plain := p.Exp == nil && p.Slice == nil && p.Repl == nil && !p.Length && !p.Excl && !p.Width && !p.IsSet && len(p.Modifiers) == 0 && p.Names == 0
	v := e.k.r.vars[name]
	if v != nil && e.tooLong(v) {
		e.opaque(p)
		return
	}
	switch {
	case name == "IFS" && !quoted:
		e.expanded = true
		e.append(cut, false)
	case plain && v == nil && name == "HOME":
		e.append("~", false)
	case plain && v == nil && name == "PWD":
		e.append(".", false)
	case plain && v != nil && len(v.words) > 0:
		e.values(v, quoted)
	case p.Exp != nil && (v == nil || len(v.words) == 0) && defaults(p.Exp.Op):
		e.fallback(p, quoted)
	default:
		e.opaque(p)
	}
}

func defaults(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull, syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return true
	}
	return false
}

// fallback expands ${x:-word} to its word: the variable is not known, the word is what an attacker can choose.
func (e *expansion) fallback(p *syntax.ParamExp, quoted bool) {
	e.expanded = true
	if p.Exp.Word != nil {
		e.parts(p.Exp.Word.Parts, quoted)
	}
	if op := p.Exp.Op; op == syntax.AssignUnset || op == syntax.AssignUnsetOrNull {
		if p.Exp.Word != nil {
			e.k.r.set(p.Param.Value, e.k.unsplit(p.Exp.Word))
		}
	}
	for i := range e.alts {
		e.alts[i].dynamic = true
	}
}

// tooLong reports whether the values of v would make a word longer than is kept. Values that refer to each other grow fast.
func (e *expansion) tooLong(v *variableValue) bool {
	n := 0
	for _, w := range v.words {
		if n = max(n, len(w.text)); v.list {
			n += len(w.text)
		}
	}
	for _, a := range e.alts {
		if len(a.text)+n > maxText {
			return true
		}
	}
	return false
}

// values appends each value a variable may hold.
func (e *expansion) values(v *variableValue, quoted bool) {
	e.expanded = true
	if v.list {
		for i := range e.alts {
			for k, w := range v.words {
				if k > 0 {
					e.alts[i].text += cut
				}
				e.alts[i].text += w.text
				e.alts[i].dynamic = e.alts[i].dynamic || w.dynamic
			}
		}
		return
	}
	var out []alternative
	for _, a := range e.alts {
		for _, w := range v.words {
			if len(out) >= maxValues {
				break
			}
			n := a
			text := w.text
			if !quoted {
				text = strings.Join(strings.Fields(text), cut)
				n.glob = n.glob || isGlob(text)
			}
			n.text += text
			n.dynamic = n.dynamic || w.dynamic
			n.glob = n.glob || w.glob && !quoted
			out = append(out, n)
		}
	}
	e.alts = out
}
