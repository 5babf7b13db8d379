package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Extension is what a deployment adds to a table: the "classify" member of a policy file. It comes from trusted input only.
type Extension struct {
	// Commands gives capabilities to programs ("mytool"), sub-commands ("mytool deploy") and options ("mytool deploy --force").
	// A sub-command or option of a known program keeps what the table says about everything else. A capability given to an option
	// is the least that its presence means. The words of an entry are separated by single spaces.
	Commands map[string]Capability `json:"commands,omitempty"`
	// Rules are lines in the format that commands.txt describes, for what Commands cannot say. A program replaces the one of
	// that name.
	Rules []string `json:"rules,omitempty"`
	// Outcomes changes the decision that goes with a capability.
	Outcomes map[Capability]Decision `json:"outcomes,omitempty"`
	// Override names what may become less strict than credential or critical: a key of Commands, a program of Rules, or a
	// capability of Outcomes. Without it such an entry is an error. Credential and critical paths stay what they are.
	Override []string `json:"override,omitempty"`
}

// ParseExtension decodes the "classify" member of a policy file. Unknown members are errors; the words in it are checked by
// [Table.Extend].
func ParseExtension(data []byte) (Extension, error) {
	var ext Extension
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&ext); err != nil {
		return Extension{}, fmt.Errorf("decode classify section: %w", err)
	}
	if len(bytes.TrimSpace(data[d.InputOffset():])) > 0 {
		return Extension{}, fmt.Errorf("decode classify section: text after the object")
	}
	return ext, nil
}

// Extend returns a table with ext added; t is not changed. The error joins all problems of ext in a stable order.
func (t *Table) Extend(ext Extension) (*Table, error) {
	n := *t
	n.programs = maps.Clone(t.programs)
	n.outcomes = maps.Clone(t.outcomes)
	n.variables = maps.Clone(t.variables)
	n.pathRules = t.pathRules.clone()
	n.shapes = t.shapes[:len(t.shapes):len(t.shapes)]
	n.secretVar = t.secretVar[:len(t.secretVar):len(t.secretVar)]
	e := extender{t: &n, before: t, override: map[string]bool{}, used: map[string]bool{}, copied: map[string]bool{}}
	for _, name := range ext.Override {
		e.override[name] = true
	}
	e.rules(ext.Rules)
	for _, key := range sortedKeys(ext.Commands) {
		if err := e.command(key, ext.Commands[key]); err != nil {
			e.fail("commands: %q: %w", key, err)
		}
	}
	for _, c := range sortedKeys(ext.Outcomes) {
		if err := e.outcome(c, ext.Outcomes[c]); err != nil {
			e.fail("outcomes: %q: %w", string(c), err)
		}
	}
	for _, name := range ext.Override {
		if !e.used[name] {
			e.fail("override: %q names nothing here that is less strict than credential or critical", name)
		}
	}
	if len(e.errs) > 0 {
		return nil, errors.Join(e.errs...)
	}
	return &n, nil
}

type extender struct {
	t        *Table
	before   *Table // what an entry would make less strict
	override map[string]bool
	used     map[string]bool
	copied   map[string]bool // programs that are ours to change
	errs     []error
}

func (e *extender) fail(format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf(format, args...))
}

// lower checks that key may become less strict than what it was.
func (e *extender) lower(key string, from, to Capability) error {
	if from.rank() < Credential.rank() || to.rank() >= from.rank() {
		return nil
	}
	if !e.override[key] {
		return fmt.Errorf("is %s and cannot become %s without an override of that name", from, to)
	}
	e.used[key] = true
	return nil
}

func (e *extender) outcome(c Capability, d Decision) error {
	switch {
	case !c.Valid():
		return fmt.Errorf("unknown capability")
	case !d.Valid():
		return fmt.Errorf("unknown outcome %q", string(d))
	}
	if c.rank() >= Credential.rank() && d.Compare(e.t.decision(c)) < 0 {
		if !e.override[string(c)] {
			return fmt.Errorf("cannot become %s without an override of that name", d)
		}
		e.used[string(c)] = true
	}
	if e.t.outcomes == nil {
		e.t.outcomes = map[Capability]Decision{}
	}
	e.t.outcomes[c] = d
	return nil
}

// command gives one program, sub-command or option its capability.
func (e *extender) command(key string, c Capability) error {
	if !c.Valid() {
		return fmt.Errorf("unknown capability %q", string(c))
	}
	words := strings.Split(key, " ")
	for _, w := range words {
		if w == "" || strings.ContainsAny(w, "/\t\n\x00") {
			return fmt.Errorf("is not a program with sub-commands, separated by single spaces")
		}
	}
	if err := e.lower(key, e.before.Exec(words).Capability, c); err != nil {
		return err
	}
	cmd := e.own(words[0])
	for i, w := range words[1:] {
		last := i == len(words)-2
		if w[0] == '-' || w[0] == '+' {
			if !last {
				return fmt.Errorf("%q must be the last word", w)
			}
			cmd.setOption(w, c)
			return nil
		}
		cmd = cmd.child(w)
	}
	cmd.base, cmd.bare, cmd.why = c, "", "is listed by the deployment"
	return nil
}

// own is a program of the new table that may be changed.
func (e *extender) own(name string) *command {
	p := e.t.program(name)
	switch {
	case p == nil:
		p = &command{name: name, usage: &usage{base: Unknown, made: true}}
	case !e.copied[name]:
		p = p.clone(nil)
	default:
		return p
	}
	e.copied[name] = true
	e.t.programs[name] = &program{name: name, cmd: p}
	return p
}

// setOption gives an option a capability that its presence means at least.
func (c *command) setOption(name string, x Capability) {
	o := &option{}
	if old := c.option(name); old != nil {
		*o = *old
	}
	o.name, o.raise, o.lower, o.why = name, x, false, "is listed by the deployment"
	if c.options == nil {
		c.options = map[string]*option{}
	}
	c.options[name] = o
}

// rules reads lines of the table format. A program that replaces one with credential or critical in it needs an override.
func (e *extender) rules(lines []string) {
	if len(lines) == 0 {
		return
	}
	added := &Table{programs: map[string]*program{}, variables: e.t.variables, shapes: e.t.shapes, secretVar: e.t.secretVar, pathRules: e.t.pathRules}
	for _, line := range lines {
		switch keyword, _, _ := strings.Cut(line, " "); keyword {
		case "not-credential", "not-critical", "harmless", "trusted":
			if err := e.lower(keyword, Critical, Observe); err != nil {
				e.fail("rules: %q: %w", keyword, err)
			}
		}
	}
	if err := added.read("rules", strings.Join(lines, "\n")); err != nil {
		e.errs = append(e.errs, err)
		return
	}
	e.t.shapes, e.t.secretVar, e.t.pathRules = added.shapes, added.secretVar, added.pathRules
	for _, name := range sortedKeys(added.programs) {
		p, err := added.programs[name].block.read(name)
		if err != nil {
			e.errs = append(e.errs, err)
			continue
		}
		if old := e.t.program(name); old != nil {
			if err := e.replace(name, old, p); err != nil {
				e.fail("rules: %q: %w", name, err)
				continue
			}
		}
		e.t.programs[name], e.copied[name] = &program{name: name, cmd: p}, true
	}
}

// replace checks that a program may be replaced as a whole.
func (e *extender) replace(name string, old, p *command) error {
	strictest := old.strictest()
	if strictest.rank() < Credential.rank() && (old.runsOthers() && !p.runsOthers()) {
		strictest = Critical // what it runs would go unread
	}
	return e.lower(name, strictest, p.base)
}

// strictest is the riskiest capability in a command and below it.
func (c *command) strictest() Capability {
	found := c.base
	see := func(x Capability) {
		if x.rank() > found.rank() {
			found = x
		}
	}
	for _, o := range c.options {
		if !o.lower {
			see(o.raise)
		}
	}
	for i := range c.args {
		see(c.args[i].raise)
	}
	for _, s := range c.subs {
		see(s.strictest())
	}
	if c.anySub != nil {
		see(c.anySub.strictest())
	}
	return found
}

// runsOthers reports whether a program runs commands given to it.
func (c *command) runsOthers() bool {
	if c.rest != restNone || c.grammar != "" {
		return true
	}
	for _, o := range c.options {
		if o.role == roleScript || o.rest != restNone {
			return true
		}
	}
	for _, s := range c.subs {
		if s.runsOthers() {
			return true
		}
	}
	return false
}

// child is the sub-command of that name, made when there is none: until it is given a capability it is what it was without a name.
func (c *command) child(name string) *command {
	if s := c.subs[name]; s != nil {
		return s
	}
	u := &usage{base: c.base, made: c.made, single: c.single, lead: c.lead, middle: c.middle, tail: c.tail, rest: c.rest, skip: c.skip}
	s := &command{name: c.name + " " + name, parent: c, usage: u}
	c.open = c.open || len(c.subs) == 0 && c.anySub == nil && !c.made
	if c.anySub != nil { // what the table says of any sub-command holds for this one too
		s = c.anySub.clone(c)
		s.name = c.name + " " + name
	}
	if c.subs == nil {
		c.subs = map[string]*command{}
	}
	c.subs[name] = s
	return s
}

// clone copies a command with everything below it.
func (c *command) clone(parent *command) *command {
	n, u := *c, *c.usage
	u.options = maps.Clone(c.options)
	n.parent, n.usage = parent, &u
	n.subs = nil
	if c.subs != nil {
		n.subs = make(map[string]*command, len(c.subs))
	}
	for name, s := range c.subs {
		n.subs[name] = s.clone(&n)
	}
	if c.anySub != nil {
		n.anySub = c.anySub.clone(&n)
	}
	return &n
}

func sortedKeys[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
