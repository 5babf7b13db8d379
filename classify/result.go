package classify

// Result is what the launcher and the supervisor know of a run: facts, not guesses. The zero value is a run that exited 0 in silence.
type Result struct {
	// Refusal, when not empty, says why the run was refused before launch (gate, invalid request, spent approval, admission).
	Refusal string
	// Launch, when not nil, says at which stage the launch broke: the target never executed.
	Launch *LaunchFailure
	// Limit, when not empty, names the limit that ended the run: "wall clock", "CPU", "memory", "processes", "file size", "output".
	Limit string
	// ExitCode is the command's own exit status; meaningless when Signal is set.
	ExitCode int
	// Signal is the number of the signal that killed the command, 0 for none.
	Signal int
	// StderrTail is the end of the command's stderr, as it was written: any bytes, any length.
	StderrTail []byte
	// StderrTruncated says that StderrTail is not all of it; its first line may then be cut and is not read as evidence.
	StderrTruncated bool
	// Records are denials known exactly, from the kernel or from the supervisor.
	Records []Record
}

// LaunchFailure says why a target was never executed.
type LaunchFailure struct {
	Stage  string `json:"stage"`           // what was being set up: "mount", "landlock", "exec", …
	Reason string `json:"reason"`          // one line for people
	Errno  string `json:"errno,omitempty"` // symbolic name: "EPERM"
	Path   string `json:"path,omitempty"`  // the path concerned, if one is
	// NoSuchProgram and NotExecutable tell the caller's mistake (exit codes 127 and 126) from a broken sandbox.
	NoSuchProgram bool `json:"no_such_program,omitempty"`
	NotExecutable bool `json:"not_executable,omitempty"`
}

// Record is a denial that needs no reading of text.
type Record struct {
	Kind  DenialKind `json:"kind"`
	What  string     `json:"what"`            // the operation refused: "write", "connect", "create protected name"
	Path  string     `json:"path,omitempty"`  // absolute path, if a path was concerned
	Layer string     `json:"layer,omitempty"` // the deciding layer, as `confine explain` prints it
	Errno string     `json:"errno,omitempty"` // symbolic name of what the command saw, if it saw an error
	// Undone says that the operation succeeded and was taken back afterwards, as when a protected name that was absent at launch
	// is created and moved aside. The command's exit status then speaks of a state that no longer exists, so such a record
	// makes the outcome Denied even when the command exited 0.
	Undone bool `json:"undone,omitempty"`
}

// OutcomeKind is what became of a run.
type OutcomeKind string

const (
	Success    OutcomeKind = "success"     // exit 0
	Failed     OutcomeKind = "failed"      // the command's own failure
	Denied     OutcomeKind = "denied"      // the sandbox blocked it
	Limit      OutcomeKind = "limit"       // a limit ended it
	Signaled   OutcomeKind = "signaled"    // killed by a signal that neither the sandbox nor a limit sent
	NotStarted OutcomeKind = "not-started" // the launch broke; the command never ran
	Refused    OutcomeKind = "refused"     // confine said no before launch
)

// DenialKind is the axis of the policy that a denial belongs to, so that a harness asks for the right grant.
type DenialKind string

const (
	DenialFilesystem DenialKind = "filesystem"
	DenialNetwork    DenialKind = "network"
	DenialSyscall    DenialKind = "syscall"
	DenialProcess    DenialKind = "process"
)

// Confidence grades a statement by its evidence.
type Confidence string

const (
	// ConfidenceCertain: a fact of the launcher or an exact record; of text, a signature whose path the policy refuses.
	ConfidenceCertain Confidence = "certain"
	// ConfidenceLikely: a signature of the backend in force with nothing against it.
	ConfidenceLikely Confidence = "likely"
	// ConfidenceUnknown: the evidence fits the command's own failure as well. Such a denial is listed and decides nothing.
	ConfidenceUnknown Confidence = "unknown"
)

// Denial is one enforced refusal that was recorded, or that a line of stderr speaks of. Every string is valid UTF-8;
// Line and Path hold what the command wrote and may contain control characters: see [Annotation] for text safe to print.
type Denial struct {
	Kind       DenialKind `json:"kind"`
	What       string     `json:"what"`               // "write", "read", "access", "connect", "resolve", "bind", or a word of a Record
	Path       string     `json:"path,omitempty"`     // as the program wrote it, unquoted; relative stays relative
	Host       string     `json:"host,omitempty"`     // the peer of a network denial, where the line names one
	Layer      string     `json:"layer,omitempty"`    // the deciding layer as the Judge names it, or "network" and the reach
	Errno      string     `json:"errno,omitempty"`    // symbolic name
	Line       string     `json:"line,omitempty"`     // the line, at most 512 bytes
	Advisory   bool       `json:"advisory,omitempty"` // the program says that it went on; such a denial decides nothing
	Confidence Confidence `json:"confidence"`
}

// Classification is the answer of [Outcome].
type Classification struct {
	Outcome OutcomeKind `json:"outcome"`
	// Reason is one line for people, free of control characters. Empty for success and plain failure.
	Reason string `json:"reason,omitempty"`
	// Hint is the remedy, free of control characters; empty where there is none, and for backends that are not our own.
	Hint string `json:"hint,omitempty"`
	// Confidence is how sure the Outcome is. A failure whose stderr holds weak evidence of a denial is "unknown".
	Confidence Confidence `json:"confidence"`
	// Deciding is the denial that made the outcome Denied; nil for every other outcome.
	Deciding *Denial `json:"deciding,omitempty"`
	// Denials are all that were seen, first those of records, then those of text in order of appearance, without repetition,
	// also when the command exited 0. At most 64; MoreDenials counts those left out.
	Denials     []Denial `json:"denials,omitempty"`
	MoreDenials int      `json:"more_denials,omitempty"`
	// Limit names the limit of a Limit outcome; Signal is the number for Signaled and for a kill by the seccomp filter.
	Limit  string `json:"limit,omitempty"`
	Signal int    `json:"signal,omitempty"`
	// Launch is the failure behind NotStarted.
	Launch *LaunchFailure `json:"launch,omitempty"`
}

// ViolationInfo is a denial in the form harnesses show or feed back.
type ViolationInfo struct {
	Kind    DenialKind `json:"kind"`
	Reason  string     `json:"reason"`
	Path    string     `json:"path,omitempty"`
	Snippet string     `json:"snippet,omitempty"` // at most 512 bytes, valid UTF-8
}
