//go:build linux && !cgo

package seccomp

import (
	"errors"
	"testing"
)

func TestListsNeedCgo(t *testing.T) {
	if _, err := Program(Profile{Deny: []string{"ptrace"}}); !errors.Is(err, ErrNoCgo) {
		t.Errorf("Program with a deny list: %v, want ErrNoCgo", err)
	}
	if prog, err := Program(Profile{Preset: PresetStrict, Close: Groups()}); err != nil || len(prog) == 0 {
		t.Errorf("Program without lists: %d bytes, %v", len(prog), err)
	}
}
