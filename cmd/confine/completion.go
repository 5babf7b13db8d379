package main

import (
	"github.com/spf13/cobra"

	"confine/confine"
	"confine/policy"
	"confine/seccomp"
)

// completeValues lets shells complete the words of flags.
func completeValues(cmd *cobra.Command) {
	for name, words := range map[string][]string{
		"mode":     {policy.ReadOnly.String(), policy.WorkspaceWrite.String(), policy.DangerFullAccess.String()},
		"net":      {policy.ReachDeny.String(), policy.ReachLoopback.String(), policy.ReachAllowAll.String()},
		"baseline": {policy.BaselineAllow.String(), policy.BaselineDeny.String()},
		"runtime":  {policy.RuntimeSystem.String(), policy.RuntimeNone.String()},
		"tmp":      {policy.TmpPrivate.String(), policy.TmpNone.String(), policy.TmpHost.String()},
		"access":   {policy.Read.String(), policy.Write.String()},
		"seccomp":  {seccomp.PresetDefault, seccomp.PresetStrict},
		"backend":  {"auto", confine.BackendNamespace},
		"protect":  nil, "unprotect": policy.ProtectedNames(),
	} {
		if cmd.Flags().Lookup(name) != nil {
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // fails only if it is there already
		}
	}
}
