package confine

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// launchError turns the launcher's failure into an error that names the
// property that is missing, its cause on this host and the remedy.
func (r *run) launchError() error {
	if r.canceled != nil {
		return &LaunchError{Stage: "launch", Err: r.canceled}
	}
	if r.failure == nil && r.limit != "" {
		return &LaunchError{Stage: "launch", Err: errors.New("the time limit was reached before the command was started")}
	}
	if r.failure == nil {
		return &LaunchError{Stage: "launch", Err: errors.New("the launcher ended without a word; was it killed?")}
	}
	m := r.failure
	errno := unix.Errno(m.Errno)
	err := &LaunchError{Stage: m.Stage, Path: m.Path, Err: errno}
	switch m.Stage {
	case "execute":
		r.explainExec(err, errno)
	case "create namespaces", "map ids", "forbid user namespaces":
		return &UnavailableError{Backend: BackendNamespace, Missing: []Missing{userNamespaces(errno)}, Err: err}
	case "make file system":
		if m.Path == "proc" && errno == unix.EPERM {
			return &UnavailableError{Backend: BackendNamespace, Err: err, Missing: []Missing{{"private /proc",
				"the kernel refuses a fresh /proc because parts of the present one are covered, as container runtimes do",
				"run the container with an uncovered /proc (docker: --security-opt systempaths=unconfined)"}}}
		}
	case "clone mount", "attach mount":
		switch errno {
		case unix.EMFILE:
			err.Hint = "the policy needs a descriptor for each of its mounts; raise the hard limit of open files (ulimit -Hn), or use fewer entries"
		case unix.ESTALE, unix.ELOOP:
			err.Hint = "something replaced the path while the run was being set up; run again"
		case unix.ENOSYS:
			return &UnavailableError{Backend: BackendNamespace, Err: err, Missing: []Missing{{"mounts",
				"the kernel lacks the mount API of Linux 5.12, or a seccomp filter hides it", "use a newer kernel, or allow open_tree, move_mount, fsopen and mount_setattr"}}}
		}
	case "enforce Landlock ruleset":
		err.Hint = "16 Landlock layers are the kernel's limit; fewer sandboxes around this one"
	case "load seccomp filter":
		return &UnavailableError{Backend: BackendNamespace, Err: err, Missing: []Missing{{"system call filter",
			"the kernel refuses the seccomp filter: " + errno.Error(), "use a kernel built with CONFIG_SECCOMP_FILTER"}}}
	}
	return err
}

// explainExec says what the kernel's answer to execve leaves open: whether the
// sandbox hides the program.
func (r *run) explainExec(err *LaunchError, errno unix.Errno) {
	path := err.Path
	name := r.cmd.Args[0]
	if errno == unix.EACCES && !slices.ContainsFunc(r.programs, exists) {
		errno, err.Err = unix.ENOENT, unix.ENOENT // execvp(3) says so of a folder of PATH that may not be searched
	}
	judged, onHost := r.layers.Deciding(path), exists(path)
	switch {
	case (errno == unix.ENOENT || errno == unix.EACCES) && onHost && judged.Access == policy.Deny:
		err.Hint = "the program exists on the host and the " + judged.Origin.String() + " layer at " + judged.Path + " hides it; grant it with --read " + shellQuote(path)
	case errno == unix.ENOENT && onHost:
		err.Hint = "the program exists; the interpreter or loader that it names is missing inside"
	case errno == unix.ENOENT && !strings.Contains(name, "/"):
		err.Path = name
		err.Hint = "no folder of PATH inside has a program of this name"
	case errno == unix.ENOEXEC:
		err.Hint = "it is no program for this machine, or a script without #! line; run it with its interpreter"
	case errno == unix.EACCES:
		err.Hint = "check its mode (chmod +x) and that it is no folder"
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// userNamespaces finds out why user namespaces do not work here.
func userNamespaces(errno unix.Errno) Missing {
	m := Missing{Property: "user namespaces", Cause: "the kernel refuses to create them: " + errno.Error()}
	value := func(path string) string {
		b, err := os.ReadFile(path)
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(b))
	}
	status := strings.Split(value("/proc/self/status"), "\n")
	filtered := slices.ContainsFunc(status, func(l string) bool { return strings.HasPrefix(l, "Seccomp:") && strings.HasSuffix(l, "2") })
	switch {
	case value("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1" && errno != unix.ENOSPC:
		m.Cause = "AppArmor restricts unprivileged user namespaces on this host"
		m.Remedy = "load an AppArmor profile for the confine binary with the rule `userns,`"
	case value("/proc/sys/user/max_user_namespaces") == "0":
		m.Cause = "user.max_user_namespaces is 0 here (inside another sandbox this is deliberate)"
		m.Remedy = "run confine outside that sandbox, or have the administrator raise user.max_user_namespaces"
	case value("/proc/sys/kernel/unprivileged_userns_clone") == "0":
		m.Cause = "kernel.unprivileged_userns_clone is 0 here"
		m.Remedy = "have the administrator set kernel.unprivileged_userns_clone to 1"
	case filtered:
		m.Cause = "a seccomp filter around this process (a container's, or another sandbox's) refuses them"
		m.Remedy = "run the container with a seccomp profile that allows unshare, clone and mount"
	case errno == unix.ENOSYS || errno == unix.EINVAL:
		m.Cause = "this kernel was built without user namespaces"
		m.Remedy = "use a kernel built with CONFIG_USER_NS"
	default:
		m.Remedy = "see user_namespaces(7) for what can forbid them"
	}
	return m
}

// shellQuote quotes for a POSIX shell where that is needed.
func shellQuote(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:,@%=", r))
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
