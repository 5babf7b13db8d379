package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
)

// Sizes of plan.h's structures; a test holds them to the C compiler's.
const (
	headerSize = 12*4 + 7*8
	opSize     = 10*4 + 4*8
	fdSize     = 8
	rlimitSize = 24
	magic      = 0x6e6c7063
	version    = 1
	none       = ^uint32(0)
)

// Encode returns the wire form of the plan. It fails when a string holds NUL
// or the plan is larger than its 32-bit offsets can say.
func (p *Plan) Encode() ([]byte, error) {
	e := encoder{strings: map[string]uint32{}}
	fixed := headerSize + opSize*len(p.Ops) + fdSize*len(p.FDs) + rlimitSize*len(p.Rlimits) +
		4*(len(p.Exe)+len(p.Argv)+len(p.Env)) + len(p.Seccomp) + 64
	e.text = uint64(fixed)
	if fixed > math.MaxInt32 {
		return nil, errors.New("encode plan: too large")
	}
	if len(p.Seccomp)%8 != 0 {
		return nil, errors.New("encode plan: the seccomp program is no array of instructions")
	}
	e.buf = make([]byte, headerSize, fixed)

	ops := e.array(len(p.Ops), 8, func(i int) { e.op(&p.Ops[i]) })
	rlimits := e.array(len(p.Rlimits), 8, func(i int) {
		r := p.Rlimits[i]
		e.u32(r.Resource, 0)
		e.u64(r.Soft, r.Hard)
	})
	seccomp := e.array(len(p.Seccomp)/8, 8, func(i int) { e.buf = append(e.buf, p.Seccomp[8*i:8*i+8]...) })
	fds := e.array(len(p.FDs), 4, func(i int) { e.u32(uint32(p.FDs[i].Src), uint32(p.FDs[i].Dst)) })
	exe := e.stringArray(p.Exe)
	argv := e.stringArray(p.Argv)
	env := e.stringArray(p.Env)
	cwd := e.string(p.Cwd)

	for len(e.buf) < fixed {
		e.buf = append(e.buf, 0)
	}
	for _, s := range e.order {
		e.buf = append(append(e.buf, s...), 0)
	}
	if e.err == nil && len(e.buf) > math.MaxInt32 {
		e.err = errors.New("encode plan: too large")
	}
	if e.err != nil {
		return nil, e.err
	}
	header := encoder{buf: e.buf[:0]}
	header.u32(magic, version, uint32(len(e.buf)), p.Flags, p.Namespaces, p.Slots, p.UID, p.GID,
		uint32(p.LandlockFD), uint32(p.TTYFD), cwd, 0)
	for _, a := range [...][2]uint32{ops, fds, rlimits, exe, argv, env, seccomp} {
		header.u32(a[0], a[1])
	}
	return e.buf, nil
}

type encoder struct {
	buf     []byte
	strings map[string]uint32
	order   []string
	text    uint64 // offset of the next string
	err     error
}

func (e *encoder) u32(values ...uint32) {
	for _, v := range values {
		e.buf = binary.NativeEndian.AppendUint32(e.buf, v)
	}
}

func (e *encoder) u64(values ...uint64) {
	for _, v := range values {
		e.buf = binary.NativeEndian.AppendUint64(e.buf, v)
	}
}

// array aligns, appends n elements and returns their offset and number.
func (e *encoder) array(n, align int, put func(int)) [2]uint32 {
	for len(e.buf)%align != 0 {
		e.buf = append(e.buf, 0)
	}
	at := uint32(len(e.buf))
	for i := range n {
		put(i)
	}
	return [2]uint32{at, uint32(n)}
}

func (e *encoder) stringArray(list []string) [2]uint32 {
	return e.array(len(list), 4, func(i int) { e.u32(e.string(list[i])) })
}

// string returns the offset at which s will stand.
func (e *encoder) string(s string) uint32 {
	if off, ok := e.strings[s]; ok {
		return off
	}
	if strings.IndexByte(s, 0) >= 0 && e.err == nil {
		e.err = fmt.Errorf("encode plan: %q holds NUL", s)
	}
	if e.text > math.MaxInt32 {
		if e.err == nil {
			e.err = errors.New("encode plan: too large")
		}
		return none
	}
	off := uint32(e.text)
	e.strings[s] = off
	e.order = append(e.order, s)
	e.text += uint64(len(s)) + 1
	return off
}

func (e *encoder) op(o *Op) {
	path, arg := none, none
	switch o.Code {
	case Stage, SetAttr, Root:
	case Tmpfs:
		arg = e.string(o.Arg)
	case FS, Symlink:
		path, arg = e.string(o.Path), e.string(o.Arg)
	default:
		path = e.string(o.Path)
	}
	slot, src := o.Slot, o.Src
	if o.Code == Landlock {
		slot = NoSlot
	}
	if o.Code != Subclone {
		src = NoSlot
	}
	e.u32(uint32(o.Code), o.Flags, slot, src, path, arg, o.Mode, o.DevMajor, o.DevMinor, 0)
	e.u64(o.Ino, o.AttrSet, o.AttrClear, o.Propagation)
}
