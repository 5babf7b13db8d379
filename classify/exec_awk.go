package classify

import "strings"

// awk judges an awk program: system(), pipes, and files that print writes or getline reads. The scan knows strings, regular
// expressions and comments; what it does not know is a plain computation.
func (r *reader) awk(w word, at span, depth int, f *finding) {
	if w.dynamic {
		f.raise(Use, f.program, " is given a program with an expansion in it")
	}
	a := awkScan{r: r, w: w, at: at, depth: depth, f: f}
	for a.i < len(w.text) {
		a.token()
	}
}

type awkScan struct {
	r        *reader
	w        word
	at       span
	depth    int
	f        *finding
	i        int
	operand  bool   // the last token ended an operand, so a slash divides
	getline  bool   // the program has a getline so far
	printing bool   // inside the words of print or printf
	parens   int    // open since print
	last     string // the last string literal
	hasLast  bool   // … and it is the last token
}

func (a *awkScan) token() {
	s := a.w.text
	c := s[a.i]
	switch {
	case c == ' ' || c == '\t' || c == '\r' || c == '\\':
		a.i++
		return
	case c == '#':
		for a.i < len(s) && s[a.i] != '\n' {
			a.i++
		}
		return
	case c == '"':
		a.last, a.hasLast, a.operand = a.quoted('"'), true, true
		return
	case c == '/' && !a.operand:
		a.quoted('/')
		a.operand = true
	case isAwkWord(c):
		a.identifier()
	default:
		a.operator()
		return
	}
	a.hasLast = false
}

// quoted takes a string or regular expression and returns its text.
func (a *awkScan) quoted(end byte) string {
	s := a.w.text
	start := a.i + 1
	for a.i++; a.i < len(s) && s[a.i] != end; a.i++ {
		if s[a.i] == '\\' {
			a.i++
		}
	}
	stop := min(a.i, len(s))
	a.i = stop + 1
	return unescape(s[min(start, stop):stop])
}

func isAwkWord(c byte) bool {
	return c == '_' || c == '@' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

func (a *awkScan) identifier() {
	s := a.w.text
	start := a.i
	for a.i < len(s) && isAwkWord(s[a.i]) {
		a.i++
	}
	a.operand = true
	switch name := s[start:a.i]; name {
	case "print", "printf":
		a.printing, a.parens, a.operand = true, 0, false
	case "return", "in", "getline":
		a.operand = name == "getline"
		a.getline = a.getline || a.operand
	case "system":
		rest := strings.TrimLeft(s[a.i:], " \t(")
		if strings.HasPrefix(rest, `"`) {
			a.i = len(s) - len(rest)
			a.runs(a.quoted('"'))
		} else {
			a.f.raise(Unknown, a.f.program, " system() runs a command that is not known before it runs")
		}
	case "@load", "@include":
		a.f.raise(Unknown, a.f.program, " ", name, " loads code from a file")
	case "@namespace":
	case "ENVIRON":
		a.f.raise(Use, a.f.program, " reads the environment")
	default:
		if name[0] == '@' {
			a.f.raise(Unknown, a.f.program, " calls a function whose name is not known before it runs")
		}
	}
}

// runs judges a command line that the program hands to a shell.
func (a *awkScan) runs(line string) {
	rest := strings.TrimLeft(a.w.text[min(a.i, len(a.w.text)):], " \t")
	w := word{text: line, at: inexactly(a.w.at.span), dynamic: a.w.dynamic || rest != "" && strings.IndexByte(`$"`, rest[0]) >= 0 || rest != "" && isAwkWord(rest[0]) && !strings.HasPrefix(rest, "getline")}
	a.r.scriptWord(w, w.at.span, a.depth+1)
}

func (a *awkScan) operator() {
	s := a.w.text
	c := s[a.i]
	next := byte(0)
	if a.i+1 < len(s) {
		next = s[a.i+1]
	}
	had := a.hasLast
	a.hasLast, a.operand = false, c == ')' || c == ']' || c == '$'
	a.i++
	switch {
	case c == '(':
		a.parens++
	case c == ')':
		a.parens--
	case c == ';' || c == '\n' || c == '{' || c == '}':
		a.printing = false
	case c == '|' && next == '|', c == '&' && next == '&':
		a.i++
	case c == '|':
		a.pipe(had)
	case c == '>' && a.printing && a.parens <= 0:
		a.redirect(next == '>')
	case c == '<' && a.getline:
		if rest := strings.TrimLeft(s[a.i:], " \t"); strings.HasPrefix(rest, `"`) {
			a.i = len(s) - len(rest)
			a.r.judge(roleRead, fileWord(a.w, a.quoted('"')), a.at, a.depth, a.f)
		}
	}
}

// pipe judges "cmd" | getline and print | "cmd".
func (a *awkScan) pipe(had bool) {
	s := a.w.text
	a.i += len(s[a.i:]) - len(strings.TrimLeft(s[a.i:], "& \t"))
	switch {
	case strings.HasPrefix(s[a.i:], `"`):
		a.runs(a.quoted('"'))
	case strings.HasPrefix(s[a.i:], "getline") && had:
		a.runs(a.last)
	default:
		a.f.raise(Unknown, a.f.program, " pipes to or from a command that is not known before it runs")
	}
}

func (a *awkScan) redirect(extend bool) {
	s := a.w.text
	rl := roleDestroy
	if extend {
		a.i++
		rl = roleWrite
	}
	rest := strings.TrimLeft(s[a.i:], " \t")
	if !strings.HasPrefix(rest, `"`) {
		a.f.raise(Modify, a.f.program, " prints into a file")
		return
	}
	a.i = len(s) - len(rest)
	a.r.judge(rl, fileWord(a.w, a.quoted('"')), a.at, a.depth, a.f)
}
