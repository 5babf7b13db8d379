package classify

import "strings"

// sedScript reads a sed script as far as needed to find what writes, reads and runs.
type sedScript struct {
	s string
	i int
}

// sed judges a sed script: the commands w, W, r, R and e, and the flags w and e of s.
func (r *reader) sed(w word, at span, depth int, f *finding) {
	if w.dynamic {
		f.raise(Use, f.program, " is given a script with an expansion in it")
	}
	p := &sedScript{s: w.text}
	for p.i < len(p.s) {
		if !p.command(r, w, at, depth, f) {
			f.raise(Unknown, f.program, " is given a script that is not understood: ", quote(w.text))
			return
		}
	}
}

func (p *sedScript) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *sedScript) skip(set string) {
	for p.i < len(p.s) && strings.IndexByte(set, p.s[p.i]) >= 0 {
		p.i++
	}
}

// until skips to an unescaped delimiter outside brackets and past it.
func (p *sedScript) until(delim byte, brackets bool) bool {
	class := false
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '\\':
			p.i++
		case class:
			class = c != ']'
		case c == delim:
			p.i++
			return true
		case brackets && c == '[':
			class = true
			if p.i+1 < len(p.s) && p.s[p.i+1] == '^' {
				p.i++
			}
			if p.i+1 < len(p.s) && p.s[p.i+1] == ']' {
				p.i++
			}
		}
	}
	return false
}

// line takes the rest of the line.
func (p *sedScript) line() string {
	rest, _, _ := strings.Cut(p.s[p.i:], "\n")
	p.i = min(p.i+len(rest)+1, len(p.s))
	return strings.TrimLeft(rest, " \t")
}

func (p *sedScript) address() bool {
	for {
		p.skip(" \t")
		switch c := p.peek(); {
		case c == '/':
			p.i++
			if !p.until('/', true) {
				return false
			}
			p.skip("IM")
		case c == '\\' && p.i+1 < len(p.s):
			delim := p.s[p.i+1]
			p.i += 2
			if !p.until(delim, true) {
				return false
			}
			p.skip("IM")
		case c >= '0' && c <= '9' || c == '$' || c == ',' || c == '~' || c == '+' || c == '!':
			p.i++
		default:
			return true
		}
	}
}

func (p *sedScript) command(r *reader, w word, at span, depth int, f *finding) bool {
	p.skip(" \t\n;")
	if p.i >= len(p.s) {
		return true
	}
	if !p.address() {
		return false
	}
	c := p.peek()
	p.i++
	switch c {
	case 's', 'y':
		return p.substitute(c == 's', r, w, at, depth, f)
	case 'w', 'W':
		r.judge(roleDestroy, fileWord(w, p.line()), at, depth, f)
	case 'r', 'R':
		r.judge(roleRead, fileWord(w, p.line()), at, depth, f)
	case 'e':
		p.run(p.line(), r, w, depth, f)
	case 'a', 'i', 'c':
		p.line()
	case ':', 'b', 't', 'T':
		for p.i < len(p.s) && p.s[p.i] != '\n' && p.s[p.i] != ';' && p.s[p.i] != '}' {
			p.i++
		}
	case '#':
		p.line()
	case '{', '}', '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F', 'l', 'q', 'Q', 'L', 'v':
		p.skip("0123456789 \t")
	case 0:
		return p.i >= len(p.s)
	default:
		return false
	}
	return true
}

func fileWord(w word, name string) word {
	return word{text: name, at: inexactly(w.at.span), dynamic: w.dynamic}
}

func (p *sedScript) run(line string, r *reader, w word, depth int, f *finding) {
	if line == "" {
		f.raise(Unknown, f.program, " runs each line as a command")
		return
	}
	r.scriptWord(fileWord(w, line), w.at.span, depth+1)
}

func (p *sedScript) substitute(flags bool, r *reader, w word, at span, depth int, f *finding) bool {
	delim := p.peek()
	p.i++
	if delim == 0 || delim == '\n' || !p.until(delim, flags) || !p.until(delim, false) {
		return false
	}
	for flags && p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == 'w':
			p.i++
			r.judge(roleDestroy, fileWord(w, p.line()), at, depth, f)
			return true
		case c == 'e':
			p.i++
			f.raise(Unknown, f.program, " s///e runs what it makes as a command")
		case strings.IndexByte("gpiImM0123456789", c) >= 0:
			p.i++
		default:
			return true
		}
	}
	return true
}
