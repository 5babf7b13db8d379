//go:build linux

package main

import (
	"bytes"
	"os"
	"slices"
	"testing"

	docker "github.com/moby/profiles/seccomp"
	"github.com/opencontainers/runtime-spec/specs-go"
)

func TestStoredTableIsFresh(t *testing.T) {
	want, err := source()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../../calls.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("calls.go differs from what golang.org/x/sys and the base list say: run go generate ./seccomp")
	}
}

func TestAllowed(t *testing.T) {
	rule := func(in, out *docker.Filter, names ...string) *docker.Syscall {
		return &docker.Syscall{LinuxSyscall: specs.LinuxSyscall{Names: names, Action: specs.ActAllow}, Includes: in, Excludes: out}
	}
	profile := &docker.Seccomp{Syscalls: []*docker.Syscall{
		rule(nil, nil, "read", "write"),
		rule(&docker.Filter{Caps: []string{"CAP_SYS_ADMIN"}}, nil, "mount"),
		rule(&docker.Filter{Arches: []string{"arm64"}}, nil, "cacheflush"),
		rule(&docker.Filter{Arches: []string{"s390x"}}, nil, "s390_runtime_instr"),
		rule(nil, &docker.Filter{Caps: []string{"CAP_SYS_ADMIN"}}, "clone"),
		rule(nil, &docker.Filter{Arches: []string{"amd64"}}, "sysfs"),
		{LinuxSyscall: specs.LinuxSyscall{Names: []string{"clone3"}, Action: specs.ActErrno}},
	}}
	names, err := allowed(profile, "amd64", "arm64")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"read", "write", "cacheflush", "clone"} {
		if !names[name] {
			t.Errorf("%s is not allowed", name)
		}
		delete(names, name)
	}
	if len(names) > 0 {
		t.Errorf("also allowed: %v", names)
	}

	conditional := rule(nil, nil, "prctl")
	conditional.Args = []specs.LinuxSeccompArg{{Index: 0, Value: 1, Op: specs.OpEqualTo}}
	profile.Syscalls = slices.Concat(profile.Syscalls, []*docker.Syscall{conditional})
	if _, err := allowed(profile, "amd64"); err == nil {
		t.Error("a condition without argument checks was dropped")
	}
}
