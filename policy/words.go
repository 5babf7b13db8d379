package policy

import "strconv"

// Mode is how far file effects may go. It says nothing about the network.
// Values are ordered: a smaller Mode is stricter. The zero value is "unset".
type Mode uint8

const (
	ReadOnly         Mode = iota + 1 // no writes on the host but what an entry grants
	WorkspaceWrite                   // writes below the workspace and what entries grant
	DangerFullAccess                 // no confinement at all: the command runs as it is
)

// Access is what an entry or a layer allows at a path and below it.
// A smaller Access is stricter. Read includes looking up, listing and
// executing; Write includes Read, creation, removal and changing metadata.
type Access uint8

const (
	Deny Access = iota + 1
	Read
	Write
)

// Reach is the network axis, independent of Mode. A smaller Reach is stricter.
// Unix sockets are files and are governed by entries, not by Reach.
type Reach uint8

const (
	ReachDeny     Reach = iota + 1 // no network
	ReachLoopback                  // a loopback interface of the run's own
	ReachAllowAll                  // the host's network
)

// Baseline is the access of every path that nothing else names.
type Baseline uint8

const (
	BaselineDeny  Baseline = iota + 1 // nothing readable until an entry says so
	BaselineAllow                     // the host is readable
)

// Tmp is what /tmp, /var/tmp and /dev/shm are inside.
type Tmp uint8

const (
	TmpPrivate Tmp = iota + 1 // empty writable folders made for the run
	TmpNone                   // as the layers say, nothing of their own
	TmpHost                   // the host's folders, writable
)

// Runtime is what a deny baseline still shows so that programs can start.
type Runtime uint8

const (
	RuntimeSystem Runtime = iota + 1 // system programs, libraries and the configuration they read
	RuntimeNone                      // nothing
)

// Absent is what happens at a carve-out whose path does not exist.
type Absent uint8

const (
	AbsentWatch   Absent = iota + 1 // nothing is created; what appears there is moved aside and reported
	AbsentReserve                   // a placeholder holds the place during the run
)

// Origin says where a layer comes from.
type Origin uint8

const (
	OriginBaseline    Origin = iota + 1 // the baseline, the runtime set and the system folders
	OriginHardening                     // built-in denials of credentials and sockets
	OriginMode                          // the workspace under workspace-write
	OriginTemp                          // temporary folders
	OriginProtected                     // protected names, and confine's own files
	OriginEntry                         // an entry of the deployment
	OriginRestriction                   // an entry of the request
	OriginApproval                      // an entry of an approval
)

// Scope says how often an approval can be used.
type Scope uint8

const (
	ScopeOnce    Scope = iota + 1 // spent by the first resolution that succeeds
	ScopeSession                  // usable until it expires
)

// Kind is what a path is on the host. The zero value is unknown: the path
// could not be looked at, and nothing that runs as the same user can reach it.
type Kind uint8

const (
	KindDir Kind = iota + 1
	KindFile
	KindSymlink
	KindSocket
	KindDevice
	KindOther
)

var (
	modeWords     = vocabulary{"mode", []string{"read-only", "workspace-write", "danger-full-access"}}
	accessWords   = vocabulary{"access", []string{"deny", "read", "write"}}
	reachWords    = vocabulary{"network reach", []string{"deny", "loopback", "allow-all"}}
	baselineWords = vocabulary{"baseline", []string{"deny", "allow"}}
	tmpWords      = vocabulary{"tmp", []string{"private", "none", "host"}}
	runtimeWords  = vocabulary{"runtime", []string{"system", "none"}}
	absentWords   = vocabulary{"absent", []string{"watch", "reserve"}}
	originWords   = vocabulary{"origin", []string{"baseline", "hardening", "mode", "temp", "protected", "entry", "restriction", "approval"}}
	scopeWords    = vocabulary{"scope", []string{"once", "session"}}
	kindWords     = vocabulary{"kind", []string{"dir", "file", "symlink", "socket", "device", "other"}}
)

// The Parse functions accept exactly the words of the contract; an unknown or
// empty word is an *Error whose hint names the nearest valid one.

func ParseMode(s string) (Mode, error)         { return parseWord[Mode](modeWords, s) }
func ParseAccess(s string) (Access, error)     { return parseWord[Access](accessWords, s) }
func ParseReach(s string) (Reach, error)       { return parseWord[Reach](reachWords, s) }
func ParseBaseline(s string) (Baseline, error) { return parseWord[Baseline](baselineWords, s) }
func ParseTmp(s string) (Tmp, error)           { return parseWord[Tmp](tmpWords, s) }
func ParseRuntime(s string) (Runtime, error)   { return parseWord[Runtime](runtimeWords, s) }
func ParseAbsent(s string) (Absent, error)     { return parseWord[Absent](absentWords, s) }
func ParseScope(s string) (Scope, error)       { return parseWord[Scope](scopeWords, s) }

func (m Mode) String() string     { return modeWords.text(uint8(m)) }
func (a Access) String() string   { return accessWords.text(uint8(a)) }
func (r Reach) String() string    { return reachWords.text(uint8(r)) }
func (b Baseline) String() string { return baselineWords.text(uint8(b)) }
func (t Tmp) String() string      { return tmpWords.text(uint8(t)) }
func (r Runtime) String() string  { return runtimeWords.text(uint8(r)) }
func (a Absent) String() string   { return absentWords.text(uint8(a)) }
func (o Origin) String() string   { return originWords.text(uint8(o)) }
func (s Scope) String() string    { return scopeWords.text(uint8(s)) }
func (k Kind) String() string     { return kindWords.text(uint8(k)) }

func (m Mode) MarshalText() ([]byte, error)     { return modeWords.marshal(uint8(m)) }
func (a Access) MarshalText() ([]byte, error)   { return accessWords.marshal(uint8(a)) }
func (r Reach) MarshalText() ([]byte, error)    { return reachWords.marshal(uint8(r)) }
func (b Baseline) MarshalText() ([]byte, error) { return baselineWords.marshal(uint8(b)) }
func (t Tmp) MarshalText() ([]byte, error)      { return tmpWords.marshal(uint8(t)) }
func (r Runtime) MarshalText() ([]byte, error)  { return runtimeWords.marshal(uint8(r)) }
func (a Absent) MarshalText() ([]byte, error)   { return absentWords.marshal(uint8(a)) }
func (o Origin) MarshalText() ([]byte, error)   { return originWords.marshal(uint8(o)) }
func (s Scope) MarshalText() ([]byte, error)    { return scopeWords.marshal(uint8(s)) }
func (k Kind) MarshalText() ([]byte, error)     { return kindWords.marshal(uint8(k)) }

func (m *Mode) UnmarshalText(b []byte) error     { return unmarshalWord(modeWords, b, m) }
func (a *Access) UnmarshalText(b []byte) error   { return unmarshalWord(accessWords, b, a) }
func (r *Reach) UnmarshalText(b []byte) error    { return unmarshalWord(reachWords, b, r) }
func (b *Baseline) UnmarshalText(t []byte) error { return unmarshalWord(baselineWords, t, b) }
func (t *Tmp) UnmarshalText(b []byte) error      { return unmarshalWord(tmpWords, b, t) }
func (r *Runtime) UnmarshalText(b []byte) error  { return unmarshalWord(runtimeWords, b, r) }
func (a *Absent) UnmarshalText(b []byte) error   { return unmarshalWord(absentWords, b, a) }
func (o *Origin) UnmarshalText(b []byte) error   { return unmarshalWord(originWords, b, o) }
func (s *Scope) UnmarshalText(b []byte) error    { return unmarshalWord(scopeWords, b, s) }
func (k *Kind) UnmarshalText(b []byte) error     { return unmarshalWord(kindWords, b, k) }

// A vocabulary is the words of one type; value n is word n-1, and 0 is unset.
type vocabulary struct {
	name  string
	words []string
}

func (v vocabulary) valid(n uint8) bool { return n >= 1 && int(n) <= len(v.words) }

func (v vocabulary) text(n uint8) string {
	switch {
	case n == 0:
		return "unset"
	case v.valid(n):
		return v.words[n-1]
	}
	return v.name + "(" + strconv.Itoa(int(n)) + ")"
}

func (v vocabulary) marshal(n uint8) ([]byte, error) {
	if !v.valid(n) {
		return nil, &Error{Code: CodeInvalid, Msg: "write " + v.name + ": the value is " + v.text(n)}
	}
	return []byte(v.words[n-1]), nil
}

func parseWord[T ~uint8](v vocabulary, s string) (T, error) {
	for i, w := range v.words {
		if w == s {
			return T(i + 1), nil
		}
	}
	return 0, unknownWord(v.name, s, v.words)
}

func unmarshalWord[T ~uint8](v vocabulary, b []byte, to *T) error {
	n, err := parseWord[T](v, string(b))
	if err == nil {
		*to = n
	}
	return err
}
