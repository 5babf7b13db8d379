package classify

import (
	"fmt"
	"strings"
)

// TableError is a malformed line of a table.
type TableError struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *TableError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// newTable reads the line format that commands.txt describes at its head. The lines of a program are only cut out; see [block.read].
func newTable(file, text string) (*Table, error) {
	t := &Table{programs: make(map[string]*program, 2048), variables: make(map[string]variable, 256)}
	return t, t.read(file, text)
}

// read adds the lines of text to t.
func (t *Table) read(file, text string) error {
	r := &tableReader{t: t, file: file, line: 1}
	for text != "" {
		line, rest := logicalLine(text)
		if name, isProgram := strings.CutPrefix(line, "program "); isProgram {
			for rest != "" && (rest[0] == ' ' || rest[0] == '#' || rest[0] == '\n') {
				_, rest = logicalLine(rest)
			}
			b := &block{file: file, line: r.line, text: text[:len(text)-len(rest)]}
			names, _, _ := strings.Cut(joinLines(name), " ")
			if err := t.addPrograms(names, b); err != nil {
				return r.fail(err)
			}
			r.line += strings.Count(b.text, "\n")
		} else {
			if err := r.read(joinLines(line)); err != nil {
				return r.fail(err)
			}
			r.line += strings.Count(text[:len(text)-len(rest)], "\n")
		}
		text = rest
	}
	return nil
}

func (r *tableReader) fail(err error) error {
	return &TableError{File: r.file, Line: r.line, Msg: err.Error()}
}

// logicalLine cuts the first line off text. A line that ends in a comma goes on in the next.
func logicalLine(text string) (line, rest string) {
	for i := 0; i < len(text); i++ {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		if i += n; i == 0 || text[i-1] != ',' || text[0] == '#' {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// joinLines takes the line breaks and the indentation after them out of a logical line.
func joinLines(line string) string {
	if strings.IndexByte(line, '\n') < 0 {
		return line
	}
	parts := strings.Split(line, "\n")
	for i := range parts[1:] {
		parts[i+1] = strings.TrimLeft(parts[i+1], " ")
	}
	return strings.Join(parts, "")
}

func (t *Table) addPrograms(names string, b *block) error {
	for name := range strings.SplitSeq(names, ",") {
		if name == "" {
			return fmt.Errorf("empty name")
		}
		if t.programs[name] != nil {
			return fmt.Errorf("program %q is defined twice", name)
		}
		t.programs[name] = &program{name: name, block: b}
	}
	return nil
}

// read reads the lines of a block for one of its names.
func (b *block) read(name string) (*command, error) {
	r := &tableReader{file: b.file, line: b.line, name: name}
	for text := b.text; text != ""; {
		line, rest := logicalLine(text)
		if err := r.read(joinLines(line)); err != nil {
			return nil, r.fail(err)
		}
		r.line += strings.Count(text[:len(text)-len(rest)], "\n")
		text = rest
	}
	return r.open[0][0], nil
}

// tableReader keeps the commands that the next lines may belong to, by depth of indentation.
type tableReader struct {
	t     *Table
	file  string
	line  int          // of the line being read
	name  string       // of the program being read
	open  [][]*command // open[0] is the program, open[1] its sub-commands, …
	words []string     // scratch
}

func (r *tableReader) read(line string) error {
	body := strings.TrimLeft(line, " ")
	if body == "" || body[0] == '#' {
		return nil
	}
	indent := len(line) - len(body)
	if body[0] == '\t' || indent%2 != 0 {
		return fmt.Errorf("indent by two spaces")
	}
	words, why, err := r.split(body)
	if err != nil {
		return err
	}
	keyword, words := words[0], words[1:]
	if len(words) == 0 {
		return fmt.Errorf("%q needs an argument", keyword)
	}
	if indent == 0 {
		return r.top(keyword, words, why)
	}
	depth := indent / 2
	if depth > len(r.open) {
		return fmt.Errorf("%q is indented below nothing", keyword)
	}
	r.open = r.open[:depth]
	return r.inner(keyword, words, why)
}

// split cuts a line into words and the quoted reason at its end. A # after a space begins a comment.
func (r *tableReader) split(body string) (words []string, why string, err error) {
	r.words = r.words[:0]
	for body != "" {
		body = strings.TrimLeft(body, " ")
		if body == "" || body[0] == '#' && len(r.words) > 0 {
			break
		}
		if body[0] == '"' {
			text, rest, ok := strings.Cut(body[1:], `"`)
			if rest = strings.TrimLeft(rest, " "); !ok || rest != "" && rest[0] != '#' {
				return nil, "", fmt.Errorf("the reason must be the last word and end with a quote")
			}
			why = text
			break
		}
		word, rest, _ := strings.Cut(body, " ")
		r.words, body = append(r.words, word), rest
	}
	if len(r.words) == 0 {
		return nil, "", fmt.Errorf("a reason belongs to a rule")
	}
	return r.words, why, nil
}

func (r *tableReader) top(keyword string, words []string, why string) error {
	r.open = r.open[:0]
	t := r.t
	switch keyword {
	case "program":
		return r.program(words, why)
	case "credential":
		return t.secrets.add(words)
	case "not-credential":
		return t.notSecret.add(words)
	case "critical":
		return t.places.add(words)
	case "not-critical":
		return t.notCritical.add(words)
	case "critical-tree":
		return t.trees.add(words)
	case "critical-file":
		return t.files.add(words)
	case "harmless":
		return t.harmless.add(words)
	case "trusted":
		return t.trusted.add(words)
	case "secret-variable":
		t.secretVar = append(t.secretVar, words...)
		return nil
	case "variable":
		return t.addVariables(words)
	}
	return fmt.Errorf("unknown keyword %q", keyword)
}

func (t *Table) addVariables(words []string) error {
	var kind variableKind
	switch words[0] {
	case "opaque":
		kind = variableOpaque
	case "script":
		kind = variableScript
	case "search":
		kind = variableSearch
	}
	if kind == 0 || len(words) < 2 {
		return fmt.Errorf("a variable line is: variable opaque|script|search NAME…")
	}
	for _, name := range words[1:] {
		if v := (variable{name, kind}); strings.Contains(name, "*") {
			t.shapes = append(t.shapes, v)
		} else {
			t.variables[name] = v
		}
	}
	return nil
}

func (r *tableReader) inner(keyword string, words []string, why string) error {
	if keyword == "sub" {
		return r.sub(words, why, r.open[len(r.open)-1])
	}
	return r.open[len(r.open)-1][0].rule(keyword, words, why)
}

// program begins the program that the block is read for.
func (r *tableReader) program(words []string, why string) error {
	c := &command{name: r.name, usage: &usage{base: Observe, why: why}}
	r.open = append(r.open, []*command{c})
	return c.attributes(words[1:])
}

// sub adds sub-commands to each of parents. They share one usage.
func (r *tableReader) sub(words []string, why string, parents []*command) error {
	u := &usage{base: parents[0].base, single: parents[0].single, why: why}
	if err := u.attributes(words[1:]); err != nil {
		return err
	}
	made := make([]*command, 0, len(parents)*(1+strings.Count(words[0], ",")))
	for _, parent := range parents {
		for name := range strings.SplitSeq(words[0], ",") {
			c := &command{name: parent.name + " " + name, parent: parent, usage: u}
			if name == "*" {
				c.name = parent.name
			}
			if err := parent.attach(name, c); err != nil {
				return err
			}
			made = append(made, c)
		}
	}
	r.open = append(r.open, made)
	return nil
}

func (c *command) attach(name string, sub *command) error {
	switch {
	case name == "":
		return fmt.Errorf("empty name")
	case name == "*" && c.anySub != nil, c.subs[name] != nil:
		return fmt.Errorf("sub-command %q is defined twice", sub.name)
	case name == "*":
		c.anySub = sub
	default:
		if c.subs == nil {
			c.subs = map[string]*command{}
		}
		c.subs[name] = sub
	}
	return nil
}
