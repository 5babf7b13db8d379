package classify

import "strings"

// Verdict is what a command appears to do, and what should be done with it. It is a guess and enforces nothing.
type Verdict struct {
	Capability Capability `json:"capability"`
	Decision   Decision   `json:"outcome"`
	// Program is the name of the program that decided: without its folder, as it was written when it is not recognised.
	Program string `json:"program"`
	// Reason is one plain sentence naming the program, option or path that decided. Free of control characters.
	Reason string `json:"reason"`
	// Text is the command as one line of shell, the script itself where there is one. The offsets of the parts refer to it.
	Text string `json:"text"`
	// Parts are the commands found, in the order in which they were read. Never empty. At most 4096.
	Parts []Part `json:"parts"`
	// Deciding is the index in Parts of the riskiest part, the first of equals.
	Deciding int `json:"deciding"`
}

// Part is one command inside a command, or one redirection of it.
type Part struct {
	Capability Capability `json:"capability"`
	Decision   Decision   `json:"outcome"`
	Program    string     `json:"program"`
	Reason     string     `json:"reason"`
	// Argv is the part word by word, quotes removed, expansions as they were written. Long ones are cut to 64 words.
	Argv []string `json:"argv"`
	// Start and End are byte offsets in [Verdict.Text]. A part whose place is not known exactly has the place of what it is inside.
	Start int `json:"start"`
	End   int `json:"end"`
}

// Exec reads an argument vector with the built-in table. See [Table.Exec].
func Exec(argv []string) Verdict {
	t, err := DefaultTable()
	if err != nil {
		return broken(err)
	}
	return t.Exec(argv)
}

// Command reads a command line of a POSIX-like shell with the built-in table. See [Table.Command].
func Command(script string) Verdict {
	t, err := DefaultTable()
	if err != nil {
		return broken(err)
	}
	return t.Command(script)
}

// broken is the verdict when there is no table: nothing is recognised.
func broken(err error) Verdict {
	p := Part{Capability: Unknown, Decision: AskApproval, Reason: err.Error(), Argv: []string{}}
	return Verdict{Capability: p.Capability, Decision: p.Decision, Reason: p.Reason, Parts: []Part{p}}
}

// Exec reads argv as execve would get it: words are literal, so that ["echo", "hi; rm -rf /"] prints text. Two forms that callers
// produce by mistake are read as a script: an argv with a word that is a shell operator, and a single word that holds a whole line.
//
// It reads no file, no variable and no clock: the same argv and table give the same verdict anywhere.
func (t *Table) Exec(argv []string) Verdict {
	text, words := quoteArgv(argv)
	r := &reader{t: t, text: text}
	all := span{0, len(text)}
	switch {
	case len(argv) == 0:
		r.add(Unknown, "", "there is no command", nil, all)
	case len(text) > maxScript:
		r.add(Unknown, argv[0], "the command is longer than 65536 bytes", nil, all)
		r.simple(words[:min(len(words), 256)], all, 0)
	case len(argv) == 1 && isLine(argv[0]):
		r.text = argv[0]
		r.script(argv[0], exactly(0, len(argv[0])), dialectAny, 0)
	case hasOperator(argv):
		r.operators(argv, words)
	default:
		if strings.ContainsAny(argv[0], " \t\n") {
			r.script(strings.Join(argv, " "), inexactly(all), dialectAny, 1)
		}
		r.simple(words, all, 0)
	}
	return r.verdict()
}

// Command reads a script as the shell would get it after -c. A script that the grammar rejects is read up to there and is at
// least [Unknown].
func (t *Table) Command(script string) Verdict {
	r := &reader{t: t, text: script}
	r.script(script, exactly(0, len(script)), dialectAny, 0)
	return r.verdict()
}

// isLine reports whether a single word is a command line rather than the name of a program.
func isLine(s string) bool {
	return strings.ContainsAny(s, " \t\r\n;&|<>()`$'\"\\{}*?[!#")
}

// hasOperator reports whether a word of argv is a shell operator, so that a shell was meant to read it.
func hasOperator(argv []string) bool {
	if opensBlock(argv[0]) {
		return true
	}
	for i, s := range argv {
		if isOperator(s) && !ownOperator(argv, i) {
			return true
		}
	}
	return false
}

func opensBlock(s string) bool {
	switch s {
	case "if", "for", "while", "until", "case", "select", "function", "{", "(", "!", "[[", "((", "coproc":
		return true
	}
	return false
}

func isOperator(s string) bool {
	if s != "" && strings.Trim(s, " \t\r\n") == "" && strings.Contains(s, "\n") {
		return true
	}
	switch s {
	case "&&", "||", ";", "|", "&", "|&", ">", ">>", "<", "<<", "<<<", "<>", ">|", "&>", "&>>", ">&", "<&", ";;", ";&", "(", ")":
		return true
	}
	if i := strings.IndexAny(s, "<>"); i >= 0 && i <= 2 && len(s) > i+1 { // 2>&1, >file, 2>/dev/null, &>log
		return strings.Trim(s[:i], "0123456789&") == "" && s[i+1] != '='
	}
	return false
}

// ownOperator reports whether the program itself has the operator word in its grammar.
func ownOperator(argv []string, i int) bool {
	switch programName(argv[0]) {
	case "find", "gfind":
		return argv[i] == ";" || argv[i] == "(" || argv[i] == ")"
	case "test", "[", "expr":
		return argv[i] != ";" && argv[i] != "&&" && argv[i] != "||"
	}
	return false
}

// operators reads an argv that was meant for a shell. Its words may or may not have been quoted by then, so it is read both ways.
func (r *reader) operators(argv []string, words []word) {
	var b strings.Builder
	plain := true
	for i, w := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		stem, ended := strings.CutSuffix(argv[i], ";")
		if isOperator(argv[i]) || isKeyword(argv[i]) || ended && isBare(stem) && opensBlock(argv[0]) {
			b.WriteString(argv[i])
			continue
		}
		if w.at.end-w.at.start != len(argv[i]) {
			plain = false
		}
		b.WriteString(r.text[w.at.start:w.at.end])
	}
	quoted := b.String()
	r.text = quoted
	r.script(quoted, exactly(0, len(quoted)), dialectAny, 0)
	if !plain {
		r.script(strings.Join(argv, " "), inexactly(span{0, len(quoted)}), dialectAny, 0)
	}
}

func isKeyword(s string) bool {
	switch strings.TrimRight(s, ";") {
	case "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "function", "{", "}", "!", "[", "]", "[[", "]]":
		return true
	}
	return false
}

// quoteArgv writes argv as a line of shell, and the words with their places in it.
func quoteArgv(argv []string) (string, []word) {
	size := len(argv)
	for _, s := range argv {
		size += len(s) + 2
	}
	var b strings.Builder
	b.Grow(size)
	words := make([]word, len(argv))
	for i, s := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		start := b.Len()
		switch {
		case isBare(s):
			b.WriteString(s)
			words[i] = word{text: s, at: exactly(start, b.Len())}
		case !strings.Contains(s, "'"):
			b.WriteByte('\'')
			b.WriteString(s)
			b.WriteByte('\'')
			words[i] = word{text: s, at: source{span: span{start, b.Len()}, offset: start + 1, exact: true}}
		default:
			b.WriteByte('\'')
			b.WriteString(strings.ReplaceAll(s, "'", `'\''`))
			b.WriteByte('\'')
			words[i] = word{text: s, at: inexactly(span{start, b.Len()})}
		}
	}
	return b.String(), words
}

// isBare reports whether a word needs no quotes in any shell.
func isBare(s string) bool {
	if s == "" {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_@%+=:,./-", c) >= 0 || c >= 0x80 {
			continue
		}
		return false
	}
	return true
}
