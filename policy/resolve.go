package policy

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Resolve decides one call: the deployment's policy d, narrowed by the request,
// widened by its approval, on the host described by h and f. It changes nothing
// on the host.
//
// All problems are reported, joined in the order of the input, each an *Error.
// The approval is judged last and spent only when everything else is in order,
// so that a refused request costs nothing; a request that succeeds has spent it
// even if the policy is then never used.
func Resolve(req Request, d Defaults, h Host, f FS) (Policy, error) {
	r := resolver{walker: newWalker(f), req: req, d: d, h: h}
	p := r.policy()
	if err := r.err(); err != nil {
		return Policy{}, err
	}
	p, err := p.build(p.mode)
	if err != nil {
		return Policy{}, err
	}
	if a := req.Approval; a != nil {
		if err := a.check(h.Now); err != nil {
			return Policy{}, err
		}
		if err := a.use(); err != nil {
			return Policy{}, err
		}
	}
	return p, nil
}

// resolver gathers facts and problems for one Resolve.
type resolver struct {
	*walker
	req      Request
	d        Defaults
	h        Host
	problems []problem
	inputs   int // entries numbered so far, for the order of problems
}

type problem struct {
	input int
	err   error
}

func (r *resolver) report(err error) {
	if err != nil {
		r.problems = append(r.problems, problem{r.inputs, err})
	}
}

func (r *resolver) err() error {
	return joinInOrder(r.problems)
}

func joinInOrder(problems []problem) error {
	slices.SortStableFunc(problems, func(a, b problem) int { return cmp.Compare(a.input, b.input) })
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p.err
	}
	return errors.Join(errs...)
}

// policy decides everything but the layers.
func (r *resolver) policy() Policy {
	r.words()
	grant := r.grant()
	p := Policy{facts: &facts{}}

	ceiling := cmp.Or(r.req.SessionMode, r.d.Mode, ReadOnly)
	p.mode, p.network = ceiling, cmp.Or(r.d.Network, ReachDeny)
	for _, req := range r.requests() {
		p.mode = min(p.mode, cmp.Or(req.Mode, p.mode))
		p.network = min(p.network, cmp.Or(req.Network, p.network))
	}
	p.mode = cmp.Or(grant.Mode, p.mode)
	p.network = cmp.Or(grant.Network, p.network)
	for _, req := range r.requests() {
		p.cap("mode", uint8(req.Mode), uint8(p.mode), modeWords)
		p.cap("network", uint8(req.Network), uint8(p.network), reachWords)
	}

	if r.d.Tmp == TmpHost && max(ceiling, grant.Mode) == ReadOnly {
		r.report(&Error{
			Code: CodeInvalid, Msg: `tmp "host" makes the host's temporary folders writable, which mode "read-only" does not`,
			Hint: `use mode "workspace-write", or tmp "private"`,
		})
	}
	r.gather(p.facts, p.mode, grant)
	return p
}

func (p *Policy) cap(what string, asked, granted uint8, v vocabulary) {
	if asked > granted {
		p.capped = append(p.capped, Capping{what, v.text(asked), v.text(granted)})
	}
}

// requests are the untrusted parts, each of which narrows.
func (r *resolver) requests() []Request {
	return append([]Request{r.req}, r.req.Also...)
}

// grant is what the approval grants; nothing if it was not minted, which is
// reported once everything else is in order.
func (r *resolver) grant() Grant {
	if a := r.req.Approval; a != nil && a.self == a {
		return a.grant
	}
	return Grant{}
}

// words checks every enumeration and number of the input.
func (r *resolver) words() {
	grant := r.grant()
	type word struct {
		vocabulary
		n      uint8
		source string
	}
	words := []word{
		{modeWords, uint8(r.d.Mode), ""},
		{reachWords, uint8(r.d.Network), ""},
		{baselineWords, uint8(r.d.Baseline), ""},
		{tmpWords, uint8(r.d.Tmp), ""},
		{runtimeWords, uint8(r.d.Runtime), ""},
		{absentWords, uint8(r.d.Absent), ""},
		{modeWords, uint8(r.req.SessionMode), "session"},
		{modeWords, uint8(grant.Mode), "approval"},
		{reachWords, uint8(grant.Network), "approval"},
	}
	for _, req := range r.requests() {
		words = append(words, word{modeWords, uint8(req.Mode), "request"}, word{reachWords, uint8(req.Network), "request"})
	}
	for _, w := range words {
		if w.n != 0 && !w.valid(w.n) {
			r.report(&Error{Code: CodeInvalid, Source: w.source, Msg: "unknown value " + w.text(w.n)})
		}
	}
	r.environment()
	l := r.d.Limits
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"wall", int64(l.Wall)},
		{"cpu", int64(l.CPU)},
		{"memory", l.Memory},
		{"file_size", l.FileSize},
		{"output", l.Output},
		{"tmp", l.Tmp},
		{"processes", l.Processes},
		{"open_files", l.OpenFiles},
	} {
		if n.value < 0 {
			r.report(&Error{Code: CodeInvalid, Msg: "the limit " + n.name + " is negative", Hint: "leave it out for no limit"})
		}
	}
}

// environment checks that names and values are ones a process can have.
func (r *resolver) environment() {
	names := append(slices.Clone(r.d.Env.Pass), slices.Sorted(maps.Keys(r.d.Env.Set))...)
	for _, name := range names {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			r.report(&Error{Code: CodeInvalid, Source: "env", Msg: fmt.Sprintf("%q is no name of an environment variable", clip(name, 64))})
		}
		if strings.Contains(r.d.Env.Set[name], "\x00") {
			r.report(&Error{Code: CodeInvalid, Source: "env", Msg: fmt.Sprintf("the value of %q holds a NUL byte", clip(name, 64))})
		}
	}
}

// build computes the layers for a mode from facts alone.
func (p Policy) build(mode Mode) (Policy, error) {
	p.mode, p.tmp = mode, p.facts.tmpFor(mode)
	if mode == DangerFullAccess {
		p.layers = newLayers(stack{"/": {Path: "/", Access: Write, Origin: OriginMode, Kind: KindDir, Source: "danger-full-access"}})
		return p, nil
	}
	if mode == WorkspaceWrite && p.facts.workspace.Path == "" {
		return Policy{}, p.facts.noWorkspace
	}
	if err := p.facts.planted(mode); err != nil {
		return Policy{}, err
	}
	p.layers, p.links, p.skipped = p.facts.assemble(mode)
	return p, nil
}

// Narrow returns the policy under the stricter of its mode and the given one.
// Entries and approvals stay in force. Asking for a wider mode changes nothing
// but is recorded in Capped; an unknown mode is an error.
func (p Policy) Narrow(mode Mode) (Policy, error) {
	if err := p.Valid(); err != nil {
		return Policy{}, err
	}
	if !modeWords.valid(uint8(mode)) {
		return Policy{}, &Error{Code: CodeInvalid, Msg: "narrow to an unknown mode: " + mode.String()}
	}
	if mode >= p.mode {
		p.capped = slices.Clone(p.capped)
		p.cap("mode", uint8(mode), uint8(p.mode), modeWords)
		return p, nil
	}
	return p.build(mode)
}
