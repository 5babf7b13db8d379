package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
