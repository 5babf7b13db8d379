package classify

import (
	"strings"
	"testing"
	"time"
)

// FuzzCommand: no input makes the reader panic or hang, every verdict is consistent, and nothing that follows a command hides it.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{
		"ls", "echo hi && rm -rf /etc", `eval "$CMD"`, "if [ -f a ]; then npm test; fi", "cat <<E | sh\nx\nE", "f() { \"$@\"; }; f ls", "x=a; x+=$x$x; $x",
		"for i in {a..z}{1..9}; do echo $i; done", "find . -exec sh -c '{}' \\;", "awk '{print > \"x\"}' f", "sed 's/a/b/w x' f", "git -c core.pager='a b' log",
		"env -S 'a b' c", "((a))", "a[$(b)]=c", "echo ${x:-$(y)} `z`", "$'\\x41' <(b)", "coproc a { b; }", "case a in b) c;; esac", "select x in a; do b; done",
		"\xff\xfe", "a\x00b", "{a,b,{c,d}}", "psql -c 'select 1; drop table x'", "tar cf a b --checkpoint-action=exec=c", "x=$x$x;x=$x$x;$x",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v := Command(s)
		checkVerdict(t, v)
		if after := Command("rm -rf /etc\n" + s); after.Capability != Critical {
			t.Errorf("rm -rf /etc before %q is %s: %s", s, after.Capability, after.Reason)
		}
		if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") { // an option to bash
			s = " " + s
		}
		if inner := Exec([]string{"bash", "-c", s}); inner.Decision.Compare(v.Decision) < 0 && !strings.Contains(s, "((") {
			t.Errorf("bash -c %q is %s (%s), the script itself %s (%s)", s, inner.Decision, inner.Reason, v.Decision, v.Reason)
		}
		checkVerdict(t, Exec(strings.Split(s, " ")))
	})
}

// FuzzCompose: a command made of literal commands is never less strict than the strictest of them.
func FuzzCompose(f *testing.F) {
	f.Add([]byte{0, 1, 2}, uint8(0))
	f.Add([]byte{7, 7, 3, 9, 1}, uint8(3))
	f.Add([]byte{250, 4, 77, 31, 16, 5}, uint8(200))
	f.Fuzz(func(t *testing.T, picks []byte, wrap uint8) {
		if len(picks) == 0 || len(picks) > 12 {
			t.Skip()
		}
		line, worst := compose(picks, wrap)
		if v := Command(line); v.Decision.Compare(worst) < 0 {
			t.Errorf("%q is %s (%s), a part of it %s", line, v.Decision, v.Reason, worst)
		}
	})
}

func TestCompose(t *testing.T) {
	for i := range 2000 {
		picks := []byte{byte(i), byte(i * 7), byte(i / 3), byte(i * 13 >> 2), byte(i >> 4)}[:1+i%5]
		line, worst := compose(picks, byte(i*31))
		if v := Command(line); v.Decision.Compare(worst) < 0 {
			t.Fatalf("%q is %s (%s), a part of it %s", line, v.Decision, v.Reason, worst)
		}
	}
}

// compose joins literal commands by shell constructs that pick chooses, and tells the strictest decision of the commands.
func compose(picks []byte, wrap uint8) (string, Decision) {
	literals := []string{
		"ls -la", "echo hello", "npm test", "git status", "touch f", "rm -rf /etc", "cat ~/.ssh/id_rsa", "sudo true", "systemctl restart x", "apt install x",
		"frobnicate", "aws s3 ls", "reboot", "git push --force", "curl https://x", "sed -i s/a/b/ f",
	}
	joins := []string{" && ", " || ", "; ", "\n", " | ", " & "}
	wraps := []string{
		"%", "(%)", "{ %; }", "if true; then %; fi", "if %; then :; fi", "while false; do %; done", "for i in a b; do %; done", "f() { %; }; f", "! { %; }", "time { %; }",
		"case x in *) %;; esac", "echo $(%)", "bash -c '%'", "sh -ec '%'", "x=$(%)", "cat <(%)", "coproc { %; }", "until %; do :; done", "timeout 5 bash -c '%'", "env A=b sh -c '%'",
		"trap '%' EXIT", "eval '%'", "bash <<'E'\n%\nE", "sudo bash -c '%'", "ssh h '%'", "nohup sh -c '%' &", "alias a='%'", "[[ -f a ]] && { %; }",
	}
	worst := Allow
	var b strings.Builder
	for i, p := range picks {
		if i > 0 {
			b.WriteString(joins[int(p)/len(literals)%len(joins)])
		}
		part := literals[int(p)%len(literals)]
		if d := Command(part).Decision; d.Compare(worst) > 0 {
			worst = d
		}
		b.WriteString(part)
	}
	line := strings.ReplaceAll(wraps[int(wrap)%len(wraps)], "%", b.String())
	if wrap >= 128 && !strings.Contains(line, "'") {
		line = "bash -c '" + line + "'"
	}
	return line, worst
}

// TestBounded: inputs made to blow up end soon, and are not taken for harmless.
func TestBounded(t *testing.T) {
	full := maxScript - 4096
	fill := func(s string) string { return strings.Repeat(s, full/len(s)) }
	tests := []struct{ name, script string }{
		{"brackets", fill("(")}, {"substitutions", fill("$(")}, {"braces", fill("{ ")}, {"if", fill("if ")}, {"arithmetic", fill("$((")}, {"backquotes", fill("`")},
		{"time", fill("time ")}, {"coproc", fill("coproc ")}, {"subshells closed", fill("(#)\n(")}, {"double", "x=aaaaaaaa;" + fill("x=$x$x;") + "$x"}, {"append", "x=a;" + fill("x+=$x;") + "$x"},
		{"values", "x=a;x=b;x=c;x=d;x=e;x=f;" + fill("$x $x$x$x;")}, {"brace words", fill("{1..9}{1..9} ")}, {"brace nest", fill("{a,")}, {"separators", "foo " + fill(",")}, {"colons", "cat " + fill(":=@")},
		{"globs", "cat " + fill("[")}, {"stars", "cat " + fill("*")}, {"segments", "cat /" + fill("a/")}, {"dots", "rm /" + fill("../")}, {"awk", "awk '" + strings.Repeat("getline <", 7000) + "'"},
		{"sed", "sed '" + strings.Repeat("s/a/b/;", 9000) + "'"}, {"exec", "find . -name a " + strings.Repeat(`-exec {}{}{} \; `, 3000)}, {"exec words", "find " + strings.Repeat("a ", 20000) + " -exec " + strings.Repeat("{}", 9000) + ` \;`},
		{"xargs", "echo " + strings.Repeat("a ", 20000) + " | xargs -I{} echo " + strings.Repeat("{} ", 7000)}, {"bash -c", strings.Repeat("bash -c ", 8000) + "ls"}, {"sudo", strings.Repeat("sudo ", 12000) + "ls"},
		{"env", strings.Repeat("env ", 16000) + "ls"}, {"eval", strings.Repeat("eval ", 12000) + "frobnicate"}, {"pipes", strings.Repeat("ls|", 21000) + "frobnicate"}, {"long", strings.Repeat("ls;", 40000) + "foo"},
		{"here-documents", strings.Repeat("bash <<E\nfoo\nE\n", 4000)}, {"functions", fill("f(){ f; };") + "f"}, {"variables", fill("a=$b b=$a ")}, {"options", "git " + fill("--a ") + "x"}, {"abbreviations", "git log " + fill("--dat ") + "| foo"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			start := time.Now()
			v := Command(test.script)
			checkVerdict(t, v)
			if d := time.Since(start); d > 30*time.Second {
				t.Errorf("took %v", d)
			}
			if v.Decision == AllowScoped || v.Decision == Allow {
				switch test.name {
				case "stars", "segments", "colons", "globs", "awk", "env", "sed", "xargs", "time", "variables":
				default:
					t.Errorf("is %s: %s", v.Capability, v.Reason)
				}
			}
			t.Logf("%v %s %d parts: %s", time.Since(start), v.Capability, len(v.Parts), v.Reason)
		})
	}
}
