package confine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// Property is something that policies ask for and that this host can enforce or not.
type Property struct {
	Name      string `json:"name"`
	Available bool   `json:"available"`
	Detail    string `json:"detail,omitempty"`
	Cause     string `json:"cause,omitempty"`  // why not
	Remedy    string `json:"remedy,omitempty"` // the least drastic first
}

// probeTime bounds one probe: a host that hangs is a host that cannot confine.
const probeTime = 5 * time.Second

// Probe finds out by doing: every probe goes through the whole launch of a
// policy in a child up to execve of a name that does not exist, so each step
// was really taken and nothing was executed.
func Probe(ctx context.Context) []Property {
	host, err := Host()
	if err != nil {
		return []Property{{Name: "namespace backend", Cause: err.Error(), Remedy: "run confine from a folder that exists"}}
	}
	host.Cwd = "/"
	properties := []Property{
		probe(ctx, "namespace backend, read-only, no network", host, policy.Defaults{Mode: policy.ReadOnly}),
		probe(ctx, "private tmp", host, policy.Defaults{Mode: policy.ReadOnly, Tmp: policy.TmpPrivate}),
		probe(ctx, "loopback network", host, policy.Defaults{Mode: policy.ReadOnly, Network: policy.ReachLoopback}),
		probe(ctx, "host network (allow-all)", host, policy.Defaults{Mode: policy.ReadOnly, Network: policy.ReachAllowAll}),
		probe(ctx, "baseline deny", host, policy.Defaults{Mode: policy.ReadOnly, Baseline: policy.BaselineDeny, Entries: []policy.Entry{{Path: "/", Access: policy.Read}}}),
	}
	return append(properties, probeLandlock())
}

// probe launches a program that does not exist; only reaching execve counts.
func probe(ctx context.Context, name string, host policy.Host, d policy.Defaults) Property {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	pol, err := policy.Resolve(policy.Request{}, d, host, FS())
	if err != nil {
		return Property{Name: name, Cause: err.Error()}
	}
	_, err = Command(pol, "/nonexistent/confine-probe").RunContext(ctx)
	var launchErr *LaunchError
	var unavailable *UnavailableError
	switch {
	case errors.As(err, &unavailable):
		return Property{Name: name, Cause: unavailable.Missing[0].Property + ": " + unavailable.Missing[0].Cause, Remedy: unavailable.Hint()}
	case errors.As(err, &launchErr) && launchErr.Stage == "execute" && errors.Is(err, unix.ENOENT):
		return Property{Name: name, Available: true, Detail: "every step up to execve was taken"}
	case err == nil:
		return Property{Name: name, Cause: fmt.Sprintf("no answer within %v", probeTime)}
	}
	return Property{Name: name, Cause: err.Error()}
}

func probeLandlock() Property {
	p := Property{Name: "Landlock (second lock on files, scopes)"}
	abi := landlockABI()
	switch {
	case abi == 0:
		p.Cause, p.Remedy = "the kernel has no Landlock or has it switched off", "add landlock to the kernel's lsm= list, or use Linux 5.13 or newer"
	case abi < 6:
		p.Cause, p.Remedy = fmt.Sprintf("ABI %d has no scopes for signals and abstract sockets", abi), "use Linux 6.12 or newer"
	default:
		p.Available, p.Detail = true, fmt.Sprintf("ABI %d", abi)
	}
	return p
}
