//go:build linux && cgo

package seccomp

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	lib "github.com/seccomp/libseccomp-golang"
	"golang.org/x/sys/unix"
)

func compile(t *testing.T, p Profile, goarch string) []byte {
	t.Helper()
	prog, err := Compile(p, goarch)
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

func TestStoredProgramsAreFresh(t *testing.T) {
	// Another libseccomp may order a program otherwise; then the decisions are compared.
	major, minor, micro := lib.GetLibraryVersion()
	same := major == 2 && minor == 5 && micro == 4
	for _, goarch := range arches {
		for _, preset := range []string{PresetDefault, PresetStrict} {
			fresh, kept := compile(t, Profile{Preset: preset}, goarch), stored(t, goarch, preset+"Program")
			if same && !slices.Equal(fresh, kept) {
				t.Errorf("%s %s differs from a fresh compilation: run go generate ./seccomp", goarch, preset)
			}
			equivalent(t, goarch, fresh, kept)
			t.Logf("%s %s: %d instructions", goarch, preset, len(kept)/instructionSize)
		}
	}
}

// equivalent compares two programs on calls of every architecture with arguments that the checks look at.
func equivalent(t *testing.T, goarch string, one, other []byte) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 4))
	interesting := []uint64{0, 1, 2, 10, 16, 40, 256, 262, unix.TIOCSTI, unix.TIOCLINUX, unix.CLONE_NEWUSER, 0x40000, 0xffffffff}
	a, err := archOf(goarch)
	if err != nil {
		t.Fatal(err)
	}
	for range 20_000 {
		d := data{nr: random.Uint32N(600), arch: a.audit}
		switch random.IntN(20) {
		case 0:
			d.nr |= x32Bit
		case 1:
			d.arch = []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, random.Uint32()}[random.IntN(3)]
		case 2:
			d.nr = random.Uint32()
		}
		for i := range d.args {
			d.args[i] = interesting[random.IntN(len(interesting))] | random.Uint64()<<32*uint64(random.IntN(2))
		}
		if x, y := run(t, one, d), run(t, other, d); x != y {
			t.Fatalf("%s: %+v: %#x and %#x", goarch, d, x, y)
		}
	}
}

// The library's numbers agree with the headers wherever it knows the name, and it decides the same with the tree as
// without.
func TestOptimisationChangesNoDecision(t *testing.T) {
	for _, goarch := range arches {
		a, err := archOf(goarch)
		if err != nil {
			t.Fatal(err)
		}
		v := Profile{}.verdicts(a)
		var progs [2][]byte
		for i, level := range []int{1, optimizeTree} {
			if progs[i], _, err = compileNumbers(a, v, level); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %d and %d instructions", goarch, len(progs[0])/instructionSize, len(progs[1])/instructionSize)
		equivalent(t, goarch, progs[0], progs[1])
	}
}

func TestCompileLists(t *testing.T) {
	tests := []struct {
		name    string
		profile Profile
		call    string
		args    [6]uint64
		want    uint32
	}{
		{"deny", Profile{Deny: []string{"ptrace"}}, "ptrace", [6]uint64{}, refuse(unix.EPERM)},
		{"deny, newer than libseccomp", Profile{Deny: []string{"mseal"}}, "mseal", [6]uint64{}, refuse(unix.EPERM)},
		{"deny what is closed otherwise", Profile{Deny: []string{"io_uring_setup"}}, "io_uring_setup", [6]uint64{}, refuse(unix.ENOSYS)},
		{"deny what has checks", Profile{Deny: []string{"socket"}}, "socket", [6]uint64{unix.AF_INET}, refuse(unix.EPERM)},
		{"allow", Profile{Allow: []string{"bpf"}}, "bpf", [6]uint64{}, allow},
		{"allow, newer than libseccomp", Profile{Allow: []string{"statmount"}}, "statmount", [6]uint64{}, allow},
		{"allow drops the checks", Profile{Allow: []string{"clone"}}, "clone", [6]uint64{unix.CLONE_NEWUSER}, allow},
		{"allow keeps other checks", Profile{Allow: []string{"clone"}}, "unshare", [6]uint64{unix.CLONE_NEWUSER}, refuse(unix.EPERM)},
		{"strict", Profile{Preset: PresetStrict}, "ptrace", [6]uint64{}, refuse(unix.EPERM)},
		{"strict and allow", Profile{Preset: PresetStrict, Allow: []string{"ptrace"}}, "ptrace", [6]uint64{}, allow},
		{"close and deny", Profile{Deny: []string{"ptrace"}, Close: []Group{CloseInet}}, "socket", [6]uint64{unix.AF_INET}, refuse(unix.EPERM)},
	}
	for _, test := range tests {
		for _, goarch := range arches {
			t.Run(goarch+"/"+test.name, func(t *testing.T) {
				a, err := archOf(goarch)
				if err != nil {
					t.Fatal(err)
				}
				d := data{nr: lookup(t, goarch, test.call), arch: a.audit, args: test.args}
				if got := run(t, compile(t, test.profile, goarch), d); got != test.want {
					t.Errorf("%s%#x = %#x, want %#x", test.call, test.args, got, test.want)
				}
			})
		}
	}
}

func TestProgramEqualsCompile(t *testing.T) {
	for _, p := range []Profile{
		{Preset: PresetDefault}, {Preset: PresetStrict}, {Close: Groups()},
		{Preset: PresetStrict, Close: []Group{CloseMetadata}}, {Deny: []string{"ptrace"}, Close: []Group{CloseUnix}},
	} {
		prog, err := Program(p)
		if err != nil {
			t.Fatal(err)
		}
		equivalent(t, runtime.GOARCH, prog, compile(t, p, runtime.GOARCH))
	}
}

func TestArchitectureWithoutProgram(t *testing.T) {
	if _, err := Compile(Profile{}, "riscv64"); !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), `"riscv64"`) {
		t.Errorf("Compile for riscv64: %v", err)
	}
}
