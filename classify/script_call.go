package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call reads a simple command: assignments, then a program with its arguments.
func (k *walker) call(c *syntax.CallExpr) {
	r := k.r
	at := k.span(c)
	f := finding{program: "the assignment"}
	for _, a := range c.Assigns {
		k.assign(a, at, len(c.Args) == 0, &f)
	}
	if len(c.Args) == 0 {
		f.raise(Observe, "sets a variable of the shell")
		r.add(f.cap, assignedName(c.Assigns), f.reason, literal(at, k.slice(c)), at)
		return
	}
	if f.cap != "" {
		r.add(f.cap, assignedName(c.Assigns), f.reason, literal(at, k.slice(c)), at)
	}
	if first, ok := k.plain(c.Args[0]); ok { // the usual case, in room that is used again
		mark := len(r.stack)
		r.stack = k.appendFields(append(r.stack, first), c.Args[1:])
		words := r.stack[mark:len(r.stack):len(r.stack)]
		k.builtin(words)
		r.simple(words, at, k.depth)
		r.stack = r.stack[:mark]
		return
	}
	k.expandedCall(c, at)
}

// expandedCall reads a command whose first word is more than plain text.
func (k *walker) expandedCall(c *syntax.CallExpr, at span) {
	r := k.r
	choices, expanded := k.choices(c.Args[0])
	if len(choices) == 0 || len(choices[0]) == 0 { // expands to nothing
		choices = [][][]word{{literal(k.span(c.Args[0]), "")}}
	}
	var rest []word
	for _, choice := range choices[1:] {
		rest = flatten(rest, choice)
	}
	rest = append(rest, k.fields(c.Args[1:])...)
	if expanded {
		r.add(Unknown, k.slice(c.Args[0]), "the program is an expansion, "+quote(k.slice(c.Args[0]))+", so what runs may differ", literal(at, k.slice(c)), at)
	}
	for _, program := range choices[0] {
		if len(program) == 0 { // an empty expansion: the next word is the program
			r.simple(rest, at, max(k.depth, 1))
			continue
		}
		words := append(program[:len(program):len(program)], rest...)
		k.builtin(words)
		r.simple(words, at, max(k.depth, 1))
	}
}

func assignedName(list []*syntax.Assign) string {
	if len(list) > 0 && list[0].Name != nil {
		return list[0].Name.Value
	}
	return "="
}

// builtin follows what builtins do to the variables of the script.
func (k *walker) builtin(words []word) {
	name := words[0].text
	switch name {
	case "cd", "pushd", "chdir":
		k.changeFolder(words)
	case "read", "mapfile", "readarray", "getopts", "unset", "printf", "test", "[", "let", "declare", "export", "wait":
		for i, w := range words[1:] {
			if hidesSubstitution(w.text) {
				k.r.add(Unknown, name, "an index that holds a substitution is run when it is computed", words, k.src.sub(0, len(k.text)))
			}
			if name == "printf" && words[i].text != "-v" || name == "test" || name == "[" || name == "let" || !isName(w.text) {
				continue
			}
			if name != "unset" {
				k.assigned(w.text, w.at.span)
			}
			if name == "read" && len(k.r.input) > 0 {
				var values []word
				for _, in := range k.r.input {
					for _, field := range strings.Fields(in.text) {
						values = append(values, word{text: field, at: in.at, dynamic: true})
					}
				}
				k.r.set(w.text, values)
				continue
			}
			k.r.unset(w.text)
		}
	case "set":
		for i, w := range words[1:] {
			if w.text == "--" {
				if k.r.vars == nil {
					k.r.vars = map[string]*variableValue{}
				}
				for name, value := range positional(append(literal(w.at.span, "sh"), words[i+2:]...)) {
					k.r.vars[name] = value
				}
				return
			}
		}
	}
}

// hidesSubstitution reports whether text holds an array index with a substitution, which the shell runs although it is quoted.
func hidesSubstitution(s string) bool { return strings.Contains(s, "[$(") || strings.Contains(s, "[`") }

// assigned judges a variable that gets a value which is not known.
func (k *walker) assigned(name string, at span) {
	if k.r.t.variable(name) != 0 {
		k.r.add(Unknown, name, quote(name)+" gets a value that is not known before it runs, and makes programs run something else", literal(at, name), at)
	}
}

// changeFolder remembers the folder of a cd, so that relative paths after it are judged there.
func (k *walker) changeFolder(words []word) {
	r := k.r
	target := word{text: "~"}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w.text, "-") || w.text == "-" {
			target = w
			break
		}
	}
	switch s := target.text; {
	case target.dynamic || s == "-" || len(s)+len(r.folder) > 4096:
		r.folder = ""
	case s[:min(1, len(s))] == "/" || strings.HasPrefix(s, "~"):
		r.folder = s
	case r.folder != "":
		r.folder += "/" + s
	}
}

// declare reads export, local, declare and the like.
func (k *walker) declare(c *syntax.DeclClause) {
	at := k.span(c)
	name := c.Variant.Value
	f := finding{program: name}
	for _, a := range c.Args {
		if a.Naked && a.Name == nil {
			for _, w := range k.fields([]*syntax.Word{a.Value}) {
				if n, value, ok := strings.Cut(w.text, "="); ok {
					k.r.environment(n, value, w, at, k.depth, &f)
				} else if w.text == "-n" {
					f.raise(Unknown, name, " -n makes one name stand for another")
				} else if w.dynamic {
					f.raise(Unknown, name, " is given ", quote(w.text), ", which is not known before it runs")
				}
			}
			continue
		}
		if a.Naked {
			if n := a.Name.Value; name != "local" && n != "PATH" && n != "HOME" && n != "SHELL" && k.r.t.variable(n) == variableOpaque {
				f.raise(Unknown, quote(n), " makes programs load or run something else")
			}
			continue
		}
		k.assign(a, at, true, &f)
	}
	f.raise(Observe, name, " sets variables of the shell")
	k.r.add(f.cap, name, f.reason, literal(at, k.slice(c)), at)
}

// assign judges an assignment and, unless it is for one command alone, remembers its value.
func (k *walker) assign(a *syntax.Assign, at span, remember bool, f *finding) {
	r := k.r
	if a.Index != nil {
		k.substitutions(a.Index)
	}
	if a.Name == nil {
		return
	}
	name := a.Name.Value
	var values []word
	switch {
	case a.Array != nil:
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				k.substitutions(e.Index)
			}
			if e.Value != nil {
				values = append(values, k.fields([]*syntax.Word{e.Value})...)
			}
		}
	case a.Value != nil:
		values = k.unsplit(a.Value)
	default:
		values = literal(at, "")
	}
	for _, w := range values {
		if w.dynamic && r.t.variable(name) == variableScript {
			f.raise(Unknown, quote(name), " runs a command that is not known before it runs")
		}
		r.environment(name, w.text, w, at, k.depth, f)
	}
	if !remember {
		return
	}
	if a.Append && a.Array == nil {
		if old := r.vars[name]; old != nil {
			for _, o := range old.words {
				for _, w := range values {
					if len(values) < maxValues {
						if len(o.text)+len(w.text) > maxText {
							w.dynamic = true
							continue
						}
						values = append(values, word{text: o.text + w.text, at: w.at, dynamic: o.dynamic || w.dynamic, glob: o.glob || w.glob})
					}
				}
			}
		}
	}
	if old := r.vars[name]; old != nil && !old.list {
		values = append(old.words[:len(old.words):len(old.words)], values...)
	}
	r.set(name, values)
	if v := r.vars[name]; v != nil {
		v.list = a.Array != nil
	}
}
