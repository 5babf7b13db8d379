package policy

import (
	"cmp"
	"fmt"
)

// facts is everything that was decided or learned from the host for one policy,
// enough to compute its layers under any mode without asking again.
type facts struct {
	baseline  Baseline
	runtime   Runtime
	absent    Absent
	asked     Tmp
	hardening bool
	cwd       string
	env       EnvRules
	limits    Limits
	seccomp   SeccompRules
	files     []string
	entries   []Entry // of the deployment, resolved
	dropped   []Entry // optional grants of what does not exist

	workspace   Layer
	noWorkspace error

	shown     []Layer // built-in layers that show things: system folders, runtime set, reopened parts of /run
	closed    []Layer // built-in layers that close things
	sockets   []Layer // bound sockets, closed where they could be reached
	watched   []Layer // built-in denials that matter only where they could be written
	temps     []Layer
	guards    map[string][]guard // protected places by possible writable root
	trusted   []Layer            // entries that exist
	vacant    []Layer            // read entries that do not: carve-outs where they lie in a writable area
	requested [][]Layer          // by request
	approved  []Layer
	kept      []Layer // confine's own files, after everything else
	keptLinks []Layer

	links  []Link // passed on the way to something granted
	passed []passedLink
}

// passedLink is a link on the way of a path that somebody wrote.
type passedLink struct {
	input int
	entry Entry
	link  Link
}

// planted reports every written path that goes through a link which the
// confined command may replace: what it reaches would be up to the command.
func (f *facts) planted(mode Mode) error {
	if len(f.passed) == 0 {
		return nil
	}
	s := f.trustedStack(mode)
	f.approve(s)
	var problems []problem
	for _, p := range f.passed {
		at := s.deciding(p.link.Path)
		if at.Access != Write || at.Private {
			continue
		}
		problems = append(problems, problem{p.input, &Error{
			Code: CodeInvalid, Path: p.entry.Path, Source: p.entry.Source,
			Msg: fmt.Sprintf("%s %q goes through the symlink %q -> %q, which the command could replace (%q is writable)",
				p.entry.Access, clip(p.entry.Path, 200), p.link.Path, clip(p.link.Target, 200), at.Path),
			Hint: "name the path it leads to",
		}})
	}
	return joinInOrder(problems)
}

func (f *facts) tmpFor(mode Mode) Tmp {
	switch {
	case mode == DangerFullAccess:
		return TmpHost
	case mode == WorkspaceWrite:
		return cmp.Or(f.asked, TmpPrivate)
	case f.asked == TmpPrivate:
		return TmpPrivate
	}
	return TmpNone
}
