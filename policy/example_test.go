package policy_test

import (
	"errors"
	"fmt"

	"confine/policy"
)

// A harness resolves each call: the deployment's policy, narrowed by what the
// model asked for. When the model needs more, a person decides, and the approval
// opens exactly what was approved, once.
func Example() {
	host := policy.Host{Home: "/home/u", Cwd: "/home/u/repo"}
	tree := policy.NewMemFS("/home/u/repo/.git", "/home/u/repo/vendor", "/etc/app").File("/etc/app/config.yaml", "")
	deployment := policy.Defaults{Mode: policy.WorkspaceWrite}

	request, err := policy.ParseRequest([]byte(`{"network": "allow-all", "entries": [{"path": "/home/u/repo/vendor", "access": "read"}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := policy.Resolve(request, deployment, host, tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	layers := policy.GrantLayers(p)
	for _, path := range []string{"/home/u/repo/main.go", "/home/u/repo/.git/hooks/pre-commit", "/home/u/repo/vendor/x", "/etc/app/config.yaml"} {
		fmt.Println(layers.AccessFor(path), layers.Deciding(path).Origin, path)
	}
	fmt.Println("capped:", p.Capped())

	request.Approval = policy.Approve(policy.Grant{Entries: []policy.Entry{{Path: "/etc/app/config.yaml", Access: policy.Write}}})
	p, err = policy.Resolve(request, deployment, host, tree)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(policy.GrantLayers(p).AccessFor("/etc/app/config.yaml"))
	_, err = policy.Resolve(request, deployment, host, tree)
	fmt.Println(errors.Is(err, policy.ErrApprovalSpent))

	// Output:
	// write mode /home/u/repo/main.go
	// read protected /home/u/repo/.git/hooks/pre-commit
	// read restriction /home/u/repo/vendor/x
	// read baseline /etc/app/config.yaml
	// capped: [{network allow-all deny}]
	// write
	// true
}
