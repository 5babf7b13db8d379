package classify

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// dialect is a shell's language.
type dialect uint8

const (
	dialectAny   dialect = iota // not known: Bash, and POSIX where the two disagree
	dialectBash                 // bash
	dialectPosix                // sh, dash, ash: often one of the others under that name
	dialectKsh
	dialectZsh
	dialectOther // fish, csh and others that no grammar here reads
)

func dialectOf(shell string) dialect {
	switch shell {
	case "bash", "rbash":
		return dialectBash
	case "sh", "dash", "ash", "hush":
		return dialectPosix
	case "ksh", "mksh", "ksh93", "oksh":
		return dialectKsh
	case "zsh":
		return dialectZsh
	case "fish", "csh", "tcsh", "nu", "pwsh", "elvish", "xonsh":
		return dialectOther
	}
	return dialectAny
}

// walker reads the commands of one script.
type walker struct {
	r     *reader
	text  string
	src   source
	depth int
	open  int // here-documents that were closed for the script
}

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

func (k *walker) offset(p syntax.Pos) int { return int(p.Offset()) }

// span is the place of a node in the text of the verdict.
func (k *walker) span(n syntax.Node) span {
	start, end := k.offset(n.Pos()), k.offset(n.End())
	if end < start || end > len(k.text) {
		return k.src.sub(0, len(k.text))
	}
	return k.src.sub(start, end)
}

func (k *walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		k.stmt(s)
	}
}

func (k *walker) define(f *syntax.FuncDecl) {
	if k.r.functions == nil {
		k.r.functions = map[string]bool{}
	}
	if f.Name != nil {
		k.r.functions[f.Name.Value] = true
	}
	for _, n := range f.Names {
		k.r.functions[n.Value] = true
	}
}

// stmt reads a statement with its redirections.
func (k *walker) stmt(s *syntax.Stmt) {
	r := k.r
	if r.nesting++; r.nesting > maxNesting {
		r.add(Unknown, "", "shell blocks are nested too deeply to read", nil, k.span(s))
		r.nesting--
		return
	}
	input, piped := r.input, r.piped
	program := ""
	if c, ok := s.Cmd.(*syntax.CallExpr); ok && len(c.Args) > 0 {
		program = c.Args[0].Lit()
	}
	for _, rd := range s.Redirs {
		k.redirect(rd, program)
	}
	k.command(s.Cmd)
	r.input, r.piped = input, piped
	r.nesting--
}

func (k *walker) command(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		k.call(c)
	case *syntax.BinaryCmd:
		k.binary(c)
	case *syntax.Block:
		k.stmts(c.Stmts)
	case *syntax.Subshell:
		folder := k.r.folder
		k.stmts(c.Stmts)
		k.r.folder = folder
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			k.stmts(c.Cond)
			k.stmts(c.Then)
		}
	case *syntax.WhileClause:
		k.stmts(c.Cond)
		k.stmts(c.Do)
	case *syntax.ForClause:
		k.loop(c)
	case *syntax.CaseClause:
		k.word(c.Word)
		for _, item := range c.Items {
			for _, w := range item.Patterns {
				k.word(w)
			}
			k.stmts(item.Stmts)
		}
	case *syntax.FuncDecl:
		k.function(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			k.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		k.stmt(c.Stmt)
	case *syntax.DeclClause:
		k.declare(c)
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause:
		k.expression(c)
	case nil: // redirections alone
	default:
		k.r.add(Unknown, "", "the script holds a construct that is not read", nil, k.span(cmd))
	}
}

// expression reads [[ … ]], (( … )) and let: only the substitutions in them run anything.
func (k *walker) expression(c syntax.Command) {
	k.substitutions(c)
	at := k.span(c)
	if s := k.slice(c); hidesSubstitution(s) {
		k.r.add(Unknown, "[[", "an index that holds a substitution is run when it is computed", literal(at, s), at)
	}
	k.r.add(Observe, "[[", "an expression only computes", literal(at, k.slice(c)), at)
}

// slice is a node as it was written.
func (k *walker) slice(n syntax.Node) string {
	start, end := k.offset(n.Pos()), k.offset(n.End())
	if start > end || end > len(k.text) {
		return ""
	}
	return k.text[start:end]
}

// binary reads lists of && and ||, and pipelines, whose left side may be seen to print what the right side reads. A long list is a
// deep tree, so it is taken apart without recursion.
func (k *walker) binary(c *syntax.BinaryCmd) {
	saved, piped, folder := k.r.input, k.r.piped, k.r.folder
	type side struct {
		stmt  *syntax.Stmt
		piped bool // reads what the statement before prints
	}
	var before *syntax.Stmt
	for todo := []side{{&syntax.Stmt{Cmd: c, Position: c.Pos()}, false}}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if b, ok := s.stmt.Cmd.(*syntax.BinaryCmd); ok && len(s.stmt.Redirs) == 0 {
			piped := b.Op == syntax.Pipe || b.Op == syntax.PipeAll
			todo = append(todo, side{b.Y, piped}, side{b.X, s.piped})
			continue
		}
		if k.r.input, k.r.piped = saved, piped; s.piped {
			k.r.input, k.r.piped = k.printed(before), true
			k.r.folder = folder
		}
		k.stmt(s.stmt)
		before = s.stmt
	}
	k.r.input, k.r.piped = saved, piped
}

// printed is what a statement is seen to print: the words of echo and printf, the here-document of cat.
func (k *walker) printed(s *syntax.Stmt) []word {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return nil
	}
	name := call.Args[0].Lit()
	if name == "cat" && len(call.Args) == 1 && len(s.Redirs) == 1 && s.Redirs[0].Hdoc != nil {
		w := k.document(s.Redirs[0].Hdoc)
		w.dynamic = true
		return []word{w}
	}
	if name != "echo" && name != "printf" || len(s.Redirs) > 0 || len(call.Args) > 256 {
		return nil
	}
	var texts []string
	for i, w := range k.fields(call.Args[1:]) {
		if i == 0 && name == "printf" && strings.Contains(w.text, "%") || len(texts) == 0 && strings.HasPrefix(w.text, "-") {
			continue
		}
		texts = append(texts, unescape(w.text))
	}
	at := k.span(s)
	return []word{{text: strings.Join(texts, " "), at: inexactly(at), dynamic: true}}
}

// loop reads for and select.
func (k *walker) loop(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		values := k.fields(l.Items)
		k.assigned(l.Name.Value, k.span(l))
		if l.InPos.IsValid() {
			k.r.set(l.Name.Value, values)
		} else if all := k.r.vars["@"]; all != nil {
			k.r.set(l.Name.Value, all.words)
		} else {
			k.r.unset(l.Name.Value)
		}
	case *syntax.CStyleLoop:
		k.substitutions(l)
	}
	k.stmts(c.Do)
}

// function reads the body of a function where it stands. Its positional parameters are those of a call, which are not known.
func (k *walker) function(f *syntax.FuncDecl) {
	k.define(f)
	name := ""
	if f.Name != nil {
		name = f.Name.Value
	}
	if name != "" && k.r.t.programs[name] != nil {
		at := k.span(f)
		k.r.add(Unknown, name, "the script redefines "+quote(name), literal(at, name), at)
	}
	saved := k.r.vars
	k.r.vars = withoutPositional(saved)
	folder := k.r.folder
	k.stmt(f.Body)
	k.r.vars, k.r.folder = saved, folder
}

// redirect reads one redirection.
func (k *walker) redirect(rd *syntax.Redirect, program string) {
	r := k.r
	at := k.span(rd)
	rl := roleRead
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if rd.Hdoc != nil {
			r.input, r.piped = []word{k.document(rd.Hdoc)}, true
		}
		return
	case syntax.WordHdoc:
		k.word(rd.Word)
		r.input, r.piped = k.fields([]*syntax.Word{rd.Word}), true
		return
	case syntax.RdrIn:
		r.input, r.piped = nil, rd.Word.Lit() != "/dev/null"
	case syntax.DplIn, syntax.DplOut:
		if s := rd.Word.Lit(); s != "" && strings.Trim(strings.TrimSuffix(s, "-"), "0123456789") == "" {
			return
		}
		if rd.Op == syntax.DplOut {
			rl = roleDestroy
		}
	case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob, syntax.RdrInOut:
		rl = roleWrite
	default:
		rl = roleDestroy
	}
	f := finding{program: "the redirection " + rd.Op.String()}
	words := k.fields([]*syntax.Word{rd.Word})
	for _, w := range words {
		r.judge(rl, w, at, k.depth, &f)
		if rl == roleRead && strings.HasPrefix(w.text, "/dev/tcp/") {
			f.raise(Unknown, f.program, " opens a connection through ", quote(w.text))
		}
	}
	if f.cap == "" {
		return
	}
	if program == "" {
		program = rd.Op.String()
	}
	r.add(f.cap, program, f.reason, append(literal(at, rd.Op.String()), words...), at)
}
