package classify

// Judge answers from the policy of the run: the access in force at path ("deny", "read", "write") and the deciding layer in
// words. It resolves relative paths against the run's working directory itself; ok is false where it cannot say.
type Judge func(path string) (access, layer string, ok bool)

// Dialect is how one backend's refusals read in a command's stderr. The zero Dialect stands for no backend at all.
type Dialect struct {
	name        string
	judge       Judge
	mode, reach string
}

// Namespace is the dialect of the namespace backend under the given policy.
func Namespace(judge Judge, mode, reach string) Dialect {
	return Dialect{name: "namespace", judge: judge, mode: mode, reach: reach}
}

// Landlock is the dialect of the Landlock backend under the given policy.
func Landlock(judge Judge, mode, reach string) Dialect {
	return Dialect{name: "landlock", judge: judge, mode: mode, reach: reach}
}

// Bubblewrap is the dialect of a command wrapped in bwrap.
func Bubblewrap() Dialect { return Dialect{name: "bubblewrap"} }

// Landrun is the dialect of a command wrapped in landrun.
func Landrun() Dialect { return Dialect{name: "landrun"} }

// Seatbelt is the dialect of a command wrapped in sandbox-exec.
func Seatbelt() Dialect { return Dialect{name: "seatbelt"} }

// With returns d for a run under the given policy. Without it the foreign dialects judge no path and take the reach as unknown.
func (d Dialect) With(judge Judge, mode, reach string) Dialect {
	d.judge, d.mode, d.reach = judge, mode, reach
	return d
}
