package policy

import "time"

// Entry is one statement of a policy: Access at Path and everything below it,
// until a deeper entry says otherwise.
type Entry struct {
	Path     string `json:"path"` // absolute; links are followed when the policy is resolved
	Access   Access `json:"access"`
	Optional bool   `json:"optional,omitempty"` // an absent path is no error
	Source   string `json:"source,omitempty"`   // where it was written, for messages: "flag --write"
}

// EnvRules say which environment variables the command gets beside the
// built-in allow-list.
type EnvRules struct {
	Pass []string          // names taken over from the caller
	Set  map[string]string // names with values of their own; they win over Pass
	All  bool              // take over everything but secret-shaped names
}

// Limits bound what a run may use. Zero means no limit; negative is an error.
type Limits struct {
	Wall, CPU                     time.Duration
	Memory, FileSize, Output, Tmp int64 // bytes
	Processes, OpenFiles          int64
}

// SeccompRules choose the system call filter: a preset by name and calls
// added to or taken from it. Names are checked by the package that compiles them.
type SeccompRules struct {
	Preset      string
	Allow, Deny []string
}

// Defaults is the trusted half of a policy: policy files merged with flags.
// It may grant anything. Zero fields take the strict default of the contract.
type Defaults struct {
	Mode      Mode   // default ReadOnly
	Workspace string // absolute; "" means the request's Cwd, else Host.Cwd
	Network   Reach  // default ReachDeny
	Baseline  Baseline
	Entries   []Entry // later entries win at the same path
	Tmp       Tmp     // default TmpPrivate under WorkspaceWrite, else TmpNone
	Runtime   Runtime
	Absent    Absent
	Protect   []string // protected names added to the built-in ones
	Unprotect []string // protected names dropped
	Env       EnvRules
	Limits    Limits
	Seccomp   SeccompRules
	Files     []string  // policy files in force; never writable inside
	Private   []string  // more paths that are never writable inside, whatever the layers say
	Secret    []string  // paths that are never readable inside, whatever the layers say
	Classify  []Section // of the policy files, for the command classifier; later ones add to earlier ones
	Code      []Section // of the policy files, for code execution
	Notes     []string  // what a person should know about how the files were read
	// NoHardening drops the built-in denials of credentials and sockets.
	NoHardening bool
}

// Request is the untrusted half of a policy. Mode, Network and Entries may come
// from a model and only ever narrow. Cwd, SessionMode and Approval are set by
// the host: no parser of this package fills them from a document.
type Request struct {
	Cwd         string    // the session's folder: the workspace under WorkspaceWrite, outranking Defaults.Workspace
	SessionMode Mode      // the session's ceiling, outranking Defaults.Mode
	Mode        Mode      // asked for; capped at the ceiling
	Network     Reach     // asked for; capped at the deployment's
	Entries     []Entry   // Deny or Read; Write is refused
	Approval    *Approval // widens, once
	// Also holds further requests. Each narrows on its own; of each only Mode,
	// Network and Entries count.
	Also []Request
}

// Capping records that a request asked for more than it got.
type Capping struct {
	What    string `json:"what"` // "mode" or "network"
	Asked   string `json:"asked"`
	Granted string `json:"granted"`
}
