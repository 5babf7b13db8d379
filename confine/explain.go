package confine

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"confine/confine/internal/launch"
	"confine/policy"
)

// Explanation is what a run would do: the same plan that a run executes, made
// and not executed.
type Explanation struct {
	Argv         []string         `json:"argv,omitempty"`
	Cwd          string           `json:"cwd"`
	Backend      string           `json:"backend"`
	Policy       policy.Policy    `json:"policy"`
	Layers       []policy.Layer   `json:"layers"`
	Enforced     Enforced         `json:"enforced"`
	Capped       []policy.Capping `json:"capped,omitempty"`
	Skipped      []policy.Entry   `json:"skipped,omitempty"` // optional entries without a path
	Absent       []string         `json:"absent,omitempty"`  // watched: moved aside if the command creates them
	EnvPassed    []string         `json:"env_passed,omitempty"`
	EnvDropped   []string         `json:"env_dropped,omitempty"`
	Programs     []string         `json:"programs,omitempty"` // where the program would be looked for, in order
	Plan         []string         `json:"plan,omitempty"`     // the launcher's operations, in order
	PolicyDigest string           `json:"policy_digest"`
}

// Explain compiles c and says what it would do. Nothing is executed. Errors are
// those of Start.
func Explain(c *Cmd) (*Explanation, error) {
	if err := c.Policy.Valid(); err != nil {
		return nil, err
	}
	p := c.Policy
	e := &Explanation{Argv: c.Args, Cwd: p.Cwd(), Backend: BackendNamespace, Policy: p, Capped: p.Capped(), Skipped: p.Skipped(),
		Layers: policy.GrantLayers(p).All(), PolicyDigest: p.Digest()}
	if c.Dir != "" {
		e.Cwd = c.Dir
	}
	if _, confining := p.Confining(); !confining {
		e.Backend, e.Enforced = BackendNone, unconfined
		return e, nil
	}
	with := *c
	if len(with.Args) == 0 {
		with.Args = []string{"true"}
	}
	plan, err := compile(p, &with, "explain")
	if err != nil {
		return nil, err
	}
	defer plan.close()
	e.Enforced = plan.enforced
	e.EnvDropped = plan.env.Dropped
	for _, kv := range plan.env.Vars {
		name, _, _ := strings.Cut(kv, "=")
		e.EnvPassed = append(e.EnvPassed, name)
	}
	for _, l := range plan.absent {
		e.Absent = append(e.Absent, l.Path)
	}
	if len(c.Args) > 0 {
		e.Programs = plan.plan.Exe
	}
	e.Plan = describePlan(plan.plan)
	return e, nil
}

var unconfined = func() Enforced {
	none := Enforcement{Level: None, Reason: "mode danger-full-access asks for no confinement"}
	return Enforced{none, none, none, none, none, none}
}()

var namespaceNames = [...]struct {
	flag uint32
	name string
}{
	{unix.CLONE_NEWUSER, "user"}, {unix.CLONE_NEWNS, "mount"}, {unix.CLONE_NEWPID, "pid"}, {unix.CLONE_NEWIPC, "ipc"},
	{unix.CLONE_NEWUTS, "uts"}, {unix.CLONE_NEWCGROUP, "cgroup"}, {unix.CLONE_NEWNET, "net"},
}

// describePlan says in words what the launcher will do, one operation a line.
func describePlan(p *launch.Plan) []string {
	var names []string
	for _, n := range namespaceNames {
		if p.Namespaces&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	lines := []string{"enter new namespaces: " + strings.Join(names, ", "),
		fmt.Sprintf("map uid %d and gid %d to themselves", p.UID, p.GID)}
	if p.Flags&launch.LoopbackUp != 0 {
		lines = append(lines, "bring lo up")
	}
	if p.Flags&launch.NoUserNamespaces != 0 {
		lines = append(lines, "forbid user namespaces inside")
	}
	for _, op := range p.Ops {
		lines = append(lines, describeOp(op))
	}
	lines = append(lines, fmt.Sprintf("enter %q", p.Cwd), "set no_new_privs, join a fresh session keyring, drop all capabilities")
	if p.LandlockFD >= 0 || hasLandlock(p.Ops) {
		lines = append(lines, "enforce the Landlock ruleset")
	}
	return append(lines, "close every descriptor that is not passed",
		fmt.Sprintf("load the seccomp filter (%d instructions)", len(p.Seccomp)/8), "execute the command")
}

func hasLandlock(ops []launch.Op) bool {
	for _, op := range ops {
		if op.Code == launch.Landlock {
			return true
		}
	}
	return false
}

func describeOp(op launch.Op) string {
	attr := attrString(op.AttrSet)
	switch op.Code {
	case launch.Clone:
		return fmt.Sprintf("#%d = clone of the host's %q%s", op.Slot, op.Path, attr)
	case launch.Tmpfs:
		return fmt.Sprintf("#%d = new tmpfs (%s)%s", op.Slot, op.Arg, attr)
	case launch.FS:
		return fmt.Sprintf("#%d = new %s (%s)%s", op.Slot, op.Path, op.Arg, attr)
	case launch.Stage:
		return fmt.Sprintf("keep #%d ready to be cloned", op.Slot)
	case launch.Mkdir:
		return fmt.Sprintf("make folder %q mode %04o in #%d", op.Path, op.Mode, op.Slot)
	case launch.Mkfile:
		return fmt.Sprintf("make file %q mode %04o in #%d", op.Path, op.Mode, op.Slot)
	case launch.Symlink:
		return fmt.Sprintf("make link %q -> %q in #%d", op.Path, op.Arg, op.Slot)
	case launch.Subclone:
		return fmt.Sprintf("#%d = clone of %q in #%d%s", op.Slot, op.Path, op.Src, attr)
	case launch.SetAttr:
		return fmt.Sprintf("close #%d:%s", op.Slot, attr)
	case launch.Root:
		return fmt.Sprintf("make #%d the root; the old root is gone", op.Slot)
	case launch.Attach:
		guard := ""
		if op.Flags&launch.Guard != 0 {
			guard = ", restored if an outside change detaches it"
		}
		return fmt.Sprintf("attach #%d on %q%s", op.Slot, op.Path, guard)
	case launch.Landlock:
		return fmt.Sprintf("Landlock: rights %#x below %q", op.AttrSet, op.Path)
	}
	return fmt.Sprintf("operation %d", op.Code)
}

func attrString(attr uint64) string {
	out := ""
	for _, a := range [...]struct {
		bit  uint64
		name string
	}{{rdonly, "read-only"}, {nosuid, "nosuid"}, {nodev, "nodev"}, {noexec, "noexec"}} {
		if attr&a.bit != 0 {
			out += " " + a.name
		}
	}
	return out
}
