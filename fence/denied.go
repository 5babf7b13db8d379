package fence

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"confine/policy"
)

// CodeDenied is the Code of every *DeniedError.
const CodeDenied = "SANDBOX_DENIED"

// DeniedError is an operation that the policy does not grant. Nothing was
// opened or changed, but for a file that moved as OpenFile made it. errors.Is(err, fs.ErrPermission) holds; a file's own
// permissions give an *fs.PathError instead.
type DeniedError struct {
	Code     string        `json:"code"`    // CodeDenied
	Path     string        `json:"path"`    // as given
	Reached  string        `json:"reached"` // free of links: the object, or the folder or link where the way there is barred
	Wanted   policy.Access `json:"wanted"`
	Mode     policy.Mode   `json:"mode"`
	Layer    policy.Layer  `json:"layer"`              // decides Reached, or is the carve-out that forbids to move what holds it
	Reason   string        `json:"reason,omitempty"`   // why, if not because of the access of Layer alone
	Writable []string      `json:"writable,omitempty"` // the roots below which the policy grants writing, carve-outs aside
}

func (f *Fence) deny(given, reached string, wanted policy.Access, layer policy.Layer, reason string) error {
	return &DeniedError{
		Code: CodeDenied, Path: given, Reached: reached, Wanted: wanted, Mode: f.mode,
		Layer: layer, Reason: reason, Writable: slices.Clone(f.writable),
	}
}

func (e *DeniedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %q: denied", e.Wanted, e.Path)
	if e.Reached != e.Path {
		fmt.Fprintf(&b, " at %q", e.Reached)
	}
	if e.Reason != "" {
		b.WriteString(": " + e.Reason)
	}
	fmt.Fprintf(&b, "; mode %v, layer %q", e.Mode, e.Layer.Path)
	if e.Layer.Origin != 0 {
		fmt.Fprintf(&b, " (%v: %v)", e.Layer.Origin, e.Layer.Access)
	}
	const most = 4
	switch n := len(e.Writable); {
	case n == 0:
		b.WriteString("; nothing is writable")
	case n <= most:
		fmt.Fprintf(&b, "; writable: %q", e.Writable)
	default:
		fmt.Fprintf(&b, "; writable: %q and %d more", e.Writable[:most], n-most)
	}
	return b.String()
}

func (e *DeniedError) Unwrap() error { return fs.ErrPermission }

const privateReason = "what a run sees there is made for that run and does not exist here"
