package classify

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// TestDecidingText: the offsets of the deciding part say which text to underline.
func TestDecidingText(t *testing.T) {
	lines := []struct{ line, want string }{
		{"echo hi && rm -rf /etc", "rm -rf /etc"},
		{"echo hi\n  sudo ls -l\necho", "sudo ls -l"},
		{"bash -c 'echo hi && rm -rf /etc; ls'", "rm -rf /etc"},
		{`bash -c "echo hi && rm -rf /etc"`, "rm -rf /etc"},
		{`bash -c "echo \"hi\" && rm -rf /etc"`, `"echo \"hi\" && rm -rf /etc"`}, // not there byte for byte: the whole word
		{"bash -c 'ls; bash -c \"cat /etc/shadow\"'", "cat /etc/shadow"},
		{"echo x > /etc/passwd", "> /etc/passwd"},
		{"ls | xargs -n1 rm -rf /etc", "rm -rf /etc"},
		{"timeout 5 rm -rf /etc", "rm -rf /etc"},
		{"if ls; then cat ~/.ssh/id_rsa; fi", "cat ~/.ssh/id_rsa"},
		{"echo $(reboot)", "reboot"},
		{"bash <<'E'\nls\nreboot now\nE", "reboot now"},
		{"find . -exec rm -rf /etc \\;", "-exec rm -rf /etc"},
		{"é=ü; reboot", "reboot"},
		{"ls; frob 'it'\\''s'", `frob 'it'\''s'`},
	}
	for _, test := range lines {
		v := Command(test.line)
		d := v.Parts[v.Deciding]
		if v.Text != test.line || v.Text[d.Start:d.End] != test.want {
			t.Errorf("%q: deciding text %q (%s), want %q", test.line, v.Text[d.Start:d.End], d.Reason, test.want)
		}
	}
	argvs := []struct {
		argv       []string
		text, want string
	}{
		{[]string{"rm", "-rf", "/etc"}, "rm -rf /etc", "rm -rf /etc"},
		{[]string{"bash", "-c", "echo hi && rm -rf /etc"}, "bash -c 'echo hi && rm -rf /etc'", "rm -rf /etc"},
		{[]string{"bash", "-c", "echo 'hi' && rm -rf /etc"}, `bash -c 'echo '\''hi'\'' && rm -rf /etc'`, `'echo '\''hi'\'' && rm -rf /etc'`},
		{[]string{"echo hi; reboot"}, "echo hi; reboot", "reboot"},
		{[]string{"echo", "a b", "&&", "reboot"}, "echo 'a b' && reboot", "reboot"},
		{[]string{"sudo", "-u", "x y", "rm", "-rf", "/etc"}, "sudo -u 'x y' rm -rf /etc", "rm -rf /etc"},
		{[]string{""}, "''", "''"},
	}
	for _, test := range argvs {
		v := Exec(test.argv)
		d := v.Parts[v.Deciding]
		if v.Text != test.text || v.Text[d.Start:d.End] != test.want {
			t.Errorf("%q: text %q, deciding %q, want %q, %q", test.argv, v.Text, v.Text[d.Start:d.End], test.text, test.want)
		}
	}
}

func TestParts(t *testing.T) {
	v := Command("cd /tmp && sudo rm -f \"$X\" 2>/dev/null | tee log")
	var got [][]string
	for _, p := range v.Parts {
		got = append(got, append([]string{p.Program, string(p.Capability)}, p.Argv...))
	}
	want := [][]string{
		{"cd", "observe", "cd", "/tmp"},
		{"sudo", "privilege", "sudo", "rm", "-f", "$X"},
		{"rm", "modify", "rm", "-f", "$X"},
		{"tee", "modify", "tee", "log"},
	}
	if !reflect.DeepEqual(got, want) || v.Deciding != 1 {
		t.Errorf("parts %q, deciding %d", got, v.Deciding)
	}
}

func TestReasons(t *testing.T) {
	tests := []struct{ line, want string }{
		{"systemctl restart nginx", "systemctl restart controls services or processes"},
		{"sed -i s/a/b/ f", "sed -i edits files in place"},
		{"git push --force", "git push --force overwrites or removes references of the remote"},
		{"cat ~/.ssh/id_rsa", `cat is given "~/.ssh/id_rsa", which holds credentials`},
		{"rm -rf /etc", `rm overwrites or removes "/etc", which the system or a home depends on`},
		{"frob", `"frob" is not a known program`},
		{"git frob", `"git frob" is not a known sub-command`},
		{"./ls", `"./ls" is not in a system folder, so it may be anything`},
		{"echo x > out", `the redirection > writes to "out"`},
		{"frob\x1b[31m", `"frob?[31m" is not a known program`},
		{"> \xff", `the redirection > writes to "?"`},
	}
	for _, test := range tests {
		if v := Command(test.line); v.Reason != test.want {
			t.Errorf("%q: %q, want %q", test.line, v.Reason, test.want)
		}
	}
}

func TestVerdictJSON(t *testing.T) {
	b, err := json.Marshal(Exec([]string{"systemctl", "restart", "nginx"}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"capability":"service-control","outcome":"ask-approval","program":"systemctl","reason":"systemctl restart controls services or processes",` +
		`"text":"systemctl restart nginx","parts":[{"capability":"service-control","outcome":"ask-approval","program":"systemctl",` +
		`"reason":"systemctl restart controls services or processes","argv":["systemctl","restart","nginx"],"start":0,"end":23}],"deciding":0}`
	if string(b) != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	if b, _ = json.Marshal(Exec(nil)); !strings.Contains(string(b), `"argv":[]`) {
		t.Errorf("a part without words is %s", b)
	}
}

func TestOrders(t *testing.T) {
	last := Capability("")
	for _, c := range Capabilities() {
		if c.rank() <= last.rank() || defaultDecision(c).Compare(defaultDecision(last)) < 0 && last != "" {
			t.Errorf("%s is not above %s", c, last)
		}
		last = c
	}
	for _, d := range []Decision{"", "maybe"} {
		if d.Valid() || d.Compare(Deny) <= 0 {
			t.Errorf("the decision %q is not stricter than deny", d)
		}
	}
}

// TestPure: the package reads nothing of the world, because nothing it imports could.
func TestPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	allowed := "bytes cmp embed encoding/json errors fmt iter maps math path regexp slices sort strconv strings sync unicode unicode/utf8 mvdan.cc/sh/v3/syntax "
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if p, _ := strconv.Unquote(i.Path.Value); !strings.Contains(allowed, p+" ") {
				t.Errorf("%s imports %s", name, p)
			}
		}
	}
}
