//go:build linux

package seccomp

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// The presets.
const (
	PresetDefault = "default" // what compilers, interpreters, debuggers, package managers and editors need
	PresetStrict  = "strict"  // default without ptrace, System V IPC, message queues and other rarely used interfaces
)

var (
	// ErrUnsupported says that there is no program for the architecture.
	ErrUnsupported = errors.New("seccomp profiles support amd64 and arm64 only")

	// ErrNoCgo says that the profile must be compiled, and this binary was built without cgo.
	ErrNoCgo = errors.New("a profile with its own allow or deny list needs a binary built with cgo")
)

// A Profile says which system calls are allowed. Its zero value is the default preset.
type Profile struct {
	Preset string // PresetDefault, PresetStrict; "" is PresetDefault

	// Allow and Deny name system calls, as in syscalls(2), to allow and to refuse on top of the preset.
	// Allow also drops the preset's argument checks of the call: Allow "clone3" gives away user
	// namespaces, Allow "socket" every family. Deny refuses with EPERM, unless the preset already refuses
	// with another errno. A name that only another architecture has is valid and without effect.
	Allow, Deny []string

	// Close refuses more, for a backend that has no other means to close it.
	Close []Group
}

// launchCalls are what the launcher does between loading the program and the end of execve.
var launchCalls = []string{"execve", "exit_group", "write"}

// Validate returns every problem of the profile, joined.
func (p Profile) Validate() error {
	var errs []error
	if !slices.Contains([]string{"", PresetDefault, PresetStrict}, p.Preset) {
		errs = append(errs, fmt.Errorf("unknown seccomp preset %q: have %q and %q", p.Preset, PresetDefault, PresetStrict))
	}
	for _, name := range slices.Concat(p.Allow, p.Deny) {
		if !slices.ContainsFunc(calls[:], func(c call) bool { return c.name == name }) {
			errs = append(errs, fmt.Errorf("unknown system call %q: did you mean %q?", name, nearest(name)))
		}
	}
	for _, name := range p.Allow {
		if slices.Contains(p.Deny, name) {
			errs = append(errs, fmt.Errorf("system call %q is both allowed and denied", name))
		}
	}
	for _, name := range launchCalls {
		if slices.Contains(p.Deny, name) {
			errs = append(errs, fmt.Errorf("deny system call %q: the command could not be executed", name))
		}
	}
	for _, g := range p.Close {
		c, ok := g.closure()
		if !ok {
			errs = append(errs, fmt.Errorf("unknown group of system calls %q", g))
		}
		for _, name := range p.Allow {
			if c.touches(name) {
				errs = append(errs, fmt.Errorf("allow system call %q: group %q must stay closed", name, g))
			}
		}
	}
	return errors.Join(errs...)
}

// A verdict is what the profile says about one call of an architecture by its number alone.
type verdict struct {
	name   string
	number int
	errno  syscall.Errno // 0 allows
	why    string
}

// verdicts lists what the profile says about every call of the architecture, in the order of the
// table. Close is not part of it.
func (p Profile) verdicts(a arch) []verdict {
	lists := [][]rule{rules}
	if p.Preset == PresetStrict {
		lists = append(lists, strictRules)
	}
	ruled := index(lists...)

	var out []verdict
	for _, c := range calls {
		nr, ok := a.numberOf(c)
		if !ok {
			continue
		}
		v := verdict{name: c.name, number: nr}
		if r, ok := ruled[c.name]; ok {
			v.errno, v.why = r.errno, r.why
		} else if !c.listed {
			v.errno, v.why = unix.EPERM, whyUnlisted
		}
		switch {
		case slices.Contains(p.Allow, c.name):
			v.errno, v.why = 0, "allowed by the profile"
		case slices.Contains(p.Deny, c.name) && v.errno == 0:
			v.errno, v.why = unix.EPERM, "denied by the profile"
		}
		out = append(out, v)
	}
	return out
}

// guards returns the argument checks that the profile keeps.
func (p Profile) guards() []guard {
	return slices.DeleteFunc(presetGuards(), func(g guard) bool { return slices.Contains(p.Allow, g.call) })
}
