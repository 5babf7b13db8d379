package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"confine/policy"
)

func newPolicyCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use: "policy", Short: "start, check and describe policy files",
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			return &usageError{msg: "policy of what kind", hint: "write: confine policy init, validate or schema"}
		},
	}
	cmd.AddCommand(newPolicyInitCmd(), newPolicyValidateCmd(), newPolicySchemaCmd())
	return cmd
}

func newPolicyInitCmd() *cobra.Command {
	return &cobra.Command{
		Use: "init [FILE]", Short: "write a commented policy file to begin with; standard output without FILE",
		Long: `init never overwrites a file.

Exit status: 0; 125 on an error.`,
		Args: atMostOne, DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := os.Stdout.Write(policy.Starter())
				return err
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return &usageError{msg: fmt.Sprintf("%q exists", args[0]), hint: "name a new file"}
			} else if err != nil {
				return &usageError{msg: fmt.Sprintf("create %q: %v", args[0], cause(err)), hint: "name a file in a folder that exists and that you may write to"}
			}
			_, err = f.Write(policy.Starter())
			return errors.Join(err, f.Close())
		},
	}
}

func newPolicyValidateCmd() *cobra.Command {
	return &cobra.Command{
		Use: "validate FILE…", Short: "check policy files, and that every path they name exists here",
		Long: `validate reads the files as --policy would, together, and resolves them on this host.

Exit status: 0 if they are valid; 1 if not; 125 on an error.`,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return &usageError{msg: "no file to check", hint: "write: confine policy validate FILE…"}
			}
			host, err := findHost()
			if err != nil {
				return err
			}
			with, err := (&policyFlags{files: files}).resolve(host)
			if err != nil {
				printError(os.Stderr, err)
				return exitStatus(exitNo)
			}
			for _, note := range with.notes {
				fmt.Println("note:", oneLine(note))
			}
			fmt.Printf("valid: mode %s, network %s, %d layers\n", with.policy.Mode(), with.policy.Network(), len(policy.GrantLayers(with.policy).All()))
			return nil
		},
	}
}

func newPolicySchemaCmd() *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "print the JSON Schema of policy files", Args: noArgs, DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			_, err := os.Stdout.Write(policy.Schema())
			return err
		},
	}
}

func noArgs(cmd *cobra.Command, args []string) error { return atMost(cmd, args, 0) }

func atMostOne(cmd *cobra.Command, args []string) error { return atMost(cmd, args, 1) }

func atMost(cmd *cobra.Command, args []string, n int) error {
	if len(args) > n {
		return &usageError{msg: fmt.Sprintf("%s: unexpected %q", cmd.CommandPath(), args[n]), hint: "see " + cmd.CommandPath() + " --help"}
	}
	return nil
}
