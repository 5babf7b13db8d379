package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// alternative is one way a word may expand.
type alternative struct {
	text    string // fields separated by cut
	dynamic bool
	glob    bool
	quoted  bool // an empty field counts
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
