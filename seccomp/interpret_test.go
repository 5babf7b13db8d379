//go:build linux

package seccomp

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/sys/unix"
)

// data is struct seccomp_data.
type data struct {
	nr   uint32
	arch uint32
	ip   uint64
	args [6]uint64
}

func (d data) bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, d.nr)
	b = binary.LittleEndian.AppendUint32(b, d.arch)
	b = binary.LittleEndian.AppendUint64(b, d.ip)
	for _, a := range d.args {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	return b
}

// interpret runs a classic BPF program as the kernel does. What the kernel's checker would reject is an error.
func interpret(prog []byte, d data) (uint32, error) {
	in, n := d.bytes(), len(prog)/instructionSize
	if len(prog)%instructionSize != 0 || n == 0 || n > maxInstructions {
		return 0, fmt.Errorf("program of %d bytes", len(prog))
	}
	var a uint32
	for pc := 0; pc < n; pc++ {
		p := prog[pc*instructionSize:]
		code, k := binary.LittleEndian.Uint16(p), binary.LittleEndian.Uint32(p[4:])
		jump := func(taken bool) {
			if taken {
				pc += int(p[2])
			} else {
				pc += int(p[3])
			}
		}
		switch code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			if k%4 != 0 || int(k)+4 > len(in) {
				return 0, fmt.Errorf("%d: load at %d", pc, k)
			}
			a = binary.LittleEndian.Uint32(in[k:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= k
		case unix.BPF_JMP | unix.BPF_JA:
			pc += int(k)
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(a == k)
		case unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K:
			jump(a > k)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(a >= k)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(a&k != 0)
		case unix.BPF_RET | unix.BPF_K:
			return k, nil
		default:
			return 0, fmt.Errorf("%d: instruction %#x", pc, code)
		}
	}
	return 0, fmt.Errorf("ran past the end")
}
