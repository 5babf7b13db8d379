package confine_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

func TestSuperviseExitCodes(t *testing.T) {
	for _, c := range []struct {
		script  string
		code    int
		outcome string
	}{
		{"exit 0", 0, "success"}, {"exit 1", 1, "failed"}, {"exit 2", 2, "failed"}, {"exit 77", 77, "failed"},
		{"exit 124", 124, "failed"}, {"exit 125", 125, "failed"}, {"exit 126", 126, "failed"}, {"exit 127", 127, "failed"},
		{"exit 128", 128, "failed"}, {"exit 255", 255, "failed"},
		{"kill -TERM $$", 143, "signaled"}, {"kill -KILL $$", 137, "signaled"}, {"kill -SEGV $$", 139, "signaled"},
		{"kill -HUP $$", 129, "signaled"}, {"kill -USR1 $$", 138, "signaled"}, {"kill -PIPE $$", 141, "signaled"},
		{"echo x > /etc/confinetest", 2, "denied"},
	} {
		cmd := sh(t, c.script)
		report := run(t, cmd, 10*time.Second)
		if report.ExitCode != c.code || string(report.Outcome) != c.outcome {
			t.Errorf("%q: exit code %d, outcome %s (%s), expected %d, %s", c.script, report.ExitCode, report.Outcome, report.Reason, c.code, c.outcome)
		}
	}
}

// What is no program, and where a program is looked for.
func TestSuperviseProgramLookup(t *testing.T) {
	ws := confinetest.Dir(t)
	confinetest.WriteTree(t, ws, map[string]string{
		"plain": "not a program\n", "empty": "", "prog": "#!/bin/sh\nexit 5\n", "lost": "#!/nonexistent/interpreter\n", "bare": "exit 6\n",
		"dir/": "", "bin1/tool": "no mode\n", "bin2/tool": "#!/bin/sh\nexit 7\n", "hidden/tool": "#!/bin/sh\nexit 8\n", "link": "-> bin2/tool", "file": "x",
		"sub/deep/er/tool": "#!/bin/sh\nexit 9\n",
	})
	for _, name := range []string{"empty", "prog", "lost", "bare", "bin2/tool", "hidden/tool", "sub/deep/er/tool"} {
		if err := os.Chmod(ws+"/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := func(dirs ...string) string { return strings.Join(dirs, ":") }
	for _, c := range []struct {
		name, path string
		code       int
		errno      error
	}{
		{"./prog", "", 5, nil},
		{ws + "/prog", "", 5, nil},
		{"dir/../prog", "", 5, nil},
		{"./link", "", 7, nil},
		{"prog", "", 127, unix.ENOENT}, // not in PATH
		{"prog", ".", 5, nil},
		{"prog", path("", "/bin"), 5, nil}, // an empty element is the working directory
		{"tool", path(ws+"/nothing", ws+"/file", ws+"/bin1", ws+"/bin2"), 7, nil},
		{"tool", path(ws+"/hidden", ws+"/bin2"), 7, nil},
		{"tool", path(ws + "/bin1"), 126, unix.EACCES},
		{"tool", path(ws + "/hidden"), 126, unix.EACCES},
		{"er/tool", path(ws + "/sub/deep"), 127, unix.ENOENT}, // a slash means no look-up
		{"tool", path("sub/deep/er"), 9, nil},
		{"./plain", "", 126, unix.EACCES},
		{"./empty", "", 126, unix.ENOEXEC},
		{"./bare", "", 126, unix.ENOEXEC},
		{"./lost", "", 127, unix.ENOENT},
		{"./dir", "", 126, unix.EACCES},
		{"./file/x", "", 127, unix.ENOENT},
		{"confinetest-no-such-program", "/bin", 127, unix.ENOENT},
	} {
		d := policy.Defaults{Mode: policy.ReadOnly, Entries: []policy.Entry{{Path: ws + "/hidden", Access: policy.Deny}}}
		if c.path != "" {
			d.Env.Set = map[string]string{"PATH": c.path}
		}
		report, err := confine.Command(confinetest.Resolve(t, d, ws), c.name).Run()
		if report.ExitCode != c.code {
			t.Errorf("%q in PATH %q: exit code %d (%v), expected %d", c.name, c.path, report.ExitCode, err, c.code)
		}
		if c.errno == nil && err != nil || c.errno != nil && !errors.Is(err, c.errno) {
			t.Errorf("%q in PATH %q: %v, expected %v", c.name, c.path, err, c.errno)
		}
		if err != nil && (report.Outcome != "not-started" || report.Hint == "" && !strings.Contains(c.name, "/")) {
			t.Errorf("%q: outcome %s, hint %q", c.name, report.Outcome, report.Hint)
		}
	}
}

func TestSuperviseArguments(t *testing.T) {
	c := sh(t, "")
	c.Args = append(c.Args, strings.Repeat("x", 3<<20))
	report, err := c.Run()
	if !errors.Is(err, unix.E2BIG) || report.Outcome != "not-started" {
		t.Errorf("an argument of 3 MiB: %v, outcome %s", err, report.Outcome)
	}
	c = sh(t, `printf '%s|' "$0" "$@"`)
	odd := []string{"", " ", "new\nline", "\xff\xfe", "'\"$(x)`", strings.Repeat("y", 100000)}
	c.Args = append(c.Args, append([]string{"zero"}, odd...)...)
	out, _, err := c.Output()
	if want := "zero|" + strings.Join(odd, "|") + "|"; err != nil || string(out) != want {
		t.Errorf("arguments changed: %.200q, %v", out, err)
	}
}
