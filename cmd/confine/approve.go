package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"confine/confine"
	"confine/policy"
)

// approveFlags are the flags of approve.
type approveFlags struct {
	grant   policy.Grant
	expires time.Duration
	request string
	json    bool
}

func newApproveCmd() *cobra.Command {
	f := approveFlags{expires: 10 * time.Minute}
	cmd := &cobra.Command{
		Use:   "approve [flags]",
		Short: "Mint a token that widens one run",
		Long: `Approve prints a token that widens the policy of one run, for confine --approval TOKEN.

A person, or a program that a person has told to, runs it outside. The token is
signed with a key in confine's state folder, which no confined command can see;
the key is made on first use. A token is spent by the first run whose policy
resolves with it, unless its scope is session.

EXIT STATUS: 0, or 125 when no token was made.`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return runApprove(&f) },
	}
	fs := cmd.Flags()
	fs.Var(wordFlag[policy.Mode]{&f.grant.Mode, policy.ParseMode, "MODE"}, "mode", "raise the mode")
	fs.Var(wordFlag[policy.Reach]{&f.grant.Network, policy.ParseReach, "REACH"}, "net", "widen the network reach")
	fs.Var(entryFlag{&f.grant.Entries, policy.Read}, "read", "make PATH readable (repeatable)")
	fs.Var(entryFlag{&f.grant.Entries, policy.Write}, "write", "make PATH writable (repeatable)")
	fs.Var(wordFlag[policy.Scope]{&f.grant.Scope, policy.ParseScope, "SCOPE"}, "scope", "once (default), session: until it expires")
	fs.Var(durationFlag{&f.expires}, "expires", "how long the token is good, as 10m (default)")
	fs.Var(textFlag{&f.request, "FILE"}, "for-request", "bind the token to the request in FILE; - reads standard input")
	fs.BoolVar(&f.json, "json", false, "print the token and what it grants as JSON")
	return cmd
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{msg: fmt.Sprintf("unexpected argument %q", args[0]), hint: "confine " + cmd.Name() + " takes flags only"}
	}
	return nil
}

func runApprove(f *approveFlags) error {
	host, err := confine.Host()
	if err != nil {
		return err
	}
	if f.grant.Mode == 0 && f.grant.Network == 0 && len(f.grant.Entries) == 0 {
		return &usageError{msg: "nothing to approve", hint: "say what with --write PATH, --read PATH, --mode MODE or --net REACH"}
	}
	var problems []error
	for i := range f.grant.Entries {
		e := &f.grant.Entries[i]
		if e.Path, err = absolute(host, e.Path); err != nil {
			problems = append(problems, fmt.Errorf("flag --%s: %w", e.Access, err))
		}
		e.Source = ""
	}
	digest, err := requestDigest(host, f.request)
	if err := errors.Join(append(problems, err)...); err != nil {
		return err
	}
	store, err := approvals(host)
	if err != nil {
		return err
	}
	now := time.Now()
	f.grant.Expires = now.Add(f.expires)
	token, claims, err := store.Mint(f.grant, digest, now)
	if err != nil {
		return err
	}
	if !f.json {
		_, err := fmt.Println(token)
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(struct {
		Token  string        `json:"token"`
		Claims policy.Claims `json:"claims"`
	}{token, claims})
}

// requestDigest identifies the request in a file, "" without one.
func requestDigest(host policy.Host, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	text, err := readRequest(host, name)
	if err != nil {
		return "", &requestError{err}
	}
	req, err := policy.ParseRequest(text)
	if err != nil {
		return "", &requestError{err}
	}
	return req.Digest(), nil
}

func approvals(host policy.Host) (*confine.Approvals, error) {
	dir, err := confine.StateDir(host)
	if err != nil {
		return nil, err
	}
	return confine.OpenApprovals(dir), nil
}

// redeem turns the token of --approval into an approval for req.
func redeem(token string, req policy.Request, asked bool, host policy.Host) (*policy.Approval, error) {
	if token == "" {
		return nil, nil
	}
	store, err := approvals(host)
	if err != nil {
		return nil, err
	}
	digest := ""
	if asked {
		req.Also = nil // the token is for the request, whatever the workspace's own file adds
		digest = req.Digest()
	}
	return store.Redeem(token, digest, host.Now)
}

// isRefusal reports whether err is confine's own no to a command, a request or
// an approval.
func isRefusal(err error) bool {
	_, request := errors.AsType[*requestError](err)
	_, gated := errors.AsType[*gateError](err)
	return request || gated || slices.ContainsFunc([]error{policy.ErrApprovalForged, policy.ErrApprovalExpired, policy.ErrApprovalSpent, policy.ErrApprovalMismatch},
		func(cause error) bool { return errors.Is(err, cause) })
}
