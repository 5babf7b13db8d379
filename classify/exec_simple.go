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

// programName is the last segment of the path of a program.
func programName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }

// resolve finds the program a word names. What the name alone does not prove is noted in f.
func (r *reader) resolve(w word, f *finding) *command {
	name := programName(w.text)
	f.program = name
	cmd := r.t.program(name)
	if cmd == nil {
		if lower := strings.ToLower(name); lower != name && r.t.programs[lower] != nil {
			cmd = r.t.program(lower)
			f.raise(Unknown, quote(w.text), " is not spelled like the program ", lower)
		} else if plain := withoutVersion(name); plain != name {
			cmd = r.t.program(plain)
		}
	}
	if cmd != nil && len(name) != len(w.text) && !r.t.trustedProgram(w.text) {
		f.raise(Unknown, quote(w.text), " is not in a system folder, so it may be anything")
	}
	if cmd != nil && w.glob && isGlob(w.text) {
		f.raise(Unknown, "the name of the program is a pattern")
	}
	return cmd
}

// withoutVersion cuts what distributions append to names: python3.12, clang-18, gcc-13.
func withoutVersion(name string) string {
	name = strings.TrimSuffix(name, ".exe")
	return strings.TrimRight(strings.TrimRight(name, "0123456789."), "-")
}

func quote(s string) string { return `"` + s + `"` }

// unknownProgram still judges the words: an unknown tool given a private key is a credential matter.
func (r *reader) unknownProgram(words []word, at span, depth int, f *finding) {
	name := words[0].text
	f.raise(Unknown, quote(name), " is not a known program")
	for _, w := range words[1:] {
		r.judge(roleRead, w, at, depth, f)
	}
	r.add(f.cap, f.program, f.reason, words, at)
	r.globProgram(words, at, depth)
	if name != "" && name[0] == '=' && r.t.programs[name[1:]] != nil { // zsh finds the program by itself
		r.simple(append(literal(words[0].at.span, name[1:]), words[1:]...), at, depth+1)
	}
}

// globProgram reads a program named by a pattern ("/bin/r?") as each program the pattern may stand for that is dangerous.
func (r *reader) globProgram(words []word, at span, depth int) {
	if !words[0].glob || !isGlob(words[0].text) {
		return
	}
	pattern := programName(words[0].text)
	if literals(pattern) == 0 && pattern == words[0].text { // any file of the working folder
		return
	}
	for _, name := range []string{"rm", "dd", "mkfs", "shred", "chmod", "chown", "mv", "cat", "sh", "bash"} {
		if globMatch(pattern, name) {
			r.simple(append(literal(words[0].at.span, name), words[1:]...), at, depth+1)
		}
	}
}

// dynamicProgram reads a command whose program is an expansion: it is Unknown, and is read again without the expansion, which
// finds "r${x}m" and "rm$IFS-rf".
func (r *reader) dynamicProgram(words []word, at span, depth int) {
	r.add(Unknown, words[0].text, "the program is an expansion, "+quote(words[0].text)+", so what runs is not known", words, at)
	plain := stripExpansions(words[0].text)
	fields := strings.Fields(plain)
	if len(fields) > 0 && r.t.programs[programName(fields[0])] != nil {
		r.simple(append(literal(words[0].at.span, fields...), words[1:]...), at, depth+1)
		return
	}
	f := finding{program: words[0].text, cap: Observe}
	for _, w := range words[1:] {
		r.judge(roleRead, w, at, depth, &f)
	}
	if f.cap != Observe {
		r.add(f.cap, f.program, f.reason, words, at)
	}
	if plain == "" && len(words) > 1 && r.t.programs[programName(words[1].text)] != nil { // "$SUDO rm", "$@ rm"
		r.simple(words[1:], at, depth+1)
	}
}

// functionCall reads a call of a function that the script defines. Its body was read where it stands; its arguments may be a
// command that the body runs.
func (r *reader) functionCall(words []word, at span, depth int) {
	f := finding{program: words[0].text, cap: Observe, reason: "the function " + quote(words[0].text) + " is read where it is defined"}
	for _, w := range words[1:] {
		r.judge(roleRead, w, at, depth, &f)
	}
	r.add(f.cap, f.program, f.reason, words, at)
	if len(words) > 1 && r.t.programs[programName(words[1].text)] != nil {
		r.simple(words[1:], at, depth+1)
	}
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

func (v *invocation) setRest(kind restKind, words []word) { v.restKind, v.rest = kind, words }

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
		if !v.cmd.single || strings.HasPrefix(w.text, "--") || has {
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
	if o.raise != "" && !(o.alone && len(v.words) > 2) {
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
