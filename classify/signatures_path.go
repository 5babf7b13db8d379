package classify

import (
	"strconv"
	"strings"
)

// pathSpan is a path read from a line, and the bytes of the line it was written in.
type pathSpan struct {
	path     string
	from, to int
}

const maxPath = 4096

// findPaths returns the paths that a line names for the signature at h, at most two: those after it, as Python and Node
// print them, else those in the nearest part of the message before it.
func findPaths(text string, h hit) []pathSpan {
	if strings.Contains(text, "Os { code: ") { // Rust's debug form of an error never holds the path
		return nil
	}
	if spans := pathsAfter(text, h); len(spans) > 0 {
		return spans
	}
	return pathsBefore(text, h.from)
}

func pathsAfter(text string, h hit) []pathSpan {
	rest := text[h.to:min(len(text), h.to+2*maxPath)]
	base := h.to
	if strings.HasPrefix(rest, " (os error ") {
		if end := strings.IndexByte(rest, ')'); end > 0 {
			rest, base = rest[end+1:], base+end+1
		}
	}
	if h.place == withPath {
		if strings.HasSuffix(h.text, `"`) { // the words hold the opening quote
			return restPath(text[h.to-1:h.to]+rest, base-1)
		}
		return restPath(rest, base)
	}
	if strings.HasPrefix(rest, " @ ") { // Ruby: "@ call - path (Errno::NAME)"
		if _, path, found := strings.Cut(rest, " - "); found {
			path, _, _ = strings.Cut(path, " (Errno::")
			return bounded(pathSpan{path, base, base + len(rest)})
		}
	}
	for _, lead := range []string{": ", ", ", " at path ", " while "} {
		if !strings.HasPrefix(rest, lead) {
			continue
		}
		if spans := quotedPaths(rest, base, true); len(spans) > 0 {
			return spans
		}
		if tail := rest[len(lead):]; strings.HasPrefix(tail, "/") && lead == ": " {
			return restPath(tail, base+len(lead))
		}
		if at := strings.Index(rest, "unix:///"); at >= 0 {
			word, _, _ := strings.Cut(rest[at+len("unix://"):], " ")
			word = strings.TrimRight(word, ":,.")
			return bounded(pathSpan{word, base + at + len("unix://"), base + at + len("unix://") + len(word)})
		}
	}
	return nil
}

// restPath reads a path that ends the line, or stands quoted at the start of rest.
func restPath(rest string, base int) []pathSpan {
	if rest != "" && isQuote(rest[0]) {
		if value, next, ok := readQuoted(rest, 0, true); ok {
			return bounded(pathSpan{value, base, base + next})
		}
	}
	first, _, _ := strings.Cut(rest, " -> ")
	if head, _, found := strings.Cut(first, ": "); found {
		first = head
	}
	first = strings.TrimRight(first, " .,;")
	return bounded(pathSpan{first, base, base + len(first)})
}

// pathsBefore reads backwards through the parts of "program: what: path: cause".
func pathsBefore(text string, at int) []pathSpan {
	end := trimCause(text[:at])
	if span, ok := quotedEnd(text, end); ok {
		return span
	}
	for parts := 0; parts < 4 && end > 0; parts++ {
		start := max(0, end-2*maxPath)
		first := start == 0
		if sep := strings.LastIndex(text[start:end], ": "); sep >= 0 {
			start, first = start+sep+2, false
		}
		// A quoted name may itself hold ": ", so quotes are looked for in the whole of what is left when a part opens none.
		part := text[start:end]
		if strings.Count(part, `"`)%2 == 1 { // the message stands in a string, as in structured logs
			start += strings.LastIndexByte(part, '"') + 1
			part = text[start:end]
		}
		if q := len(part) - 1; q >= 0 && (isQuote(part[q]) || strings.HasSuffix(part, "’")) && len(quotedPaths(part, start, false)) == 0 {
			if spans := quotedPaths(text[max(0, end-2*maxPath):end], max(0, end-2*maxPath), false); len(spans) > 0 {
				return spans
			}
		}
		if spans := quotedPaths(part, start, false); len(spans) > 0 {
			return spans
		}
		if spans := barePaths(part, start, first); len(spans) > 0 {
			return spans
		}
		end = start - 2
	}
	return nil
}

// quotedEnd reads the names of a message whose last one ends, in plain double quotes, at end: such a name may itself hold ": "
// and apostrophes.
func quotedEnd(text string, end int) ([]pathSpan, bool) {
	if end < 2 || text[end-1] != '"' || text[end-2] == '\\' {
		return nil, false
	}
	start := max(0, end-2*maxPath)
	spans := quotedPaths(text[start:end], start, false)
	if len(spans) == 0 || spans[len(spans)-1].to != end || !strings.HasPrefix(text[spans[len(spans)-1].from:], `"`) {
		return nil, false
	}
	return spans, true
}

// trimCause drops what introduces an error's text: ": ", " (", " (13: ", "[Errno 13] ".
func trimCause(s string) int {
	s = strings.TrimRight(s, " \t")
	if strings.HasSuffix(s, "]") {
		if open := strings.LastIndex(s, "[Errno "); open >= 0 {
			s = s[:open]
		}
	}
	s = strings.TrimSuffix(strings.TrimRight(s, ": \t"), "errno=")
	s = strings.TrimRight(s, ": \t=")
	if digits := strings.TrimRight(s, "0123456789"); strings.HasSuffix(digits, "(") {
		s = digits
	}
	return len(strings.TrimRight(s, " \t(:"))
}

// barePaths reads unquoted paths from one part of a message. Where the part is the first, a single word without a slash names
// a program or an exception.
func barePaths(part string, base int, first bool) []pathSpan {
	trimmed := strings.TrimRight(part, " ")
	for _, tail := range []string{" failed", " for writing", " for reading", " for output"} {
		trimmed = strings.TrimSuffix(trimmed, tail)
	}
	fields := strings.Fields(trimmed)
	if len(fields) == 0 || first && len(fields) == 1 && (base > 0 || !slashed(fields[0])) {
		return nil
	}
	var spans []pathSpan
	at := 0
	for _, f := range fields {
		i := at + strings.Index(trimmed[at:], f)
		at = i + len(f)
		if slashed(f) {
			spans = append(spans, pathSpan{strings.TrimPrefix(f, "unix://"), base + i, base + at})
		}
	}
	switch {
	case len(spans) == 1 && rooted(spans[0].path): // the name may go on after a space
		from := spans[0].from - base
		spans[0] = pathSpan{trimmed[from:], base + from, base + len(trimmed)}
	case len(spans) > 2:
		spans = spans[len(spans)-2:]
	case len(spans) == 0:
		last := fields[len(fields)-1]
		if len(fields) == 1 && !bareName(last) || len(fields) > 1 && !nameFollows[lowerASCII(fields[len(fields)-2])] {
			return nil
		}
		to := strings.LastIndex(trimmed, last) + len(last)
		spans = []pathSpan{{last, base + to - len(last), base + to}}
	}
	return bounded(spans...)
}

// nameFollows are the words after which a relative name stands unquoted.
var nameFollows = wordSet("access create directory file mkdir mknod open output read remove rename stat to unlink write cd")

func slashed(word string) bool {
	return strings.Contains(word, "/") && (!strings.Contains(word, "://") || strings.HasPrefix(word, "unix:///"))
}

func rooted(path string) bool {
	return strings.HasPrefix(path, "/") || strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "~/")
}

// bareName says whether a part that is one word can be a relative path and is no call, number or error name.
func bareName(word string) bool {
	low := lowerASCII(word)
	if socketWords[low] || writeWords[low] || readWords[low] || lookWords[low] || low == "open" || low == "failed" || low == "error" || low == "fatal" || low == "line" {
		return false
	}
	return strings.Trim(word, "0123456789.:[]") != "" && !(strings.ToUpper(word) == word && strings.HasPrefix(word, "E"))
}

// quotedPaths returns the last two quoted strings of part. escaped says that backslashes inside plain quotes are escapes.
func quotedPaths(part string, base int, escaped bool) []pathSpan {
	var spans []pathSpan
	for i := 0; i < len(part); {
		if !opensQuote(part, i) {
			i++
			continue
		}
		value, next, ok := readQuoted(part, i, escaped)
		if !ok {
			i++
			continue
		}
		if value != "" && len(value) <= maxPath && !strings.Contains(value, "://") {
			spans = append(spans, pathSpan{value, base + i, base + next})
		}
		i = next
	}
	if len(spans) > 2 {
		spans = spans[len(spans)-2:]
	}
	return spans
}

// opensQuote says whether a quoted string starts at i: an apostrophe inside a word opens nothing.
func opensQuote(s string, i int) bool {
	if !isQuote(s[i]) && !strings.HasPrefix(s[i:], "$'") && !strings.HasPrefix(s[i:], "‘") && !strings.HasPrefix(s[i:], "“") {
		return false
	}
	return i == 0 || !wordByte(s[i-1]) || s[i-1] == 'b' && (i == 1 || s[i-2] == ' ')
}

// readQuoted reads the string quoted at i: in the shell's style, which joins pieces ('a'\”b'$'\n'), in double quotes with or
// without escapes, in backquotes, or in typographic quotes.
func readQuoted(s string, i int, escaped bool) (value string, next int, ok bool) {
	switch {
	case s[i] == '"':
		return readDouble(s, i)
	case s[i] == '`':
		if end := strings.IndexAny(s[i+1:], "`'"); end >= 0 {
			return s[i+1 : i+1+end], i + end + 2, true
		}
		return "", i, false
	case strings.HasPrefix(s[i:], "‘"), strings.HasPrefix(s[i:], "“"):
		closing := map[bool]string{true: "’", false: "”"}[strings.HasPrefix(s[i:], "‘")]
		open := i + len("‘")
		if end := strings.Index(s[open:], closing); end >= 0 {
			return s[open : open+end], open + end + len(closing), true
		}
		return "", i, false
	}
	return readShell(s, i, escaped)
}

func readShell(s string, i int, escaped bool) (value string, next int, ok bool) {
	var out strings.Builder
	for {
		switch {
		case strings.HasPrefix(s[i:], "$'"):
			piece, end, closed := readEscapes(s, i+2)
			if !closed {
				return "", i, false
			}
			out.WriteString(piece)
			i = end
		case strings.HasPrefix(s[i:], "'") && escaped:
			piece, end, closed := readEscapes(s, i+1)
			return piece, end, closed
		case strings.HasPrefix(s[i:], "'"):
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				return "", i, false
			}
			out.WriteString(s[i+1 : i+1+end])
			i += end + 2
		case strings.HasPrefix(s[i:], `\'`):
			out.WriteByte('\'')
			i += 2
		default:
			return out.String(), i, true
		}
	}
}

func readDouble(s string, i int) (value string, next int, ok bool) {
	for j := i + 1; j < len(s); j++ {
		switch s[j] {
		case '\\':
			j++
		case '"':
			if value, err := strconv.Unquote(s[i : j+1]); err == nil {
				return value, j + 1, true
			}
			return s[i+1 : j], j + 1, true
		}
	}
	return "", i, false
}

// readEscapes reads up to an unescaped apostrophe, with the escapes of the shell's $'…' and of Python.
func readEscapes(s string, i int) (value string, next int, ok bool) {
	var out strings.Builder
	for i < len(s) {
		switch {
		case s[i] == '\'':
			return out.String(), i + 1, true
		case s[i] == '\\' && strings.HasPrefix(s[i+1:], "'"):
			out.WriteByte('\'')
			i += 2
		case s[i] == '\\':
			char, multibyte, tail, err := strconv.UnquoteChar(s[i:min(len(s), i+10)], 0)
			if err != nil {
				out.WriteByte('\\')
				i++
				continue
			}
			if multibyte {
				out.WriteRune(char)
			} else {
				out.WriteByte(byte(char))
			}
			i += min(len(s)-i, 10) - len(tail)
		default:
			out.WriteByte(s[i])
			i++
		}
	}
	return "", i, false
}

// bounded drops what no kernel takes for a path.
func bounded(spans ...pathSpan) []pathSpan {
	kept := spans[:0]
	for _, s := range spans {
		if s.path != "" && len(s.path) <= maxPath {
			kept = append(kept, s)
		}
	}
	return kept
}
