package policy

import "errors"

// CodeInvalid is the Code of every *Error of this package.
const CodeInvalid = "SANDBOX_POLICY_INVALID"

// Error is a policy that cannot be used. Nothing was resolved, spent or changed.
type Error struct {
	Code   string // CodeInvalid
	Path   string // the path at fault, if one is
	Source string // where it was written: "flag --write", "policy.jsonc:4:20"
	Msg    string // what is wrong, naming the path
	Hint   string // what to do about it
	Err    error  // the cause, if there is one
}

func (e *Error) Error() string {
	s := e.Msg
	if e.Source != "" {
		s = e.Source + ": " + s
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// What can be wrong with an approval, in the order it is checked. Each is the
// cause inside an *Error: test with errors.Is.
var (
	ErrApprovalForged  = errors.New("the approval is not genuine: the host did not mint it")
	ErrApprovalExpired = errors.New("the approval has expired")
	ErrApprovalSpent   = errors.New("the approval has been spent")
)
