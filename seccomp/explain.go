//go:build linux

package seccomp

import (
	"strings"

	"golang.org/x/sys/unix"
)

// A Row says what a profile refuses.
type Row struct {
	Call   string `json:"call"`           // "" for every call
	When   string `json:"when,omitempty"` // the condition; "" is always
	Result string `json:"result"`         // an errno's name, or SIGSYS
	Why    string `json:"why"`
}

// Explain lists what the profile refuses on an architecture ("" is the one that runs): first what
// holds for every call, then the groups, the argument checks and the calls. What it does not list is allowed.
func Explain(p Profile, goarch string) ([]Row, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	a, err := archOf(goarch)
	if err != nil {
		return nil, err
	}
	foreign := "another architecture"
	if a.x32 {
		foreign = "another architecture or x32"
	}
	rows := []Row{
		{"", foreign, "SIGSYS", "its numbers mean other calls"},
		{"", "unknown number", "ENOSYS", "newer than this profile"},
	}
	for _, g := range p.Close {
		c, _ := g.closure()
		why := "group " + string(g) + ": " + c.why
		for _, name := range strings.Fields(c.calls) {
			if _, ok := a.number(name); ok {
				rows = append(rows, Row{name, "", unix.ErrnoName(unix.EPERM), why})
			}
		}
		for _, guard := range c.guards {
			if _, ok := a.number(guard.call); ok {
				rows = append(rows, Row{guard.call, guard.what, unix.ErrnoName(guard.errno), why})
			}
		}
	}
	closed := make(map[string]bool)
	for _, r := range rows {
		if r.When == "" {
			closed[r.Call] = true
		}
	}
	for _, g := range p.guards() {
		rows = append(rows, Row{g.call, g.what, unix.ErrnoName(g.errno), g.why})
	}
	for _, v := range p.verdicts(a) {
		if v.errno != 0 && !closed[v.name] {
			rows = append(rows, Row{v.name, "", unix.ErrnoName(v.errno), v.why})
		}
	}
	return rows, nil
}
