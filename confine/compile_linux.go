package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"confine/confine/internal/launch"
	"confine/policy"
	"confine/seccomp"
)

// compiled is a plan for the launcher and what it stands for.
type compiled struct {
	plan     *launch.Plan
	ruleset  *os.File // nil without Landlock
	enforced Enforced
	env      environment
	absent   []policy.Layer // carve-outs that do not exist yet
}

func (c *compiled) close() {
	if c.ruleset != nil {
		c.ruleset.Close()
	}
}

// compile turns a confining policy into a plan for the namespace backend. It
// fails closed: whatever the policy asks and the backend does not do is an error.
func compile(p policy.Policy, c *Cmd, runID string) (*compiled, error) {
	if err := p.Valid(); err != nil {
		return nil, err
	}
	if missing := unsupported(p); len(missing) > 0 {
		return nil, &UnavailableError{Backend: BackendNamespace, Missing: missing}
	}
	layers := policy.GrantLayers(p)
	cwd := c.Dir
	if cwd == "" {
		cwd = p.Cwd()
	}
	if err := checkCwd(layers, cwd); err != nil {
		return nil, err
	}
	var found objects
	defer found.close()
	mounts := mountCompiler{layers: layers, find: found.find, links: p.RuntimeLinks(), tmpSize: p.Limits().Tmp}
	ops, err := mounts.compile()
	if err != nil {
		return nil, err
	}
	abi := landlockABI()
	rules, later, err := ruleset(layers, found.hold, abi)
	if err != nil {
		return nil, err
	}
	filter, err := seccomp.Program(seccomp.Profile{Preset: p.Seccomp().Preset, Allow: p.Seccomp().Allow, Deny: p.Seccomp().Deny,
		Close: []seccomp.Group{seccomp.CloseInit}})
	if err != nil {
		return nil, err
	}
	env := environ(c.environ(), p.Env(), ownEnv(p, runID, cwd))
	exe, err := candidates(c.Args[0], cwd, env.get("PATH"))
	if err != nil {
		return nil, err
	}
	plan := &launch.Plan{
		Flags: launch.NoUserNamespaces,
		Namespaces: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC |
			unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		Slots: mounts.slots, UID: uint32(os.Geteuid()), GID: uint32(os.Getegid()), LandlockFD: -1, TTYFD: -1,
		Cwd: cwd, Ops: append(ops, later...), Exe: exe, Argv: c.Args, Env: env.Vars, Seccomp: filter,
	}
	switch p.Network() {
	case policy.ReachDeny:
		plan.Namespaces |= unix.CLONE_NEWNET
	case policy.ReachLoopback:
		plan.Namespaces |= unix.CLONE_NEWNET
		plan.Flags |= launch.LoopbackUp
	}
	if mounts.guards {
		plan.Flags |= launch.GuardMounts
	}
	if c.Linger {
		plan.Flags |= launch.Linger
	}
	return &compiled{plan: plan, ruleset: rules, env: env, absent: mounts.absent, enforced: enforcedByNamespace(p, abi)}, nil
}

// unsupported lists what the policy asks and no code here enforces.
func unsupported(p policy.Policy) []Missing {
	var missing []Missing
	lim := p.Limits()
	for _, l := range []struct {
		name  string
		asked bool
	}{
		{"CPU limit", lim.CPU != 0}, {"memory limit", lim.Memory != 0}, {"process limit", lim.Processes != 0},
		{"file size limit", lim.FileSize != 0}, {"open files limit", lim.OpenFiles != 0}, {"output limit", lim.Output != 0},
	} {
		if l.asked {
			missing = append(missing, Missing{l.name, "this version enforces the wall clock and tmp size limits only", "drop the limit, or set it with ulimit or systemd-run around confine"})
		}
	}
	if p.Absent() == policy.AbsentReserve {
		missing = append(missing, Missing{"absent: reserve", "this version watches absent paths and never creates placeholders", `use "absent": "watch"`})
	}
	return missing
}

func checkCwd(layers policy.Layers, cwd string) error {
	l := layers.Deciding(cwd)
	if cwd == "/" {
		return nil // a denied root can be entered, not listed
	}
	if l.Access == policy.Deny {
		return &LaunchError{Stage: "enter working directory", Path: cwd, Err: fmt.Errorf("denied by the %s layer at %q", l.Origin, l.Path),
			Hint: fmt.Sprintf("grant it with --read %s, or start elsewhere with --cwd /", shellQuote(cwd))}
	}
	if l.Private && !policy.Contains("/dev", cwd) && !policy.Contains("/proc", cwd) && cwd != l.Path {
		return &LaunchError{Stage: "enter working directory", Path: cwd, Err: fmt.Errorf("%q is a private empty folder inside: %w", l.Path, unix.ENOENT),
			Hint: fmt.Sprintf("grant it with --read %s, or use --tmp none", shellQuote(cwd))}
	}
	return nil
}

// candidates lists where a program may be, in the order of execvp(3).
func candidates(name, cwd, path string) ([]string, error) {
	if name == "" {
		return nil, &LaunchError{Stage: "execute", Err: errors.New("the command's name is empty")}
	}
	if strings.ContainsRune(name, '/') {
		if !filepath.IsAbs(name) {
			name = cwd + "/" + name // not Join: "link/../x" means what the kernel makes of it
		}
		return []string{name}, nil
	}
	var list []string
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			dir = "."
		}
		if !filepath.IsAbs(dir) {
			dir = cwd + "/" + dir
		}
		list = append(list, dir+"/"+name)
	}
	return list, nil
}
