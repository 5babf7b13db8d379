package classify

import (
	"fmt"
	"strconv"
	"strings"
)

// TableError is a malformed line of a table.
type TableError struct {
	File string
	Line int // from 1
	Msg  string
}

func (e *TableError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// parseTable reads the line format that commands.txt describes at its head.
func parseTable(file, text string) (*Table, error) {
	t := &Table{programs: make(map[string]*command, 1024), variables: map[string]variable{}}
	if err := t.read(file, text); err != nil {
		return nil, err
	}
	return t, nil
}

// tableReader keeps the commands that the next lines may belong to, by depth of indentation.
type tableReader struct {
	t     *Table
	file  string
	line  int
	open  [][]*command // open[0] is the program, open[1] its sub-command, …
	words []string     // scratch
}

func (t *Table) read(file, text string) error {
	r := &tableReader{t: t, file: file}
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		r.line++
		for strings.HasSuffix(line, ",") && text != "" {
			next, rest, _ := strings.Cut(text, "\n")
			line, text = line+strings.TrimLeft(next, " "), rest
			r.line++
		}
		if err := r.read(line); err != nil {
			return &TableError{File: file, Line: r.line, Msg: err.Error()}
		}
	}
	return nil
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
		return r.command(words, why, nil)
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
		parents := r.open[len(r.open)-1]
		return r.command(words, why, parents)
	}
	for _, c := range r.open[len(r.open)-1] {
		if err := c.rule(keyword, words, why); err != nil {
			return err
		}
	}
	return nil
}

// command adds a program, or a sub-command to each of parents.
func (r *tableReader) command(words []string, why string, parents []*command) error {
	names := strings.Split(words[0], ",")
	if parents == nil {
		parents = []*command{nil}
	}
	var made []*command
	for _, parent := range parents {
		for _, name := range names {
			c := &command{name: name, parent: parent, why: why, base: Observe}
			if parent != nil {
				c.base, c.single = parent.base, parent.single
				c.name = parent.name + " " + name
			}
			if err := c.attributes(words[1:]); err != nil {
				return err
			}
			if err := r.t.attach(parent, name, c); err != nil {
				return err
			}
			made = append(made, c)
		}
	}
	r.open = append(r.open, made)
	return nil
}

func (t *Table) attach(parent *command, name string, c *command) error {
	switch {
	case name == "":
		return fmt.Errorf("empty name")
	case parent == nil:
		if t.programs[name] != nil {
			return fmt.Errorf("program %q is defined twice", name)
		}
		t.programs[name] = c
	case name == "*":
		if parent.anySub != nil {
			return fmt.Errorf("%q has two sub-commands *", parent.name)
		}
		parent.anySub = c
	default:
		if parent.subs[name] != nil {
			return fmt.Errorf("sub-command %q is defined twice", c.name)
		}
		if parent.subs == nil {
			parent.subs = map[string]*command{}
		}
		parent.subs[name] = c
	}
	return nil
}

func (c *command) attributes(words []string) error {
	for _, w := range words {
		grammar, isGrammar := strings.CutPrefix(w, "grammar=")
		switch {
		case Capability(w).Valid():
			c.base = Capability(w)
		case w == "single":
			c.single = true
		case w == "bundle":
			c.bundle = true
		case isGrammar && knownGrammar(grammar):
			c.grammar = grammar
		default:
			return fmt.Errorf("unknown capability or attribute %q", w)
		}
	}
	return nil
}

// rule adds one line below a program or sub-command.
func (c *command) rule(keyword string, words []string, why string) error {
	switch keyword {
	case "flag", "opt":
		return c.addOption(keyword == "opt", words, why)
	case "arg":
		return c.addOperandRule(words, why)
	case "args":
		return c.addRoles(words)
	case "bare":
		c.bare = Capability(words[0])
		if !c.bare.Valid() || len(words) > 1 {
			return fmt.Errorf("unknown capability %q", words[0])
		}
		return nil
	case "rest":
		return c.addRest(words)
	}
	return fmt.Errorf("unknown keyword %q", keyword)
}

func (c *command) addOption(takes bool, words []string, why string) error {
	var proto option
	hasRole := false
	proto.takes, proto.why = takes, why
	for i, w := range words[1:] {
		rl, isRole := roleOf(w)
		switch {
		case isRole && takes && i == 0:
			proto.role, hasRole = rl, true
		case Capability(w).Valid():
			proto.raise = Capability(w)
		case w == "lower":
			proto.lower = true
		case w == "lead":
			proto.lead = true
		case w == "rest":
			proto.rest = restArgv
		case w == "inplace":
			proto.inplace = true
		case w == "inert":
			proto.inert = true
		default:
			return fmt.Errorf("unknown role, capability or attribute %q", w)
		}
	}
	if takes && !hasRole {
		return fmt.Errorf("an option with an argument needs a role")
	}
	if !takes && proto.raise == "" && !proto.lead && proto.rest == restNone && len(words) > 1 {
		return fmt.Errorf("flag %q raises nothing", words[0])
	}
	if c.options == nil {
		c.options = map[string]*option{}
	}
	for name := range strings.SplitSeq(words[0], ",") {
		o := proto
		o.name, o.glued = strings.CutSuffix(name, "?")
		if len(o.name) < 2 || o.name[0] != '-' && o.name[0] != '+' {
			return fmt.Errorf("option %q does not begin with a dash", name)
		}
		if c.options[o.name] != nil {
			return fmt.Errorf("option %q of %q is defined twice", o.name, c.name)
		}
		c.options[o.name] = &o
	}
	return nil
}

func (c *command) addOperandRule(words []string, why string) error {
	if len(words) != 2 {
		return fmt.Errorf("an operand rule is: arg GLOB ROLE|CAPABILITY")
	}
	rule := operandRule{glob: words[0], role: roleText, why: why}
	if rl, ok := roleOf(words[1]); ok {
		rule.role = rl
	} else if rule.raise = Capability(words[1]); !rule.raise.Valid() {
		return fmt.Errorf("unknown role or capability %q", words[1])
	}
	c.args = append(c.args, rule)
	return nil
}

// addRoles reads "text read... write": leading roles, at most one repeated role, trailing roles.
func (c *command) addRoles(words []string) error {
	repeated := false
	for _, w := range words {
		name, dots := strings.CutSuffix(w, "...")
		rl, ok := roleOf(name)
		switch {
		case !ok || dots && repeated:
			return fmt.Errorf("unknown role %q", w)
		case dots:
			c.middle, repeated = rl, true
		case repeated:
			c.tail = append(c.tail, rl)
		default:
			c.lead = append(c.lead, rl)
		}
	}
	return nil
}

func (c *command) addRest(words []string) error {
	kinds := map[string]restKind{"argv": restArgv, "script": restScript, "code": restCode}
	c.rest = kinds[words[0]]
	if c.rest == restNone || len(words) > 2 {
		return fmt.Errorf("a rest line is: rest argv|script|code [OPERANDS BEFORE]")
	}
	if len(words) == 2 {
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 0 || n > 9 {
			return fmt.Errorf("%q is not a number of operands", words[1])
		}
		c.skip = n
	}
	return nil
}

func roleOf(word string) (role, bool) {
	switch word {
	case "read":
		return roleRead, true
	case "text":
		return roleText, true
	case "write":
		return roleWrite, true
	case "destroy":
		return roleDestroy, true
	case "script":
		return roleScript, true
	case "code":
		return roleCode, true
	case "env":
		return roleEnv, true
	case "mount":
		return roleMount, true
	case "setting":
		return roleSetting, true
	case "tree":
		return roleTree, true
	case "config":
		return roleConfig, true
	case "sed":
		return roleSed, true
	case "awk":
		return roleAwk, true
	case "sql":
		return roleSQL, true
	}
	return 0, false
}
