//go:build linux

package seccomp

import (
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name    string
		profile Profile
		want    []string // parts of the error; none: valid
	}{
		{"zero", Profile{}, nil},
		{"preset", Profile{Preset: PresetStrict}, nil},
		{"name of another architecture", Profile{Allow: []string{"open"}, Deny: []string{"renameat"}}, nil},
		{"unknown preset", Profile{Preset: "lax"}, []string{`"lax"`, `"default"`, `"strict"`}},
		{"misspelt", Profile{Deny: []string{"ptarce"}}, []string{`"ptarce"`, `"ptrace"`}},
		{"misspelt in both", Profile{Allow: []string{"io_urng_setup"}, Deny: []string{"mout"}}, []string{`"io_uring_setup"`, `"mount"`}},
		{"both", Profile{Allow: []string{"ptrace"}, Deny: []string{"ptrace"}}, []string{`"ptrace" is both`}},
		{"no exec", Profile{Deny: []string{"execve"}}, []string{`"execve"`}},
		{"group", Profile{Close: []Group{"disk"}}, []string{`"disk"`}},
		{"allow against group", Profile{Allow: []string{"chmod"}, Close: []Group{CloseMetadata}}, []string{`"chmod"`, `"metadata"`}},
		{"allow against group's check", Profile{Allow: []string{"socket"}, Close: []Group{CloseInet}}, []string{`"socket"`, `"inet"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.profile.Validate()
			if (err == nil) != (test.want == nil) {
				t.Fatalf("error %v, want %q", err, test.want)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}

func TestExplain(t *testing.T) {
	rows, err := Explain(Profile{Close: []Group{CloseMetadata}}, "amd64")
	if err != nil {
		t.Fatal(err)
	}
	has := func(call, when, result string) bool {
		for _, r := range rows {
			if r.Call == call && strings.Contains(r.When, when) && r.Result == result && r.Why != "" {
				return true
			}
		}
		return false
	}
	for _, want := range []Row{
		{"", "x32", "SIGSYS", ""}, {"", "unknown", "ENOSYS", ""}, {"ioctl", "TIOCSTI", "EPERM", ""}, {"chmod", "", "EPERM", ""},
		{"clone3", "", "ENOSYS", ""}, {"socket", "NETLINK", "EPROTONOSUPPORT", ""}, {"bpf", "", "EPERM", ""},
	} {
		if !has(want.Call, want.When, want.Result) {
			t.Errorf("no row like %+v", want)
		}
	}
	for _, r := range rows {
		if r.Call == "read" || r.Call == "mseal" {
			t.Errorf("allowed call listed: %+v", r)
		}
	}
}
