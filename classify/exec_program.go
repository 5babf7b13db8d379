package classify

import "strings"

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
