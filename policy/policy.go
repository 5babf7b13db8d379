package policy

import (
	"maps"
	"slices"
)

// Policy is a resolved policy: an immutable value that shares nothing with
// another one. The zero value is not valid and denies everything.
type Policy struct {
	facts   *facts // everything that was learned from the host; never changed after Resolve
	mode    Mode
	tmp     Tmp
	network Reach
	capped  []Capping
	layers  Layers
	links   []Link
	skipped []Entry
}

// Valid returns an error for a Policy that Resolve did not make.
func (p Policy) Valid() error {
	if p.facts == nil {
		return &Error{Code: CodeInvalid, Msg: "the policy was not resolved", Hint: "use policy.Resolve"}
	}
	return nil
}

func (p Policy) Mode() Mode         { return p.mode }
func (p Policy) Network() Reach     { return p.network }
func (p Policy) Tmp() Tmp           { return p.tmp }
func (p Policy) Baseline() Baseline { return p.get().baseline }
func (p Policy) Runtime() Runtime   { return p.get().runtime }
func (p Policy) Absent() Absent     { return p.get().absent }

// Workspace is the folder that WorkspaceWrite makes writable, free of links.
// Under other modes it may be empty.
func (p Policy) Workspace() string { return p.get().workspace.Path }

// Cwd is the folder the command starts in: the request's, else the host's, else
// the workspace. It may be one that the layers deny.
func (p Policy) Cwd() string { return p.get().cwd }

// Env returns a copy of the environment rules.
func (p Policy) Env() EnvRules {
	env := p.get().env
	return EnvRules{Pass: slices.Clone(env.Pass), Set: maps.Clone(env.Set), All: env.All}
}

func (p Policy) Limits() Limits { return p.get().limits }

// Seccomp returns a copy of the system call rules.
func (p Policy) Seccomp() SeccompRules {
	s := p.get().seccomp
	return SeccompRules{Preset: s.Preset, Allow: slices.Clone(s.Allow), Deny: slices.Clone(s.Deny)}
}

// Hardening reports whether the built-in denials are in force.
func (p Policy) Hardening() bool { return p.get().hardening }

// Entries returns the deployment's entries as resolved, in their order.
func (p Policy) Entries() []Entry { return slices.Clone(p.get().entries) }

// Files returns the policy files in force.
func (p Policy) Files() []string { return slices.Clone(p.get().files) }

// Capped lists what was asked for and not granted.
func (p Policy) Capped() []Capping { return slices.Clone(p.capped) }

// Skipped lists optional entries that came to nothing because nothing exists at
// their path.
func (p Policy) Skipped() []Entry { return slices.Clone(p.skipped) }

// RuntimeLinks maps links to their texts that have to be made inside, because a
// granted path leads through them and the place where they lie is not shown.
func (p Policy) RuntimeLinks() map[string]string {
	links := make(map[string]string, len(p.links))
	for _, l := range p.links {
		links[l.Path] = l.Target
	}
	return links
}

// Confining returns the policy and true, or false under DangerFullAccess, where
// the command is executed as it is and nothing may be asked of a backend. It is
// also false for a policy that is not Valid; check that first.
func (p Policy) Confining() (Policy, bool) {
	return p, p.facts != nil && p.mode != DangerFullAccess
}

// get returns the facts, empty ones for the zero Policy.
func (p Policy) get() *facts {
	if p.facts == nil {
		return &facts{}
	}
	return p.facts
}
