//go:build linux

package seccomp

import (
	"encoding/binary"
	"syscall"

	"golang.org/x/sys/unix"
)

// Offsets into struct seccomp_data. Both supported architectures are little-endian, so the low
// half of an argument comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// The kernel refuses longer programs (BPF_MAXINSNS).
const maxInstructions = 4096

const instructionSize = 8

// An x32 call carries the architecture of x86_64 and this bit in its number.
const x32Bit = 0x40000000

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func and(mask uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask}
}

func jumpEqual(k uint32, jt, jf uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: k, Jt: jt, Jf: jf}
}

func jumpGreaterEqual(k uint32, jt, jf uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K, K: k, Jt: jt, Jf: jf}
}

func ret(action uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
}

// action is the filter's return value for an errno; 0 allows the call.
func action(e syscall.Errno) uint32 {
	if e == 0 {
		return unix.SECCOMP_RET_ALLOW
	}
	return unix.SECCOMP_RET_ERRNO | uint32(e)
}

// header checks the architecture, without which a number means nothing, and leaves the number in A.
// Number -1 is allowed: it is a call that a tracer has cancelled, and nothing runs.
func header(a arch) []unix.SockFilter {
	prog := []unix.SockFilter{
		load(offArch),
		jumpEqual(a.audit, 1, 0),
		ret(unix.SECCOMP_RET_KILL_PROCESS),
		load(offNumber),
		jumpEqual(0xffffffff, 0, 1),
		ret(unix.SECCOMP_RET_ALLOW),
	}
	if a.x32 {
		prog = append(prog, jumpGreaterEqual(x32Bit, 0, 1), ret(unix.SECCOMP_RET_KILL_PROCESS))
	}
	return prog
}

// decide answers for one number, which is in A.
func decide(nr int, e syscall.Errno) []unix.SockFilter {
	return []unix.SockFilter{jumpEqual(uint32(nr), 0, 1), ret(action(e))}
}

func encode(prog []unix.SockFilter) []byte {
	b := make([]byte, 0, len(prog)*instructionSize)
	for _, i := range prog {
		b = binary.LittleEndian.AppendUint16(b, i.Code)
		b = append(b, i.Jt, i.Jf)
		b = binary.LittleEndian.AppendUint32(b, i.K)
	}
	return b
}
