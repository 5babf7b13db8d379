package classify

import "strings"

// knownGrammar reports whether the reading that a table asks for exists.
func knownGrammar(name string) bool {
	switch name {
	case "shell", "find", "env", "xargs", "applet", "test", "kill", "source", "echo":
		return true
	}
	return false
}

// special reads programs whose words follow no option grammar. It reports false when the usual reading does the rest.
func (v *invocation) special() bool {
	switch v.cmd.grammar {
	case "shell":
		v.shell()
	case "find":
		v.find()
	case "xargs":
		v.xargs()
	case "applet": // busybox NAME …
		if len(v.words) < 2 || strings.HasPrefix(v.words[1].text, "-") {
			return false
		}
		if v.f.cap != "" {
			v.r.add(v.f.cap, v.f.program, v.f.reason, v.words, v.at)
		}
		v.r.simple(v.words[1:], v.at, v.depth+1)
	case "test":
		v.f.raise(v.cmd.base, sentence(v.cmd.name, v.cmd.base, v.cmd.why))
		v.r.add(v.f.cap, v.f.program, v.f.reason, v.words, v.at)
	case "source": // . /dev/stdin
		if len(v.words) > 1 && isStdin(v.words[1].text) && len(v.r.input) > 0 {
			v.shellInput()
		}
		return false
	case "echo":
		for _, w := range v.words[1:] {
			if name := v.r.secretVariable(w); name != "" {
				v.f.raise(Credential, v.cmd.name, " prints ", quote(name), ", a variable that holds a secret")
			}
		}
		return false
	case "kill":
		if n := len(v.words); n > 2 && v.words[n-1].text == "-1" { // a first -1 is the signal
			v.f.raise(Critical, v.cmd.name, " -1 is every process")
		}
		return false
	default:
		return false
	}
	return true
}

// xargs reads the command that xargs runs with words from its input: those a pipeline is seen to print, else an unknown one.
func (v *invocation) xargs() {
	v.parse()
	inner := v.rest
	if len(inner) == 0 {
		v.restKind = restNone
		v.finish()
		return
	}
	var input []word
	for _, w := range v.r.input {
		for _, field := range strings.Fields(w.text) {
			input = append(input, word{text: field, at: w.at, dynamic: w.dynamic})
		}
	}
	if len(input) == 0 {
		input = []word{{text: "$input", at: inexactly(v.at), dynamic: true}}
	}
	v.rest = v.placeInput(inner, input)
	v.finish()
}

// placeInput puts the input where -I says, else at the end.
func (v *invocation) placeInput(inner, input []word) []word {
	mark := ""
	for i, w := range v.words {
		switch {
		case w.text == "-I" && i+1 < len(v.words):
			mark = v.words[i+1].text
		case strings.HasPrefix(w.text, "-I"), strings.HasPrefix(w.text, "-i") && len(w.text) > 2:
			mark = w.text[2:]
		case w.text == "-i" || w.text == "--replace":
			mark = "{}"
		case strings.HasPrefix(w.text, "--replace="):
			mark = w.text[len("--replace="):]
		default:
			continue
		}
		break
	}
	if mark == "" {
		return append(inner[:len(inner):len(inner)], input...)
	}
	return substitute(inner, mark, input)
}

// substitute replaces mark in words by each of the values.
func substitute(words []word, mark string, values []word) []word {
	out := make([]word, 0, len(words)+len(values))
	for _, w := range words {
		if !strings.Contains(w.text, mark) {
			out = append(out, w)
			continue
		}
		for _, value := range values {
			if len(out) >= maxWords {
				break
			}
			n := w
			if len(w.text)+strings.Count(w.text, mark)*len(value.text) > maxText {
				n.dynamic = true
				out = append(out, n)
				continue
			}
			n.text = strings.ReplaceAll(w.text, mark, value.text)
			n.dynamic = w.dynamic || value.dynamic
			n.glob = w.glob || value.glob
			n.at = inexactly(w.at.span)
			out = append(out, n)
		}
	}
	return out
}

// shell reads sh [OPTIONS] -c STRING [NAME ARGS], sh FILE and sh.
func (v *invocation) shell() {
	name, words := v.cmd.name, v.words
	command, check, input, file := false, false, false, -1
	i := 1
scan:
	for ; i < len(words); i++ {
		s := words[i].text
		switch {
		case words[i].dynamic || len(s) < 2 || s[0] != '-' && s[0] != '+':
			break scan
		case s == "--":
			i++
			break scan
		case s == "--rcfile" || s == "--init-file":
			file = i + 1
			i++
		case s[:2] == "--":
			v.helpOnly = v.helpOnly || (s == "--version" || s == "--help") && len(words) == 2
			if strings.HasPrefix(s, "--rcfile=") || strings.HasPrefix(s, "--init-file=") {
				file = i
			}
		default:
			command = command || s[0] == '-' && strings.ContainsRune(s, 'c')
			input = input || s[0] == '-' && strings.ContainsRune(s, 's')
			check = check || s == "-n" && len(words) == 3
			if strings.ContainsAny(s[1:], "oO") { // takes the name of a shell option
				i += strings.Count(s, "o") + strings.Count(s, "O")
			}
		}
	}
	i = min(i, len(words))
	rest := words[i:]
	switch {
	case file >= 0:
		v.f.raise(Unknown, name, " runs a file before its commands")
	case command && len(rest) == 0:
		v.f.raise(Unknown, name, " -c has no command")
	}
	switch {
	case command && len(rest) > 0:
		if v.f.cap != "" {
			v.r.add(v.f.cap, v.f.program, v.f.reason, words, v.at)
		}
		v.shellCommand(rest)
		return
	case len(v.r.input) > 0 && (input || len(rest) > 0 && isStdin(rest[0].text)):
		v.shellInput()
	case len(rest) > 0:
		v.r.judge(roleRead, rest[0], v.at, v.depth, &v.f)
		if check {
			v.f.raise(Observe, name, " -n only checks the syntax of ", quote(rest[0].text))
		} else {
			v.f.raise(Unknown, name, " runs the script file ", quote(rest[0].text), ", which is not read")
		}
	case v.helpOnly:
		v.f.raise(Observe, name, " prints its help")
	case len(v.r.input) > 0:
		v.shellInput()
	default:
		v.f.raise(Unknown, name, " reads its commands from its input")
	}
	if v.f.cap != "" {
		v.r.add(v.f.cap, v.f.program, v.f.reason, words, v.at)
	}
}

func isStdin(s string) bool {
	return s == "-" || s == "/dev/stdin" || s == "/dev/fd/0" || s == "/proc/self/fd/0"
}

// secretVariable is the name of a variable in a word that usually holds a secret, if there is one.
func (r *reader) secretVariable(w word) string {
	for s := w.text; w.dynamic; {
		_, rest, ok := strings.Cut(s, "$")
		if !ok {
			return ""
		}
		s = strings.TrimLeft(rest, "{!")
		n := 0
		for n < len(s) && isName("_"+s[n:n+1]) {
			n++
		}
		if n > 0 && r.t.secretName(s[:n]) {
			return s[:n]
		}
	}
	return ""
}

// shellCommand reads the string after -c with the words after it as positional parameters.
func (v *invocation) shellCommand(rest []word) {
	r, w := v.r, rest[0]
	src := w.at
	if w.dynamic {
		r.add(Unknown, v.f.program, "a command line with an expansion in it is not known before it runs", v.words, v.at)
		src = inexactly(src.span)
	}
	saved := r.vars
	r.vars = positional(rest[1:])
	input := r.input
	r.script(w.text, src, dialectOf(v.cmd.name), v.depth+1)
	r.vars, r.input = saved, input
}

// shellInput reads what the script itself puts on the input of a shell: a here-document, or the text a pipeline prints.
func (v *invocation) shellInput() {
	input := v.r.input
	v.r.input = nil
	for _, w := range input {
		src := w.at
		if w.dynamic {
			v.f.raise(Unknown, v.cmd.name, " reads commands that hold an expansion")
			src = inexactly(src.span)
		}
		v.r.script(w.text, src, dialectOf(v.cmd.name), v.depth+1)
	}
	v.r.input = input
}
