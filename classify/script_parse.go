package classify

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// script reads text, which stands at src in the text of the verdict, as a script.
func (r *reader) script(text string, src source, d dialect, depth int) {
	at := src.sub(0, len(text))
	k := &walker{r: r, text: text, src: src, depth: depth}
	r.bytes += len(text)
	switch {
	case depth > maxDepth:
		r.add(Unknown, "", "commands are nested too deeply to read", nil, at)
		return
	case strings.IndexByte(text, 0) >= 0:
		r.add(Unknown, "", "the script holds a NUL byte", nil, at)
		text = strings.ReplaceAll(text, "\x00", "")
		k.src = inexactly(at)
	case r.bytes > maxTotal:
		r.add(Unknown, "", "the scripts inside the command are too long to read", nil, at)
		return
	case len(text) > maxScript:
		r.add(Unknown, "", "the script is longer than 65536 bytes", nil, at)
		text = text[:maxScript]
	}
	if i := manyBrackets(text); i >= 0 {
		r.add(Unknown, "", "the script has more than 8192 opening brackets", nil, at)
		text = text[:i]
	}
	k.text = sameLengthUTF8(text)
	if d == dialectOther {
		r.add(Unknown, "", "the script is in a language that is not read", nil, at)
	}
	k.parse(variant(d))
	if s, ok := splitComments(k.text); ok {
		k.text = s
		k.parse(variant(d))
	}
	if (d == dialectAny || d == dialectPosix) && strings.Contains(text, "((") { // (( is arithmetic in Bash, subshells in POSIX
		saved := r.certain
		r.certain = true
		k.parse(syntax.LangPOSIX)
		r.certain = saved
	}
}

// splitComments ends the lines that have a comment and a backslash at their end: to a shell the backslash is part of the comment, to
// the grammar it joins the next line to this one. It reports whether there are any; quotes may fool it, so both readings count.
func splitComments(s string) (string, bool) {
	var b []byte
	for start := 0; ; {
		n := strings.Index(s[start:], "\\\n")
		if n < 0 {
			return string(b), b != nil
		}
		end := start + n
		if line := s[strings.LastIndexByte(s[:end], '\n')+1 : end]; startsComment(line) {
			if b == nil {
				b = []byte(s)
			}
			b[end] = ' '
		}
		start = end + 2
	}
}

func startsComment(line string) bool {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || strings.IndexByte(" \t;&|()`<>", line[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// sameLengthUTF8 replaces each byte that is not UTF-8, which shells pass on and the grammar rejects, by one that stands for itself.
func sameLengthUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	b := []byte(s)
	for i := 0; i < len(b); {
		c, size := utf8.DecodeRune(b[i:])
		if c == utf8.RuneError && size == 1 {
			b[i] = 0x1a
		}
		i += size
	}
	return string(b)
}

func variant(d dialect) syntax.LangVariant {
	switch d {
	case dialectKsh:
		return syntax.LangMirBSDKorn
	case dialectZsh:
		return syntax.LangZsh
	}
	return syntax.LangBash
}

// manyBrackets is the index of the bracket that is one too many, or -1.
func manyBrackets(s string) int {
	n := 0
	for i := range len(s) {
		if c := s[i]; c == '(' || c == '[' {
			if n++; n > maxBrackets {
				return i
			}
		}
	}
	return -1
}

// parse reads statement by statement, so that what stands before a mistake counts: a shell would have run it by then.
func (k *walker) parse(lang syntax.LangVariant) {
	var all []*syntax.Stmt
	functions := strings.Contains(k.text, "()") || strings.Contains(k.text, "function")
	read := 0
	err := statements(k.text, lang, func(s *syntax.Stmt) {
		if read = k.offset(s.End()); !functions {
			k.stmt(s)
			return
		}
		all = append(all, s)
		if f, ok := s.Cmd.(*syntax.FuncDecl); ok { // it may be called above its definition
			k.define(f)
		}
	})
	k.stmts(all)
	if end, ok := openDocument(err); ok && k.open < 8 { // Bash ends it where the script ends
		closed := *k
		closed.text, closed.open = k.text+"\n"+end+"\n", k.open+1
		closed.parse(lang)
		k.r.add(Unknown, "", "the script is not valid shell: "+message(err), nil, k.src.sub(0, len(k.text)))
		return
	}
	if err != nil {
		k.r.add(Unknown, "", "the script is not valid shell: "+message(err), nil, k.src.sub(0, len(k.text)))
		k.remainder(read, lang)
	}
}

// openDocument is the word that would end the here-document which the script leaves open.
func openDocument(err error) (end string, ok bool) {
	var mistake syntax.ParseError
	if !errors.As(err, &mistake) {
		return "", false
	}
	rest, ok := strings.CutPrefix(mistake.Text, "unclosed here-document `")
	return strings.TrimSuffix(rest, "`"), ok && len(rest) < 256
}

// statements calls visit for each statement of text up to the first mistake. A parser that panics made a mistake of its own: the text
// is then not readable, which is no reason to end the program that asked. A panic of visit is passed on.
func statements(text string, lang syntax.LangVariant, visit func(*syntax.Stmt)) (err error) {
	visiting := false
	defer func() {
		if p := recover(); p != nil {
			if visiting {
				panic(p)
			}
			err = fmt.Errorf("parse: %v", p)
		}
	}()
	// Not a range loop: after a mistake the parser may yield once more, which such a loop does not survive.
	syntax.NewParser(syntax.Variant(lang)).StmtsSeq(strings.NewReader(text))(func(s *syntax.Stmt, e error) bool {
		if err == nil {
			err = e
		}
		if err != nil {
			return false
		}
		visiting = true
		visit(s)
		visiting = false
		return true
	})
	return err
}

func message(err error) string {
	var e syntax.ParseError
	if errors.As(err, &e) {
		return e.Pos.String() + ": " + e.Text
	}
	return err.Error()
}

// remainder reads the lines after the last statement that was valid one by one: the mistake need not be one for the shell in use, or
// lies behind what it runs first.
func (k *walker) remainder(start int, lang syntax.LangVariant) {
	tries := 256
	for start < len(k.text) {
		line, _, _ := strings.Cut(k.text[start:], "\n")
		k.pieces(start, start+len(line), lang, &tries)
		start += len(line) + 1
	}
}

// pieces reads a line, and what stands before and after each mistake in it.
func (k *walker) pieces(start, end int, lang syntax.LangVariant, tries *int) {
	for strings.TrimSpace(k.text[start:end]) != "" && *tries > 0 {
		*tries--
		part := &walker{r: k.r, text: k.text[start:end], src: k.place(start, end, start), depth: k.depth}
		err := statements(part.text, lang, part.stmt)
		var mistake syntax.ParseError
		if err == nil || !errors.As(err, &mistake) {
			return
		}
		at := start + min(k.offset(mistake.Pos), end-start)
		if at > start {
			head := &walker{r: k.r, text: k.text[start:at], src: k.place(start, at, start), depth: k.depth}
			_ = statements(head.text, lang, head.stmt) // that it is not all valid is known
		}
		if strings.Contains(mistake.Text, "without closing quote") { // the rest is text
			return
		}
		start = min(at+1, end)
	}
}
