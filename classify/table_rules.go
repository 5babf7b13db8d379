package classify

import (
	"fmt"
	"strconv"
	"strings"
)

func (u *usage) attributes(words []string) error {
	for _, w := range words {
		grammar, isGrammar := strings.CutPrefix(w, "grammar=")
		switch {
		case Capability(w).Valid():
			u.base = Capability(w)
		case w == "single":
			u.single = true
		case w == "stdin=script":
			u.stdin = roleScript
		case w == "stdin=sql":
			u.stdin = roleSQL
		case w == "bundle":
			u.bundle = true
		case isGrammar && knownGrammar(grammar):
			u.grammar = grammar
		default:
			return fmt.Errorf("unknown capability or attribute %q", w)
		}
	}
	return nil
}

// rule adds one line below a program or sub-command.
func (u *usage) rule(keyword string, words []string, why string) error {
	switch keyword {
	case "flag", "opt", "opt2":
		return u.addOption(keyword, words, why)
	case "arg":
		return u.addOperandRule(words, why)
	case "args":
		return u.addRoles(words)
	case "bare":
		u.bare = Capability(words[0])
		if !u.bare.Valid() || len(words) > 1 {
			return fmt.Errorf("unknown capability %q", words[0])
		}
		return nil
	case "rest":
		return u.addRest(words)
	}
	return fmt.Errorf("unknown keyword %q", keyword)
}

func (u *usage) addOption(keyword string, words []string, why string) error {
	takes := keyword != "flag"
	var proto option
	hasRole := false
	proto.takes, proto.two, proto.why = takes, keyword == "opt2", why
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
		case w == "alone":
			proto.alone = true
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
	if u.options == nil {
		u.options = map[string]*option{}
	}
	for name := range strings.SplitSeq(words[0], ",") {
		o := proto
		o.name, o.glued = strings.CutSuffix(name, "?")
		if len(o.name) < 2 || o.name[0] != '-' && o.name[0] != '+' {
			return fmt.Errorf("option %q does not begin with a dash", name)
		}
		if u.options[o.name] != nil {
			return fmt.Errorf("option %q is defined twice", o.name)
		}
		u.options[o.name] = &o
	}
	return nil
}

func (u *usage) addOperandRule(words []string, why string) error {
	if len(words) != 2 {
		return fmt.Errorf("an operand rule is: arg GLOB ROLE|CAPABILITY")
	}
	rule := operandRule{glob: words[0], role: roleText, why: why}
	if rl, ok := roleOf(words[1]); ok {
		rule.role = rl
	} else if rule.raise = Capability(words[1]); !rule.raise.Valid() {
		return fmt.Errorf("unknown role or capability %q", words[1])
	}
	u.args = append(u.args, rule)
	return nil
}

// addRoles reads "text read... write": leading roles, at most one repeated role, trailing roles.
func (u *usage) addRoles(words []string) error {
	repeated := false
	for _, w := range words {
		name, dots := strings.CutSuffix(w, "...")
		rl, ok := roleOf(name)
		switch {
		case !ok || dots && repeated:
			return fmt.Errorf("unknown role %q", w)
		case dots:
			u.middle, repeated = rl, true
		case repeated:
			u.tail = append(u.tail, rl)
		default:
			u.lead = append(u.lead, rl)
		}
	}
	return nil
}

func (u *usage) addRest(words []string) error {
	kinds := map[string]restKind{"argv": restArgv, "script": restScript, "code": restCode}
	u.rest = kinds[words[0]]
	if u.rest == restNone || len(words) > 2 {
		return fmt.Errorf("a rest line is: rest argv|script|code [OPERANDS BEFORE]")
	}
	if len(words) == 2 {
		n, err := strconv.Atoi(words[1])
		if err != nil || n < 0 || n > 9 {
			return fmt.Errorf("%q is not a number of operands", words[1])
		}
		u.skip = n
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
	case "method":
		return roleMethod, true
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
