package policy

import (
	"errors"
	"slices"
	"sync/atomic"
	"time"
)

// Grant is what the host has decided to allow beyond the resolved policy.
type Grant struct {
	Mode    Mode      `json:"mode,omitzero"`    // replaces the mode; unset leaves it
	Network Reach     `json:"network,omitzero"` // replaces the reach; unset leaves it
	Entries []Entry   `json:"entries,omitempty"`
	Scope   Scope     `json:"scope,omitzero"` // default ScopeOnce
	Expires time.Time `json:"expires,omitzero"`
}

// Approval is the capability to widen one policy. Only Approve mints one: the
// zero value, a copy, and anything decoded from data are refused by Resolve.
// An Approval may be used from several goroutines; one with ScopeOnce lets
// exactly one of them win.
type Approval struct {
	self  *Approval // itself; anything else was not minted
	grant Grant
	spend func() error
	spent atomic.Bool
}

// Approve mints an approval. Call it after the host has authorised the grant,
// and never with what a model wrote. The grant is validated by Resolve.
func Approve(g Grant) *Approval { return mint(g, nil) }

// mint makes an approval whose use is also recorded by spend, if not nil.
func mint(g Grant, spend func() error) *Approval {
	g.Entries = slices.Clone(g.Entries)
	if g.Scope == 0 {
		g.Scope = ScopeOnce
	}
	a := &Approval{grant: g, spend: spend}
	a.self = a
	return a
}

// check validates everything but what is in the grant, and changes nothing.
func (a *Approval) check(now time.Time) error {
	if a.self != a {
		return approvalError(ErrApprovalForged, "ask the host to approve the request")
	}
	expires := a.grant.Expires
	switch {
	case !scopeWords.valid(uint8(a.grant.Scope)):
		return &Error{Code: CodeInvalid, Source: "approval", Msg: "the scope is " + a.grant.Scope.String()}
	case !expires.IsZero() && now.IsZero():
		return &Error{Code: CodeInvalid, Source: "approval", Msg: "the approval can expire and the host's time is not known"}
	case !expires.IsZero() && !now.Before(expires):
		return approvalError(ErrApprovalExpired, "ask for a new one")
	case a.spent.Load():
		return approvalError(ErrApprovalSpent, "ask for a new one")
	}
	return nil
}

// use spends the approval. Of several callers at most one gets nil, unless the
// scope is the session. An error of the recorder leaves the approval spent:
// whether the record was written is then unknown.
func (a *Approval) use() error {
	if a.grant.Scope != ScopeOnce {
		return nil
	}
	if !a.spent.CompareAndSwap(false, true) {
		return approvalError(ErrApprovalSpent, "ask for a new one")
	}
	if a.spend == nil {
		return nil
	}
	if err := a.spend(); errors.Is(err, ErrApprovalSpent) {
		return approvalError(err, "ask for a new one")
	} else if err != nil {
		return &Error{Code: CodeInvalid, Source: "approval", Msg: "record the use of the approval", Err: err}
	}
	return nil
}

func approvalError(cause error, hint string) error {
	return &Error{Code: CodeInvalid, Source: "approval", Msg: "use the approval", Hint: hint, Err: cause}
}
