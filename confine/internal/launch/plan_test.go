package launch

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func sample() *Plan {
	return &Plan{
		Flags: LoopbackUp | GuardMounts, Namespaces: 0x7e020000, Slots: 3, UID: 1000, GID: 1000, LandlockFD: 5, TTYFD: -1, Cwd: "/work",
		Ops: []Op{
			{Code: Clone, Flags: Recursive | CheckIdentity, Slot: 0, Path: "/", DevMajor: 8, DevMinor: 1, Ino: 2, AttrSet: 1},
			{Code: Tmpfs, Slot: 1, Arg: "mode=0"}, {Code: Stage, Slot: 1}, {Code: Mkdir, Slot: 1, Path: "folder"},
			{Code: Symlink, Slot: 1, Path: "link", Arg: "target"}, {Code: Subclone, Slot: 2, Src: 1, Path: "folder"},
			{Code: Root, Slot: 0}, {Code: Attach, Slot: 2, Path: "/run"}, {Code: Landlock, Path: "/tmp", AttrSet: 7},
		},
		FDs: []FD{{0, 0}, {6, 3}}, Rlimits: []Rlimit{{7, 10, 20}}, Exe: []string{"/bin/true"}, Argv: []string{"true", ""},
		Env: []string{"A=1", "B=\xff"}, Seccomp: bytes.Repeat([]byte{6, 0, 0, 0, 0, 0, 255, 127}, 3),
	}
}

func TestSizesAreTheCompilers(t *testing.T) {
	want := [5]uint32{headerSize, opSize, fdSize, rlimitSize, messageSize}
	if got := cSizes(); got != want {
		t.Errorf("sizes in C %v, in Go %v", got, want)
	}
}

func TestEncodedPlanIsValid(t *testing.T) {
	block, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !valid(block) {
		t.Error("the launcher would refuse the plan")
	}
	for _, s := range []string{"/work", "folder", "target", "B=\xff"} {
		if !bytes.Contains(block, append([]byte(s), 0)) {
			t.Errorf("%q is not in the block", s)
		}
	}
}

// Each change makes the plan point outside itself, or leaves out what an
// operation needs.
func TestBrokenPlansAreRefused(t *testing.T) {
	block, err := sample().Encode()
	if err != nil {
		t.Fatal(err)
	}
	put := func(at int, v uint32) []byte {
		b := bytes.Clone(block)
		binary.NativeEndian.PutUint32(b[at:], v)
		return b
	}
	ops := int(binary.NativeEndian.Uint32(block[48:]))
	cases := map[string][]byte{
		"empty": nil, "short": block[:headerSize-1], "cut": block[:len(block)-1], "longer": append(bytes.Clone(block), 0),
		"magic": put(0, 1), "version": put(4, 2), "total": put(8, uint32(len(block))+8), "slots": put(20, 1<<20),
		"cwd outside": put(40, uint32(len(block))), "cwd absent": put(40, none), "cwd in the header": put(40, 4),
		"ops outside": put(48, uint32(len(block))-8), "ops misaligned": put(48, uint32(ops)+4), "too many ops": put(52, 1<<30),
		"fds outside": put(60, 1<<29), "no exe": put(76, 0), "no argv": put(84, 0), "long filter": put(100, 5000),
		"op code": put(ops, 99), "op code 0": put(ops, 0), "slot": put(ops+8, 3), "slot absent": put(ops+8, NoSlot),
		"path outside": put(ops+16, uint32(len(block))), "path absent": put(ops+16, none), "arg absent": put(ops+opSize+20, none),
		"source": put(ops+5*opSize+12, 3), "source absent": put(ops+5*opSize+12, NoSlot),
		"no final NUL": append(bytes.Clone(block[:len(block)-1]), 'x'),
	}
	for name, b := range cases {
		if valid(b) {
			t.Errorf("%s: the launcher would obey", name)
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	nul := sample()
	nul.Argv = []string{"a\x00b"}
	if _, err := nul.Encode(); err == nil {
		t.Error("a string with NUL was encoded")
	}
	odd := sample()
	odd.Seccomp = odd.Seccomp[:9]
	if _, err := odd.Encode(); err == nil {
		t.Error("half an instruction was encoded")
	}
}

func TestMessages(t *testing.T) {
	m := Message{Kind: Signal, A: 15, B: 1}
	got, err := decodeMessage(m.encode())
	if err != nil || got != m {
		t.Errorf("got %+v, %v; want %+v", got, err, m)
	}
	if _, err := decodeMessage(make([]byte, messageSize-1)); err == nil {
		t.Error("a short message was read")
	}
}

// Whatever the block: the check ends, and reads nothing outside (the address
// sanitizer or a fault would tell).
func FuzzPlan(f *testing.F) {
	block, err := sample().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(block)
	f.Add(block[:headerSize])
	f.Fuzz(func(t *testing.T, b []byte) {
		if valid(b) && (len(b) < headerSize || b[len(b)-1] != 0) {
			t.Error("accepted a plan without a header or an end")
		}
	})
}
