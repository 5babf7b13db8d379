//go:build linux

package seccomp

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// A guard refuses one call when all its conditions hold, and otherwise decides nothing: a guard
// never allows.
type guard struct {
	call  string
	when  []cond
	errno syscall.Errno
	what  string // the conditions, in words
	why   string
}

// A cond compares the low 32 bits of an argument, masked if mask is not 0, with a set of values. The kernel
// drops the high half of each argument that guards look at; a filter that compares 64 bits is evaded by
// setting a bit there (CVE-2019-7303), or refuses the sign-extended values of some C libraries.
type cond struct {
	arg    uint32
	mask   uint32
	negate bool // the value is none of values
	values []uint32
}

func in(arg uint32, values ...uint32) cond    { return cond{arg: arg, values: values} }
func notIn(arg uint32, values ...uint32) cond { return cond{arg: arg, negate: true, values: values} }
func anyBit(arg, mask uint32) cond {
	return cond{arg: arg, mask: mask, negate: true, values: []uint32{0}}
}

const (
	namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
		unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

	addrNoRandomize = 0x40000
	uname26         = 0x20000
	perLinux32      = 0x8
	perQuery        = 0xffffffff
)

// presetGuards are the argument checks of every preset.
func presetGuards() []guard {
	return []guard{
		{"ioctl", []cond{in(1, unix.TIOCSTI, unix.TIOCLINUX)}, unix.EPERM, "TIOCSTI, TIOCLINUX",
			"types into the terminal, for the shell outside to read"},
		{"clone", []cond{anyBit(0, namespaceFlags)}, unix.EPERM, "a namespace flag",
			"a new user namespace brings back every capability"},
		// For clone, the bit of CLONE_NEWTIME belongs to the exit signal.
		{"unshare", []cond{anyBit(0, namespaceFlags|unix.CLONE_NEWTIME)}, unix.EPERM, "a namespace flag",
			"a new user namespace brings back every capability"},
		{"personality", []cond{notIn(0, 0, perLinux32, uname26, uname26|perLinux32, addrNoRandomize, perQuery)}, unix.EPERM,
			"other than LINUX, LINUX32, UNAME26, ADDR_NO_RANDOMIZE and the query", "old ABIs weaken memory protection"},

		// The errno of a kernel built without the family or protocol: programs know it, and go on without.
		{"socket", []cond{notIn(0, unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK)}, unix.EAFNOSUPPORT,
			"family other than UNIX, INET, INET6, NETLINK", "vsock reaches the host whatever the network namespace; the others are rarely used kernel code"},
		{"socket", []cond{in(0, unix.AF_NETLINK), notIn(2, unix.NETLINK_ROUTE)}, unix.EPROTONOSUPPORT,
			"NETLINK protocol other than ROUTE", "talks to audit, netfilter, crypto and other kernel subsystems"},
		// Landlock's TCP rules and most firewalls see neither MPTCP nor SMC, which carry TCP.
		{"socket", []cond{in(0, unix.AF_INET, unix.AF_INET6), notIn(2, unix.IPPROTO_IP, unix.IPPROTO_ICMP,
			unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMPV6, unix.IPPROTO_RAW)}, unix.EPROTONOSUPPORT,
			"INET protocol other than TCP, UDP, ICMP, ICMPV6, RAW", "MPTCP and SMC evade rules about TCP; the others are rarely used kernel code"},
		{"socketpair", []cond{notIn(0, unix.AF_UNIX)}, unix.EAFNOSUPPORT,
			"family other than UNIX", "a second way to a socket of that family"},
	}
}

// assemble returns the guard's instructions. A holds the call's number before and after.
func (g guard) assemble(nr int) []unix.SockFilter {
	var body []unix.SockFilter
	var missTrue, missFalse []int // branches that leave, since a condition does not hold
	for _, c := range g.when {
		body = append(body, load(offArgs+8*c.arg))
		if c.mask != 0 {
			body = append(body, and(c.mask))
		}
		for i, v := range c.values {
			rest := len(c.values) - 1 - i
			switch at := len(body); {
			case c.negate:
				missTrue = append(missTrue, at)
			case rest == 0:
				missFalse = append(missFalse, at)
			}
			jump := jumpEqual(v, 0, 0)
			if !c.negate {
				jump.Jt = uint8(rest)
			}
			body = append(body, jump)
		}
	}
	body = append(body, ret(action(g.errno)))
	end := len(body)
	body = append(body, load(offNumber))
	for _, at := range missTrue {
		body[at].Jt = uint8(end - at - 1)
	}
	for _, at := range missFalse {
		body[at].Jf = uint8(end - at - 1)
	}
	return append([]unix.SockFilter{jumpEqual(uint32(nr), 0, uint8(len(body)))}, body...)
}
