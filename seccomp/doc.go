// Package seccomp turns a named profile into a classic BPF program for seccomp(2).
//
// # Model
//
// A program decides each system call by its number and by the low 32 bits of some arguments:
//
//	foreign architecture, x32      the process is killed by SIGSYS
//	argument refused by a check    the errno of the check
//	number known and allowed       allowed
//	number known and closed        EPERM, or ENOSYS where programs then fall back
//	number unknown                 ENOSYS, as on a kernel that is too old for the call
//
// The allowed calls are those of Docker's default profile for a container without
// capabilities, minus and plus the calls in rules.go, which gives a reason for each.
// [Explain] prints the result.
//
// A program has two parts. The second is made by libseccomp and decides by number. The first is
// a short prefix with the argument checks, which only refuse: the kernel truncates the arguments in
// question (an ioctl command, clone flags, a socket family) to 32 bits, and libseccomp has no
// comparison for "these 32 bits are none of". It also decides the few calls that are newer than
// libseccomp.
//
// # Cost
//
// The programs of the presets are generated data ([Default], [Program]); using them calls neither
// libseccomp nor cgo. Only a profile with its own Allow or Deny list is compiled by [Compile]. Since Linux
// 5.11 the kernel does not run the program at all for a call that it allows whatever the arguments.
//
//	prog, err := seccomp.Program(seccomp.Profile{})
//	// load prog after PR_SET_NO_NEW_PRIVS, as the last step before execve
//
// # Limits
//
// A filter sees numbers and register values, never memory: it cannot tell one path or address from
// another. It does not replace mounts, Landlock or a network namespace; it removes the kernel interfaces
// that those do not cover. It does not affect descriptors that are already open: a socket passed in
// works whatever its family. ptrace stays open, so that debuggers work; whom a process may
// trace is for the pid namespace or the Landlock domain to say.
//
// To regenerate the table of calls and the programs, with libseccomp's headers installed:
//
//	go generate ./seccomp
package seccomp

//go:generate go run ./internal/gen/table
//go:generate go run ./internal/gen/program
