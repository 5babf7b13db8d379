package confine

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"confine/classify"
	"confine/policy"
)

// The backends.
const (
	BackendNamespace = "namespace"
	BackendNone      = "none" // danger-full-access: nothing was confined
)

// ReportVersion is the version of the report's JSON form. It grows when a
// member changes its meaning or goes; new members may appear at any time.
const ReportVersion = 1

// Level says how completely something is enforced.
type Level string

const (
	Full    Level = "full"
	Partial Level = "partial"
	None    Level = "none"
)

// Enforcement is one property, how completely it holds, and by what.
type Enforcement struct {
	Level  Level  `json:"level"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"` // of a level below full
}

// Enforced is what was enforced by what.
type Enforced struct {
	Filesystem Enforcement `json:"filesystem"`
	Network    Enforcement `json:"network"`
	Syscalls   Enforcement `json:"seccomp"`
	Processes  Enforcement `json:"processes"`
	Limits     Enforcement `json:"limits"`
	Landlock   Enforcement `json:"landlock"` // the second lock on the file system
}

// Usage is what the whole tree used, as far as it was waited for.
type Usage struct {
	UserMS   int64 `json:"user_ms"`
	SystemMS int64 `json:"system_ms"`
	MaxRSSKB int64 `json:"max_rss_kb"` // of the largest process
}

// Report is the whole truth about one run. It exists on every way out, also
// when nothing ran.
type Report struct {
	Version int      `json:"version"`
	RunID   string   `json:"run_id"`
	Argv    []string `json:"argv"`
	Cwd     string   `json:"cwd,omitempty"`

	classify.Classification           // outcome, reason, hint, evidence
	ExitCode                int       `json:"exit_code"`             // of the command, or what confine exits with when there is none
	SignalName              string    `json:"signal_name,omitempty"` // "SIGKILL"
	Error                   string    `json:"error,omitempty"`       // of not-started and refused
	ErrorCode               string    `json:"error_code,omitempty"`  // SANDBOX_UNAVAILABLE, SANDBOX_POLICY_INVALID
	Missing                 []Missing `json:"missing,omitempty"`     // of SANDBOX_UNAVAILABLE

	Backend      string           `json:"backend,omitempty"`
	Mode         string           `json:"mode,omitempty"`
	Network      string           `json:"network,omitempty"`
	Enforced     *Enforced        `json:"enforced,omitempty"`
	PolicyDigest string           `json:"policy_digest,omitempty"` // known once the report was written
	Policy       *policy.Policy   `json:"policy,omitempty"`
	Capped       []policy.Capping `json:"capped,omitempty"`
	EnvDropped   []string         `json:"env_dropped,omitempty"` // names only
	Restored     []string         `json:"restored,omitempty"`    // carve-outs that an outside change had detached

	Start      time.Time `json:"start"`
	DurationMS int64     `json:"duration_ms"`
	Usage      Usage     `json:"usage"`

	// Foreground: the command had the terminal, so a signal that the terminal
	// sent reached it and not the supervisor.
	Foreground bool `json:"-"`
	// Annotation is what belongs on stderr after the command's own: at most two
	// lines, or nothing.
	Annotation string `json:"-"`
}

// WriteTo writes the report as one JSON object and a newline. The policy's
// digest is computed here, since most runs have no report.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	if r.Policy != nil && r.PolicyDigest == "" {
		r.PolicyDigest = r.Policy.Digest()
	}
	b, err := json.Marshal(r)
	if err != nil {
		return 0, fmt.Errorf("encode report: %w", err)
	}
	n, err := w.Write(append(b, '\n'))
	return int64(n), err
}

// enforcedByNamespace is what the namespace backend holds of a policy.
func enforcedByNamespace(p policy.Policy, abi int) Enforced {
	e := Enforced{
		Filesystem: Enforcement{Level: Full, By: "mount namespace"},
		Network:    Enforcement{Level: Full, By: "network namespace"},
		Syscalls:   Enforcement{Level: Full, By: "seccomp"},
		Processes:  Enforcement{Level: Full, By: "pid, ipc, uts and cgroup namespaces, no capabilities"},
		Limits:     Enforcement{Level: Full, By: "wall clock, tmpfs size"},
		Landlock:   Enforcement{Level: Full, By: fmt.Sprintf("Landlock ABI %d", abi)},
	}
	if p.Network() == policy.ReachAllowAll {
		e.Network = Enforcement{Level: None, Reason: "the policy allows all"}
	}
	switch {
	case abi == 0:
		e.Landlock = Enforcement{Level: None, Reason: "this kernel has no Landlock; the mounts hold the policy alone"}
	case abi < 6:
		e.Landlock.Level, e.Landlock.Reason = Partial, "this kernel's Landlock has no scopes for signals and abstract sockets"
		if p.Network() == policy.ReachAllowAll {
			e.Processes.Level, e.Processes.Reason = Partial, "abstract unix sockets of the host's network namespace are reachable: Landlock ABI 6 would close them"
		}
	}
	lim := p.Limits()
	if lim.Wall == 0 && lim.Tmp == 0 {
		e.Limits = Enforcement{Level: None, Reason: "none was asked for"}
	}
	return e
}
