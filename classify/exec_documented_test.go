package classify

import "testing"

func TestDocumentedVerdicts(t *testing.T) {
	tests := []struct {
		argv []string
		cap  Capability
		dec  Decision
	}{
		{[]string{"systemctl", "status", "nginx"}, Observe, Allow},
		{[]string{"systemctl", "restart", "nginx"}, ServiceControl, AskApproval},
		{[]string{"aws", "configure", "list"}, Credential, Deny},
		{[]string{"aws", "sts", "get-caller-identity"}, Credential, Deny},
		{[]string{"grep", "-E", "a|b", "f"}, Observe, Allow},
		{[]string{"bash", "-c", "echo hi && rm -rf /etc"}, Critical, Deny},
		{[]string{"bash", "-c", `echo "hi; rm -rf /etc"`}, Observe, Allow},
		{[]string{"echo", "hi; rm -rf /etc"}, Observe, Allow},
		{[]string{"echo", "hi", "&&", "rm", "-rf", "/etc"}, Critical, Deny},
		{[]string{"echo hi && rm -rf /etc"}, Critical, Deny},
		{[]string{"if [ -f package.json ]; then npm test; fi"}, Use, AllowScoped},
		{[]string{"if", "[", "-f", "package.json", "];", "then", "npm", "test;", "fi"}, Use, AllowScoped},
		{[]string{"bash", "-c", "if [ -f package.json ]; then npm test; fi"}, Use, AllowScoped},
		{[]string{`eval "$CMD"`}, Unknown, AskApproval},
		{[]string{"bash", "-c", `eval "$CMD"`}, Unknown, AskApproval},
		{[]string{"eval", "$CMD"}, Unknown, AskApproval},
	}
	for _, test := range tests {
		v := Exec(test.argv)
		if v.Capability != test.cap || v.Decision != test.dec {
			t.Errorf("Exec(%q) = %s/%s (%s), want %s/%s", test.argv, v.Capability, v.Decision, v.Reason, test.cap, test.dec)
		}
	}
}
