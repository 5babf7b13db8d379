package main

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"confine/confine"
)

// endLike ends this process group as the terminal would have, where the command
// died of the terminal's SIGINT or SIGQUIT: a shell script that runs confine is
// then interrupted too, as it would be without confine. It returns for every
// other end.
//
// The Go runtime keeps a handler of its own for SIGQUIT, which prints stacks, so
// the default action is restored by the system call.
func endLike(r *confine.Report) {
	sig := syscall.Signal(r.ExitCode - 128)
	if r.SignalName == "" || sig != syscall.SIGINT && sig != syscall.SIGQUIT {
		return
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // the core of interest is the command's
	var act [4]uint64                                             // struct kernel_sigaction: SIG_DFL, no flags, empty mask
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&act)), 0, 8, 0, 0)
	runtime.KeepAlive(&act)
	if errno == 0 && syscall.Kill(0, sig) == nil {
		time.Sleep(time.Second) // until it arrives; a group that ignores it goes on
	}
}
