package classify

import (
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
