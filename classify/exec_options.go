package classify

import "strings"

// doubt judges a sub-command that may be another: words[0] may be the argument of an option that is not in the table, and a word
// taken for any sub-command may be a path.
func (v *invocation) doubt(sub *command, words []word) {
	if sub == v.cmd.anySub {
		v.r.judge(roleRead, words[0], v.at, v.depth, &v.f)
	}
	if !v.doubtful {
		return
	}
	v.doubtful = false
	for _, w := range words[1:] {
		if v.cmd.subs[w.text] != nil {
			v.f.raise(Unknown, v.cmd.name, ": whether ", quote(words[0].text), " or ", quote(w.text), " is the sub-command is not known")
			return
		}
	}
}

// assigns reports whether w is a NAME=VALUE before the rest, for the programs that accept those, and judges it.
func (v *invocation) assigns(w word) bool {
	name, value, ok := strings.Cut(w.text, "=")
	if v.cmd.grammar != "env" || !ok || !isName(name) || len(v.operands) > 0 {
		return false
	}
	v.r.environment(name, value, w, v.at, v.depth, &v.f)
	return true
}

// option takes the option words[i] and returns the number of further words it took.
func (v *invocation) option(words []word, i int) int {
	w := words[i]
	if w.text == "--help" || w.text == "--version" {
		v.helpOnly = i == len(words)-1 && len(v.operands) == 0
	}
	if strings.HasPrefix(w.text, "--") || v.cmd.single && v.cmd.option(w.text[:2]) == nil || v.cmd.single && len(w.text) > 2 {
		name, value, has := strings.Cut(w.text, "=")
		o := v.cmd.longOption(name)
		if o == nil && v.cmd.single && strings.HasPrefix(name, "--") {
			o = v.cmd.longOption(name[1:])
		}
		if o != nil {
			return v.apply(o, words, i, value, has)
		}
		if !v.cmd.single || strings.HasPrefix(w.text, "--") || has || len(w.text) > 2 {
			v.doubtful = !has
			v.r.judge(roleRead, w, v.at, v.depth, &v.f)
			return 0
		}
	}
	return v.cluster(w, words, i)
}

// cluster takes short options written together: -xvf FILE.
func (v *invocation) cluster(w word, words []word, i int) int {
	if o := v.cmd.option(w.text); o != nil && len(w.text) > 2 { // a short option of several letters, declared as such
		return v.apply(o, words, i, "", false)
	}
	known := false
	for k := 1; k < len(w.text); k++ {
		o := v.cmd.option(w.text[:1] + w.text[k:k+1])
		if o == nil {
			continue
		}
		known = true
		rest := w.text[k+1:]
		if o.takes || o.glued {
			return v.apply(o, words, i, strings.TrimPrefix(rest, "="), rest != "")
		}
		v.apply(o, words, i, "", false)
		if v.restKind != restNone {
			return 0
		}
	}
	v.doubtful = !known
	if !known && len(w.text) > 2 { // an option that is not in the table may have its argument glued on
		v.r.judge(roleRead, word{text: w.text[2:], at: w.at, glob: w.glob}, v.at, v.depth, &v.f)
	}
	return 0
}

// apply judges an option. It returns the number of words it took after words[i].
func (v *invocation) apply(o *option, words []word, i int, value string, has bool) int {
	if o.raise != "" && (o.lower || o.raise != Observe) && !(o.alone && len(v.words) > 2) {
		why := o.why
		if why == "" {
			why = "changes what it does"
		}
		if o.lower {
			if v.lowered == "" || o.raise.rank() > v.lowered.rank() {
				v.lowered, v.lowWhy = o.raise, o.name+" "+why
			}
		} else {
			v.raised = true
			v.f.raise(o.raise, v.cmd.name, " ", o.name, " ", why)
		}
	}
	v.noLead = v.noLead || o.lead
	v.inert, v.inplace = v.inert || o.inert, v.inplace || o.inplace
	if !o.takes {
		if o.rest != restNone {
			v.setRest(o.rest, words[i+1:])
		}
		return 0
	}
	w := words[i]
	taken := 0
	switch {
	case has:
		w.text = value
		w.at = inexactly(w.at.span)
	case i+1 < len(words) && !v.isOption(words[i+1].text):
		w, taken = words[i+1], 1
		if o.two && i+2 < len(words) {
			w, taken = words[i+2], 2
		}
	default:
		return 0
	}
	if o.rest != restNone { // the value begins the command that the rest continues
		kind := restArgv
		if o.role == roleScript {
			kind = restScript
		}
		v.setRest(kind, append([]word{w}, words[i+1+taken:]...))
		return taken
	}
	v.given = v.given || o.role == roleScript || o.role == roleSQL || o.role == roleCode
	before := v.f.cap
	v.r.judge(o.role, w, v.at, v.depth, &v.f)
	v.raised = v.raised || v.f.cap != before
	return taken
}

// isOption reports whether a word is a long option that does something. It is then not taken for the argument of the one before, whose
// argument may be optional.
func (v *invocation) isOption(s string) bool {
	if len(s) < 3 || s[0] != '-' {
		return false
	}
	name, _, _ := strings.Cut(s, "=")
	o := v.cmd.option(name)
	return o != nil && o.risk() > 1
}
