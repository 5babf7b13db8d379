package confine_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"confine/confine/confinetest"
)

// Every escape works outside, is refused inside with an errno that a program
// understands, and changes nothing on the host.
func TestEscape(t *testing.T) {
	host := openHost(t)
	t.Run("acts", func(t *testing.T) {
		for _, e := range escapes {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				e.try(t, host)
			})
		}
	})
}

func (e escape) try(t *testing.T, host *hostTargets) {
	e.works(t, newScene(t, host))

	s := newScene(t, host)
	out, ws := confinetest.Take(t, s.out), confinetest.Take(t, s.ws)
	act := s.fill(e.act)
	got, report := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), act[0], act[1:]...)
	name := got.ErrnoName()
	if strings.HasPrefix(got.Err, "killed by SIGSYS") {
		name = "killed"
	}
	if got.Done() || !slices.Contains(strings.Fields(e.want), name) {
		t.Errorf("inside: %s, expected %s (outcome %s)", got, e.want, report.Outcome)
	}
	for _, line := range append(out.Diff(confinetest.Take(t, s.out)), ws.Diff(confinetest.Take(t, s.ws))...) {
		t.Errorf("the host changed: %s", line)
	}
}

// works is the positive control.
func (e escape) works(t *testing.T, s *scene) {
	t.Helper()
	act := e.outside
	if act == nil {
		act = e.act
	}
	act = s.fill(act)
	var got confinetest.Result
	switch e.control {
	case shown:
		if e.why == "" {
			t.Error("no control and no reason")
		}
		return
	case onlyRoot:
		if os.Geteuid() != 0 {
			return
		}
		got = confinetest.Unconfined(t, act[0], act[1:]...)
	case namespaceRoot:
		got = confinetest.AsNamespaceRoot(t, act[0], act[1:]...)
	default:
		got = confinetest.Unconfined(t, act[0], act[1:]...)
	}
	if !got.Done() {
		t.Errorf("outside, where it should work: %s", got)
	}
}
