package classify

// Capability is what a command can do, as far as reading it tells. The constants are in order of rank, the least risky first.
type Capability string

const (
	Observe        Capability = "observe"         // reads state that is no secret
	Use            Capability = "use"             // does work inside its own scope: builds, tests, fetches
	Modify         Capability = "modify"          // changes files, settings or remote state
	ServiceControl Capability = "service-control" // starts, stops or reconfigures services
	PackageInstall Capability = "package-install" // installs, removes or upgrades software
	Privilege      Capability = "privilege"       // acts as another user or with more rights
	Unknown        Capability = "unknown"         // not recognised, or not readable: never allowed
	Credential     Capability = "credential"      // reads, uses or writes secrets
	Critical       Capability = "critical"        // can destroy the system, a home or a device
)

// Capabilities lists every capability, the least risky first.
func Capabilities() []Capability {
	return []Capability{Observe, Use, Modify, ServiceControl, PackageInstall, Privilege, Unknown, Credential, Critical}
}

// rank is the place in the order of risk, from 1; 0 for a word that is no capability.
func (c Capability) rank() int {
	switch c {
	case Observe:
		return 1
	case Use:
		return 2
	case Modify:
		return 3
	case ServiceControl:
		return 4
	case PackageInstall:
		return 5
	case Privilege:
		return 6
	case Unknown:
		return 7
	case Credential:
		return 8
	case Critical:
		return 9
	}
	return 0
}

// Valid reports whether c is one of the constants.
func (c Capability) Valid() bool { return c.rank() != 0 }

// Decision is what a harness should do with a command. The zero value is no decision and must be treated as [Deny].
type Decision string

const (
	Allow       Decision = "allow"        // run it
	AllowScoped Decision = "allow-scoped" // run it confined to its workspace
	AskApproval Decision = "ask-approval" // run it only after a person agreed
	Deny        Decision = "deny"         // do not run it
)

// rank is the place in the order of strictness, from 1; 0 for a word that is no decision.
func (d Decision) rank() int {
	switch d {
	case Allow:
		return 1
	case AllowScoped:
		return 2
	case AskApproval:
		return 3
	case Deny:
		return 4
	}
	return 0
}

// Valid reports whether d is one of the constants.
func (d Decision) Valid() bool { return d.rank() != 0 }

// Compare orders decisions by strictness: negative when d is less strict than other. An invalid decision is stricter than all.
func (d Decision) Compare(other Decision) int { return d.strictness() - other.strictness() }

func (d Decision) strictness() int {
	if r := d.rank(); r != 0 {
		return r
	}
	return Deny.rank() + 1
}

// defaultDecision is the decision that goes with c unless an extension says otherwise.
func defaultDecision(c Capability) Decision {
	switch c {
	case Observe:
		return Allow
	case Use:
		return AllowScoped
	case Credential, Critical:
		return Deny
	}
	return AskApproval
}
