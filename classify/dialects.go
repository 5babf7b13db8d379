package classify

import "slices"

// Judge answers from the policy of the run: the access in force at path ("deny", "read", "write") and the deciding layer in
// words. It resolves relative paths against the run's working directory itself; ok is false where it cannot say.
type Judge func(path string) (access, layer string, ok bool)

// Dialect is how one backend's refusals read in the stderr of the command it confined: which errors it answers with, and
// against which policy a path in a line is judged. The zero Dialect stands for no backend; nothing is a denial then.
//
// Dialects are never united: an error that the backend in force does not produce is the command's own trouble.
type Dialect struct {
	name        string
	own         bool // one of our backends: remedies can be named
	judge       Judge
	mode, reach string
	direct      []string // errors that are signatures by themselves
	masked      []string // errors that are signatures only where the policy refuses a path of the line
	weakRead    bool     // EACCES and EPERM on a readable path fit the ordinary permissions as well
	sigsys      int
	runner      *wrapper
}

// Namespace is the dialect of the namespace backend. Mounts answer a write with EROFS, masks answer with EACCES, a mask or pin
// that is moved with EBUSY, the filter and the dropped capabilities with EPERM and ENOSYS. ENOENT and EXDEV (rename(2) compares
// the mounts before it asks whether they are writable) count only where the policy refuses a path of the line.
//
// judge may be nil. mode and reach are the words of the policy in force; under "danger-full-access" no backend is in force.
func Namespace(judge Judge, mode, reach string) Dialect {
	return Dialect{
		name: "namespace", own: true, sigsys: 31, weakRead: true,
		direct: []string{"EROFS", "EACCES", "EPERM", "EBUSY", "ENOSYS"},
		masked: []string{"ENOENT", "EXDEV", ""},
	}.With(judge, mode, reach)
}

// Landlock is the dialect of the Landlock backend: EACCES for every refused access, EXDEV where a file may not change its folder,
// EPERM and ENOSYS from the seccomp filter. A read-only file system is then the host's own.
func Landlock(judge Judge, mode, reach string) Dialect {
	return Dialect{
		name: "landlock", own: true, sigsys: 31,
		direct: []string{"EACCES", "EPERM", "EXDEV", "ENOSYS"},
		masked: []string{""},
	}.With(judge, mode, reach)
}

// Bubblewrap is the dialect of a command wrapped in bwrap.
func Bubblewrap() Dialect {
	return Dialect{
		name: "bubblewrap", sigsys: 31, weakRead: true,
		direct: []string{"EROFS", "EACCES", "EPERM", "EBUSY"},
		masked: []string{"ENOENT", "EXDEV", ""},
		runner: &wrapper{exits: []int{1}, fatal: []string{"bwrap: "}},
	}
}

// Landrun is the dialect of a command wrapped in landrun.
func Landrun() Dialect {
	return Dialect{
		name: "landrun", sigsys: 31,
		direct: []string{"EACCES", "EXDEV"},
		masked: []string{""},
		runner: &wrapper{
			exits: []int{1}, fatal: []string{"[landrun:error] "},
			info: []string{"[landrun] ", "[landrun:debug] "}, excluded: []string{"no rules provided"},
		},
	}
}

// Seatbelt is the dialect of a command wrapped in sandbox-exec, which refuses everything with EPERM.
func Seatbelt() Dialect {
	return Dialect{
		name: "seatbelt", sigsys: 12,
		direct: []string{"EPERM"},
		masked: []string{""},
		runner: &wrapper{exits: []int{64, 65, 71}, fatal: []string{"sandbox-exec: "}},
	}
}

// With returns d for a run under the given policy. Without it the foreign dialects judge no path and know of no narrowed reach,
// so they take no network error for a denial.
func (d Dialect) With(judge Judge, mode, reach string) Dialect {
	if mode == "danger-full-access" {
		return Dialect{}
	}
	d.judge, d.mode, d.reach = judge, mode, reach
	return d
}

// Name is the backend's name: "namespace", "landlock", "bubblewrap", "landrun", "seatbelt"; "" for no backend.
func (d Dialect) Name() string { return d.name }

// narrowed says whether the reach in force refuses any peer at all.
func (d Dialect) narrowed() bool { return d.reach == "deny" || d.reach == "loopback" }

// speaks says whether an error belongs to the dialect, and whether it needs a path that the policy refuses.
func (d Dialect) speaks(errno string) (needsRefusal, ok bool) {
	if slices.Contains(d.direct, errno) {
		return false, true
	}
	return true, slices.Contains(d.masked, errno)
}
