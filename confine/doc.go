// Package confine runs a command confined by a resolved policy and says
// truthfully what became of it.
//
//	pol, err := policy.Resolve(policy.Request{}, policy.Defaults{Mode: policy.ReadOnly}, confine.Host(), confine.FS())
//	…
//	report, err := confine.Command(pol, "make", "check").Run()
//
// # Model
//
// The supervisor (this process) compiles the policy's layers into a plan: mount
// operations, a Landlock ruleset, a seccomp program. The binary re-executes
// itself as the launcher, C code that obeys the plan in new namespaces and
// executes the command. A report says which of these happened: the command ran
// (success, failed, denied, limit, signaled), or nothing ran (not-started,
// refused).
//
// Run and Wait return an error only when nothing ran, always with a report that
// says the same. A command's own failure is no error of this package.
//
// # Limits
//
// The kernel is trusted. Masks hold against the confined command, not against
// other processes of the same user that change the tree at the same time.
// A hard link made before the run is a second name of the same file and is
// judged by its own path. Descriptors that the caller passes in keep their
// rights: whoever owns the file of a passed descriptor can change its mode and
// times through it, and on a kernel without Landlock open it again for writing.
// Reach deny and loopback cut off the network; allow-all does not
// filter anything.
//
// Programs that import this package link a C constructor (cgo); it returns at
// once unless the process was started as a launcher.
package confine
