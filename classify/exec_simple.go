package classify

import (
	"strings"
)

// finding collects what one simple command amounts to.
type finding struct {
	program string
	cap     Capability
	reason  string
}

// raise makes the finding at least c.
func (f *finding) raise(c Capability, reason ...string) {
	if c.rank() > f.cap.rank() {
		f.cap, f.reason = c, strings.Join(reason, "")
	}
}

// simple reads one command given word by word.
func (r *reader) simple(words []word, at span, depth int) {
	if len(words) == 0 {
		return
	}
	if depth > maxDepth {
		r.add(Unknown, words[0].text, "commands are nested too deeply to read", words, at)
		return
	}
	if depth > 0 {
		if r.work += len(words); r.work > maxWork {
			r.add(Unknown, words[0].text, "the command holds more commands than are read", words, at)
			return
		}
	}
	first := words[0]
	if first.dynamic {
		r.dynamicProgram(words, at, depth)
		return
	}
	f := finding{}
	cmd := r.resolve(first, &f)
	if cmd == nil {
		if r.functions[first.text] {
			r.functionCall(words, at, depth)
			return
		}
		r.unknownProgram(words, at, depth, &f)
		return
	}
	r.run(cmd, words, at, depth, &f)
}

// invocation is a command being read option by option.
type invocation struct {
	r        *reader
	cmd      *command // the deepest sub-command reached
	words    []word
	at       span
	depth    int
	f        finding
	operands []word
	rest     []word // the command that the rest is, if any
	restKind restKind
	given    bool // a command or statement was given as an argument
	lowered  Capability
	lowWhy   string
	noLead   bool
	raised   bool // an option changed the finding
	helpOnly bool
	inplace  bool // an option says that operands are overwritten
	doubtful bool // the word before may be an option that takes the next
	inert    bool // an option says that the rest is only named, not run
}

// run reads the words after a recognised program.
func (r *reader) run(cmd *command, words []word, at span, depth int, f *finding) {
	v := r.spare
	if v == nil {
		v = &invocation{}
	}
	r.spare = nil
	*v = invocation{r: r, cmd: cmd, words: words, at: at, depth: depth, f: *f, operands: v.operands[:0]}
	if cmd.grammar == "" || !v.special() {
		v.parse()
		v.finish()
	}
	r.spare = v
}

// parse sorts the words into sub-commands, options, operands and rest.
func (v *invocation) parse() {
	words := v.words
	for i := 1; i < len(words); i++ {
		w := words[i]
		switch {
		case w.text == "--":
			v.operandsOnly(words[i+1:])
			return
		case len(w.text) > 1 && (w.text[0] == '-' || w.text[0] == '+' && v.cmd.option(w.text[:2]) != nil) && !(w.dynamic && w.text[0] == '$'):
			i += v.option(words, i)
			if v.restKind != restNone {
				return
			}
		default:
			if done := v.word(words, i); done {
				return
			}
		}
	}
}

// operandsOnly takes words that can be no option any more.
func (v *invocation) operandsOnly(words []word) {
	for i := range words {
		if v.word(words, i) {
			return
		}
	}
}

// word takes one word that is no option. It reports whether the rest has been taken too.
func (v *invocation) word(words []word, i int) bool {
	w := words[i]
	if len(v.cmd.subs) > 0 || v.cmd.anySub != nil {
		if sub := v.cmd.sub(w.text); sub != nil && !w.dynamic {
			if v.doubtful || sub == v.cmd.anySub {
				v.doubt(sub, words[i:])
			}
			v.cmd = sub
			return false
		}
		if !v.cmd.open && len(v.cmd.lead) == 0 && v.cmd.rest == restNone && len(v.operands) == 0 {
			v.f.raise(Unknown, quote(v.cmd.name+" "+w.text), " is not a known sub-command")
		}
	}
	if v.inert || v.assigns(w) {
		return false
	}
	if v.cmd.rest != restNone && len(v.operands) >= v.cmd.skip {
		v.setRest(v.cmd.rest, words[i:])
		return true
	}
	if v.cmd.bundle && len(v.operands) == 0 && i == 1 && len(words) == len(v.words) {
		v.cluster(word{text: "-" + w.text, at: w.at}, words, i)
		v.raised = true
		return false
	}
	v.operands = append(v.operands, w)
	return false
}

func (v *invocation) setRest(kind restKind, words []word) { v.restKind, v.rest = kind, words }

// finish judges the operands and the rest, and records the part.
func (v *invocation) finish() {
	c, r := v.cmd, v.r
	base, why := c.base, c.why
	switch {
	case v.lowered != "":
		base, why = v.lowered, v.lowWhy
	case c.bare != "" && len(v.operands) == 0 && v.restKind == restNone && !v.raised:
		base, why = c.bare, ""
	}
	inner := v.restKind != restNone && len(v.rest) > 0
	if v.helpOnly && !inner && !v.raised && base.rank() < Credential.rank() && v.f.cap == "" {
		base, why = Observe, "prints its help"
	}
	if v.f.cap.rank() < base.rank() {
		v.f.cap, v.f.reason = base, sentence(c.name, base, why)
	}
	v.judgeOperands()
	if !inner {
		v.judgeInput()
	}
	if !inner || v.f.cap != Observe {
		r.add(v.f.cap, v.f.program, v.f.reason, v.words, v.at)
	}
	if inner {
		v.runRest()
	}
}
