package confine_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"confine/classify"
	"confine/confine"
	"confine/policy"
)

// A harness runs a command that a model wrote: it reads the command, resolves a
// policy that the model's request can only narrow, asks a person where the
// classifier says so, and widens for this one call with an approval.
func Example_harness() {
	workspace, err := os.MkdirTemp("/var/tmp", "confine-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(workspace)
	workspace, _ = filepath.EvalSymlinks(workspace)

	host, err := confine.Host()
	if err != nil {
		fmt.Println(err)
		return
	}
	deployment := policy.Defaults{Mode: policy.ReadOnly, Workspace: workspace, Network: policy.ReachDeny}

	call := func(argv []string, fromModel string, person func(classify.Verdict) *policy.Approval) {
		verdict := classify.Exec(argv)
		if verdict.Decision == classify.Deny {
			fmt.Println("refused:", verdict.Reason)
			return
		}
		request, err := policy.ParseRequest([]byte(fromModel))
		if err != nil {
			fmt.Println("bad request:", err)
			return
		}
		if verdict.Decision == classify.AskApproval {
			if request.Approval = person(verdict); request.Approval == nil {
				fmt.Println("not approved:", verdict.Capability)
				return
			}
		}
		pol, err := policy.Resolve(request, deployment, host, confine.FS())
		if err != nil {
			fmt.Println("policy:", err)
			return
		}
		cmd := confine.Command(pol, argv[0], argv[1:]...)
		var stdout, stderr bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = workspace, &stdout, &stderr
		report, err := cmd.Run()
		if err != nil { // nothing ran: never confuse this with a failing command
			fmt.Println("did not run:", err)
			return
		}
		fmt.Println(strings.TrimSpace(fmt.Sprint(pol.Mode(), " ", report.Outcome, " ", stdout.String())))
	}

	no := func(classify.Verdict) *policy.Approval { return nil }
	yes := func(classify.Verdict) *policy.Approval {
		return policy.Approve(policy.Grant{Mode: policy.WorkspaceWrite})
	}
	call([]string{"echo", "hello"}, `{"version": 1}`, no)
	call([]string{"touch", "file"}, `{"version": 1, "mode": "workspace-write"}`, no)
	call([]string{"touch", "file"}, `{"version": 1}`, yes)
	call([]string{"ls"}, `{"version": 1}`, no)
	call([]string{"bash", "-c", "rm -rf /etc"}, `{"version": 1}`, yes)
	call([]string{"ls"}, `{"version": 1, "entries": [{"path": "/etc", "access": "write"}]}`, no)
	// Output:
	// read-only success hello
	// not approved: modify
	// workspace-write success
	// read-only success file
	// refused: rm overwrites or removes "/etc", which the system or a home depends on
	// bad request: request:1:55: write "/etc": a request may only narrow; ask the host for an approval
}
