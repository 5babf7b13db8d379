package classify

import (
	"strings"
	"unicode/utf8"
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
