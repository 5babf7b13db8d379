package classify

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// unquoteBare removes the backslashes of text outside quotes.
func unquoteBare(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unquoteDouble removes the backslashes that mean something inside double quotes.
func unquoteDouble(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescape resolves the escapes of $'…', printf and echo -e.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'a', 'b', 'v', 'f', 'e', 'E':
			b.WriteByte(0x1b)
		case 'x', 'u', 'U':
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			n, used := number(s[i+1:], 16, digits)
			if used == 0 {
				b.WriteByte(c)
				break
			}
			if i += used; c == 'x' {
				b.WriteByte(byte(n))
			} else if n <= utf8.MaxRune {
				b.WriteRune(rune(n))
			}
		case '0', '1', '2', '3', '4', '5', '6', '7':
			n, used := number(s[i:], 8, 3)
			if c == '0' && used == 3 && i+3 < len(s) && s[i+3] >= '0' && s[i+3] <= '7' { // \0nnn of printf and echo
				n, used = number(s[i:], 8, 4)
			}
			b.WriteByte(byte(n))
			i += used - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func number(s string, base, digits int) (n, used int) {
	for used < len(s) && used < digits {
		d := strings.IndexByte("0123456789abcdef", s[used]|0x20)
		if s[used] >= '0' && s[used] <= '9' {
			d = int(s[used] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		n = n*base + d
		used++
	}
	return n, used
}

// stripExpansions removes $x, ${…}, $(…) and `…` from a word as written.
func stripExpansions(s string) string {
	if strings.IndexByte(s, '$') < 0 && strings.IndexByte(s, '`') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '`':
			end := strings.IndexByte(s[i+1:], '`')
			if end < 0 {
				return b.String()
			}
			i += end + 1
		case s[i] == '$' && i+1 < len(s):
			i = skipExpansion(s, i+1)
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// skipExpansion is the index of the last byte of the expansion that begins after a dollar at i.
func skipExpansion(s string, i int) int {
	open, shut := s[i], byte(0)
	switch open {
	case '{':
		shut = '}'
	case '(':
		shut = ')'
	default:
		if !isName(s[i : i+1]) {
			return i
		}
		for i+1 < len(s) && isName("_"+s[i+1:i+2]) {
			i++
		}
		return i
	}
	depth := 0
	for ; i < len(s); i++ {
		if s[i] == open {
			depth++
		} else if s[i] == shut {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return i
}

// maxBraces bounds the words that braces make of one word; beyond, the word stays as written.
const maxBraces = 64

// expandBraces makes the words of {a,b} and {1..3}.
func expandBraces(w *syntax.Word) []*syntax.Word {
	has := false
	for _, p := range w.Parts {
		l, ok := p.(*syntax.Lit)
		has = has || ok && strings.IndexByte(l.Value, '{') >= 0
	}
	if !has {
		return []*syntax.Word{w}
	}
	parts := append([]syntax.WordPart(nil), w.Parts...)
	split := &syntax.Word{Parts: parts}
	if !syntax.SplitBraces(split) {
		return []*syntax.Word{w}
	}
	out := braceWords(split.Parts, 0)
	if len(out) == 0 || len(out) > maxBraces {
		return []*syntax.Word{w}
	}
	return out
}

func braceWords(parts []syntax.WordPart, depth int) []*syntax.Word {
	out := []*syntax.Word{{}}
	for _, p := range parts {
		var options []*syntax.Word
		if b, ok := p.(*syntax.BraceExp); ok && depth < 8 {
			options = braceElements(b, depth)
		} else {
			options = []*syntax.Word{{Parts: []syntax.WordPart{p}}}
		}
		if len(out)*len(options) > maxBraces {
			return nil
		}
		var next []*syntax.Word
		for _, head := range out {
			for _, o := range options {
				joined := append(head.Parts[:len(head.Parts):len(head.Parts)], o.Parts...)
				next = append(next, &syntax.Word{Parts: joined})
			}
		}
		out = next
	}
	return out
}

func braceElements(b *syntax.BraceExp, depth int) []*syntax.Word {
	var out []*syntax.Word
	if !b.Sequence {
		for _, e := range b.Elems {
			out = append(out, braceWords(e.Parts, depth+1)...)
		}
		return out
	}
	from, to := b.Elems[0].Lit(), b.Elems[1].Lit()
	lit := func(s string) {
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{ValuePos: b.Pos(), ValueEnd: b.End(), Value: s}}})
	}
	if len(from) == 1 && len(to) == 1 {
		lo, hi := min(from[0], to[0]), max(from[0], to[0])
		for c := int(lo); c <= int(hi) && len(out) <= maxBraces; c++ {
			lit(string(rune(c)))
		}
		return out
	}
	lit(from)
	lit(to)
	return out
}
