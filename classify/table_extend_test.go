package classify

import (
	"strings"
	"testing"
)

func builtin(t *testing.T) *Table {
	t.Helper()
	table, err := DefaultTable()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestExtend(t *testing.T) {
	ext, err := ParseExtension([]byte(`{
		"commands": {"mytool": "use", "mytool deploy": "service-control", "mytool deploy --force": "critical", "mytool status": "observe",
			"git push": "use", "git frob": "observe", "make deploy": "critical", "rm": "privilege", "aws sts get-caller-identity": "observe",
			"kubectl get secret": "observe", "rm keep": "observe"},
		"rules": ["program other observe", "  opt -o write", "  sub zap critical \"removes it all\"", "  sub *", "credential *.vlt", "variable opaque MYLIB"],
		"outcomes": {"modify": "allow-scoped", "privilege": "deny", "use": "allow"},
		"override": ["aws sts get-caller-identity", "kubectl get secret"]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	table, err := builtin(t).Extend(ext)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		line string
		cap  Capability
		dec  Decision
	}{
		{"mytool", Use, Allow}, {"mytool status", Observe, Allow}, {"mytool deploy x", ServiceControl, AskApproval}, {"mytool deploy --force", Critical, Deny},
		{"mytool frob", Unknown, AskApproval}, {"mytool status ~/.ssh/id_rsa", Credential, Deny}, {"git push", Use, Allow}, {"git push --force", Modify, AllowScoped},
		{"git frob", Observe, Allow}, {"git frobnicate", Unknown, AskApproval}, {"make deploy", Critical, Deny}, {"make test", Use, Allow}, {"rm f", Privilege, Deny},
		{"rm -rf /etc", Critical, Deny}, {"rm keep /etc", Critical, Deny}, {"aws sts get-caller-identity", Observe, Allow}, {"aws sts assume-role", Credential, Deny}, {"aws s3 ls", Credential, Deny},
		{"kubectl get secret", Observe, Allow}, {"kubectl get secrets", Credential, Deny}, {"other x", Observe, Allow}, {"other zap", Critical, Deny}, {"other -o f", Modify, AllowScoped},
		{"cat a.vlt", Credential, Deny}, {"MYLIB=x ls", Unknown, AskApproval}, {"touch f", Modify, AllowScoped}, {"bash -c 'mytool status && touch f'", Modify, AllowScoped},
	}
	for _, test := range tests {
		v := table.Command(test.line)
		if v.Capability != test.cap || v.Decision != test.dec {
			t.Errorf("%q is %s/%s (%s), want %s/%s", test.line, v.Capability, v.Decision, v.Reason, test.cap, test.dec)
		}
	}
	for _, line := range []string{"mytool", "other", "aws sts get-caller-identity", "cat a.vlt"} { // the table extended is as it was
		if before, after := Command(line), builtin(t).Command(line); before.Capability != after.Capability {
			t.Errorf("%q is now %s", line, after.Capability)
		}
	}
	if v := Command("mytool status"); v.Capability != Unknown {
		t.Errorf("the built-in table knows mytool: %s", v.Capability)
	}
}

func TestParseExtensionRefuses(t *testing.T) {
	for _, text := range []string{`{"comands": {}}`, `{} {}`, `[]`, `{"commands": {"x": 1}}`, ``} {
		if _, err := ParseExtension([]byte(text)); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}

func TestExtendRefuses(t *testing.T) {
	tests := []struct {
		name string
		ext  Extension
		want string
	}{
		{"lower credential", Extension{Commands: map[string]Capability{"aws": Use}}, `"aws": is credential and cannot become use`},
		{"lower credential below", Extension{Commands: map[string]Capability{"aws s3 ls": Observe}}, `"aws s3 ls": is credential`},
		{"lower critical", Extension{Commands: map[string]Capability{"reboot": Use}}, `"reboot": is critical`},
		{"lower critical sub-command", Extension{Commands: map[string]Capability{"systemctl poweroff": Use}}, "is critical"},
		{"lower an operand", Extension{Commands: map[string]Capability{"kubectl get secrets": Observe}}, "is credential"},
		{"lower a credential path", Extension{Commands: map[string]Capability{"cat .env": Observe}}, "is credential"},
		{"override of another name", Extension{Commands: map[string]Capability{"aws": Use}, Override: []string{"gcloud"}}, "is credential"},
		{"override of nothing", Extension{Override: []string{"aws"}}, `override: "aws" names nothing`},
		{"outcome of credential", Extension{Outcomes: map[Capability]Decision{Credential: AskApproval}}, `"credential": cannot become ask-approval`},
		{"outcome of critical", Extension{Outcomes: map[Capability]Decision{Critical: Allow}}, `"critical": cannot become allow`},
		{"unknown capability", Extension{Commands: map[string]Capability{"x": "harmless"}}, `unknown capability "harmless"`},
		{"unknown outcome", Extension{Outcomes: map[Capability]Decision{Use: "maybe"}}, `unknown outcome "maybe"`},
		{"unknown outcome capability", Extension{Outcomes: map[Capability]Decision{"uses": Allow}}, "unknown capability"},
		{"path as program", Extension{Commands: map[string]Capability{"/bin/x": Use}}, "separated by single spaces"},
		{"empty", Extension{Commands: map[string]Capability{"": Use}}, "separated by single spaces"},
		{"option in the middle", Extension{Commands: map[string]Capability{"x -f y": Use}}, `"-f" must be the last word`},
		{"replace a credential program", Extension{Rules: []string{"program aws use"}}, `"aws": is credential`},
		{"replace a program with credential in it", Extension{Rules: []string{"program gh observe"}}, `"gh": is credential`},
		{"replace a wrapper", Extension{Rules: []string{"program sudo observe"}}, `"sudo": is critical`},
		{"replace a shell", Extension{Rules: []string{"program bash observe"}}, `"bash": is critical`},
		{"drop a credential path", Extension{Rules: []string{"not-credential .env"}}, `"not-credential": is critical`},
		{"drop a critical path", Extension{Rules: []string{"not-critical /etc"}}, `"not-critical": is critical`},
		{"bad rule", Extension{Rules: []string{"program x observe", "  flag f modify"}}, "rules:2: option \"f\" does not begin with a dash"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			table, err := builtin(t).Extend(test.ext)
			if err == nil || table != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	_, err := builtin(t).Extend(Extension{Commands: map[string]Capability{"aws": Use, "reboot": Use}})
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("two problems give %v", err)
	}
}
