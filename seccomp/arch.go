//go:build linux

package seccomp

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// A call is a system call that the kernel's headers know, with its number on each architecture
// (-1: it does not exist there).
type call struct {
	name         string
	amd64, arm64 int
	listed       bool // on the base list
}

type arch struct {
	name  string // as GOARCH
	audit uint32 // AUDIT_ARCH_*
	x32   bool
}

// archOf finds an architecture by its Go name; "" is the one that runs.
func archOf(name string) (arch, error) {
	if name == "" {
		name = runtime.GOARCH
	}
	switch name {
	case "amd64":
		return arch{name, unix.AUDIT_ARCH_X86_64, true}, nil
	case "arm64":
		return arch{name, unix.AUDIT_ARCH_AARCH64, false}, nil
	}
	return arch{}, fmt.Errorf("%w: architecture %q", ErrUnsupported, name)
}

func (a arch) numberOf(c call) (int, bool) {
	if a.name == "amd64" {
		return c.amd64, c.amd64 >= 0
	}
	return c.arm64, c.arm64 >= 0
}

func (a arch) number(name string) (int, bool) {
	for _, c := range calls {
		if c.name == name {
			return a.numberOf(c)
		}
	}
	return 0, false
}
