package classify

import "strings"

// judgeInput judges the input of a program that reads commands or statements when none are given.
func (v *invocation) judgeInput() {
	r := v.r
	switch {
	case v.cmd.stdin == roleRead || !r.piped || v.given:
	case len(r.input) == 0:
		v.f.raise(Unknown, v.cmd.name, " reads what to do from its input")
	default:
		for _, w := range r.input {
			r.judge(v.cmd.stdin, w, v.at, v.depth, &v.f)
		}
	}
}

func (v *invocation) judgeOperands() {
	c := v.cmd
	lead := c.lead
	if v.noLead {
		lead = nil
	}
	for i, w := range v.operands {
		rl := c.middle
		if i < len(lead) {
			rl = lead[i]
		} else if k := i - (len(v.operands) - len(c.tail)); k >= 0 && i > 0 {
			rl = c.tail[k]
		}
		if rule := c.operandRule(w.text); rule != nil {
			if rule.raise != "" {
				v.f.raise(rule.raise, c.name, " ", w.text, " ", rule.why)
			}
			rl = rule.role
			if _, value, ok := strings.Cut(w.text, "="); ok && strings.Contains(rule.glob, "=") {
				w.text, w.at = value, inexactly(w.at.span)
			}
		}
		switch {
		case v.lowered != "" && (rl == roleWrite || rl == roleDestroy):
			rl = roleRead
		case v.inplace && (rl == roleWrite || rl == roleRead && len(c.tail) == 0):
			rl = roleDestroy
		}
		v.given = v.given || rl == roleSQL
		v.r.judge(rl, w, v.at, v.depth, &v.f)
	}
}

func (c *command) operandRule(text string) *operandRule {
	lower := strings.ToLower(text)
	for n := c; n != nil; n = n.parent {
		for i := range n.args {
			if g := n.args[i].glob; globMatchWhole(g, text) || globMatchWhole(g, lower) {
				return &n.args[i]
			}
		}
	}
	return nil
}

// globMatchWhole is a glob over a word that is no path: * matches any run of bytes, slashes too, and ? any byte.
func globMatchWhole(glob, s string) bool {
	for i := 0; i < len(glob); i++ {
		switch {
		case glob[i] == '*':
			rest := glob[i+1:]
			for k := i; k <= len(s); k++ {
				if rest == "" || globMatchWhole(rest, s[k:]) {
					return true
				}
			}
			return false
		case i >= len(s) || glob[i] != s[i] && glob[i] != '?':
			return false
		}
	}
	return len(glob) == len(s)
}

// runRest reads the command inside a command.
func (v *invocation) runRest() {
	at := span{v.rest[0].at.start, v.rest[len(v.rest)-1].at.end}
	if at.end <= at.start {
		at = v.at
	}
	switch v.restKind {
	case restArgv:
		v.r.simple(v.rest, at, v.depth+1)
	case restScript:
		v.r.joined(v.rest, at, v.depth+1)
	case restCode:
		v.r.add(Unknown, v.f.program, v.f.program+" runs code in another language, which is not read", v.words, v.at)
	}
}

// joined reads words that a shell will join and read.
func (r *reader) joined(words []word, at span, depth int) {
	if len(words) == 1 {
		r.scriptWord(words[0], at, depth)
		return
	}
	texts := make([]string, len(words))
	dynamic := false
	for i, w := range words {
		texts[i] = w.text
		dynamic = dynamic || w.dynamic
	}
	r.script(strings.Join(texts, " "), inexactly(at), dialectAny, depth)
	if dynamic {
		r.add(Unknown, "sh", "a command line with an expansion in it is not known before it runs", words, at)
	}
}

// scriptWord reads one word as a command line.
func (r *reader) scriptWord(w word, at span, depth int) {
	src := w.at
	if w.dynamic {
		r.add(Unknown, "sh", "a command line with an expansion in it is not known before it runs", []word{w}, at)
		src = inexactly(w.at.span)
	}
	r.script(w.text, src, dialectAny, depth)
}

// sentence says what a command with capability c does.
func sentence(name string, c Capability, why string) string {
	if why != "" {
		return name + " " + why
	}
	switch c {
	case Observe:
		return name + " only reads"
	case Use:
		return name + " works inside its own scope"
	case Modify:
		return name + " changes files or state"
	case ServiceControl:
		return name + " controls services or processes"
	case PackageInstall:
		return name + " installs or removes software"
	case Privilege:
		return name + " acts with other privileges"
	case Credential:
		return name + " handles credentials"
	case Critical:
		return name + " can destroy the system"
	}
	return "what " + name + " does is not known"
}
