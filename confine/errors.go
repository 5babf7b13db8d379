package confine

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnavailable is matched by every *UnavailableError.
var ErrUnavailable = errors.New("the policy cannot be enforced on this host")

// CodeUnavailable is the stable code of an UnavailableError.
const CodeUnavailable = "SANDBOX_UNAVAILABLE"

// Missing is one property that was asked for and that this host cannot enforce.
type Missing struct {
	Property string `json:"property"` // "user namespaces"
	Cause    string `json:"cause"`    // on this host
	Remedy   string `json:"remedy"`   // the least drastic first
}

// UnavailableError says that nothing ran because the policy could not be
// enforced as asked. errors.Is(err, ErrUnavailable) holds.
type UnavailableError struct {
	Backend string    `json:"backend"`
	Missing []Missing `json:"missing"`
	Err     error     `json:"-"` // what the kernel said
}

func (e *UnavailableError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: the %s backend cannot enforce this policy", CodeUnavailable, e.Backend)
	for i, m := range e.Missing {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		fmt.Fprintf(&b, "%s%s: %s", sep, m.Property, m.Cause)
	}
	return b.String()
}

// Hint returns the remedies.
func (e *UnavailableError) Hint() string {
	var all []string
	for _, m := range e.Missing {
		if m.Remedy != "" {
			all = append(all, m.Remedy)
		}
	}
	return strings.Join(all, "; ")
}

func (e *UnavailableError) Is(target error) bool { return target == ErrUnavailable }
func (e *UnavailableError) Unwrap() error        { return e.Err }

// LaunchError says at which stage the launch broke. The command did not run.
// errors.Is works with the errno that the kernel gave.
type LaunchError struct {
	Stage string // "attach mount", "enter working directory", "execute"
	Path  string // the path concerned, or ""
	Hint  string // the remedy, or ""
	Err   error
}

func (e *LaunchError) Error() string { return e.Stage + ": " + e.reason() }

// reason is the error without its stage.
func (e *LaunchError) reason() string {
	if e.Path != "" {
		return fmt.Sprintf("%q: %v", e.Path, e.Err)
	}
	return e.Err.Error()
}

func (e *LaunchError) Unwrap() error { return e.Err }
