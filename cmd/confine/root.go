package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const rootLong = `confine runs a command confined: what it may read, write and reach on the network is
what a policy grants, enforced by the kernel. Without flags nothing on the host is
writable and there is no network.

  confine -- make check                        read-only, no network
  confine --mode workspace-write -- npm test   the current folder is writable
  confine explain --mode workspace-write       what that would mean

A word after -- is always the program: "confine -- explain" runs a program of that name.

Exit status: the command's own; 128+n if signal n killed it; 124 at the time limit;
125 if confine failed or refused and nothing ran; 126 if the program cannot be
executed; 127 if it was not found.`

// verbs are the first words that are not a program.
var verbs = [...]string{"explain", "check", "classify", "doctor", "policy", "completion", "man", "version", "help"}

func isVerb(word string) bool {
	return slices.Contains(verbs[:], word) || strings.HasPrefix(word, cobra.ShellCompRequestCmd)
}

// execute runs the command line and returns the exit code.
func execute(args []string) (code int) {
	root, run := newTree(args)
	root.SetArgs(args)
	defer func() {
		if p := recover(); p != nil {
			if os.Getenv("CONFINE_DEBUG") != "" {
				debug.PrintStack()
			}
			code = run.fail(args, run.internal(p))
		}
	}()
	cmd, err := root.ExecuteC()
	if _, done := errors.AsType[exitStatus](err); err != nil && !done && cmd == root {
		return run.fail(args, err)
	}
	return exitCode(err)
}

// newTree returns the command tree. To run a command only the root is needed, and
// nothing else is built then: start-up is paid on every run.
func newTree(args []string) (*cobra.Command, *runFlags) {
	run := &runFlags{reportFD: -1}
	root := &cobra.Command{
		Use: "confine [flags] -- CMD [ARG…]", Short: "run a command confined", Long: rootLong,
		Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := checkWords(words, cmd.ArgsLenAtDash()); err != nil {
				return err
			}
			return runRun(run, words)
		},
	}
	root.SetFlagErrorFunc(flagError)
	run.register(root.Flags())
	root.Flags().SetInterspersed(false)
	root.Flags().SortFlags = false
	if runsCommand(args) {
		return root, run
	}
	root.AddGroup(&cobra.Group{ID: "see", Title: "Before running:"}, &cobra.Group{ID: "setup", Title: "Setting up:"})
	for _, c := range []*cobra.Command{newExplainCmd(), newCheckCmd(), newClassifyCmd()} {
		c.GroupID = "see"
		root.AddCommand(c)
	}
	for _, c := range []*cobra.Command{newDoctorCmd(), newApproveCmd(), newPolicyCmd(), newManCmd(root), newVersionCmd()} {
		c.GroupID = "setup"
		root.AddCommand(c)
	}
	root.Version = version
	for _, c := range append(root.Commands(), root) {
		completeValues(c)
	}
	root.SetHelpCommandGroupID("setup")
	root.SetCompletionCommandGroupID("setup")
	return root, run
}

// runsCommand reports whether the command line is one that runs a command and
// asks for no help or version.
func runsCommand(args []string) bool {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") {
		return false
	}
	for _, a := range args {
		switch a {
		case "--":
			return true
		case "-h", "--help", "--version":
			return false
		}
	}
	return true
}

// checkWords makes sure that the program was named after --.
func checkWords(words []string, dash int) error {
	const usage = "write: confine [flags] -- CMD [ARG…]"
	switch {
	case len(words) == 0:
		return &usageError{msg: "no command to run", hint: usage}
	case dash == 0:
		return nil
	case isVerb(words[0]):
		return &usageError{msg: fmt.Sprintf("%q comes after flags", words[0]),
			hint: fmt.Sprintf("write: confine %s [flags]; or, to run a program of that name: confine [flags] -- %s", words[0], words[0])}
	}
	return &usageError{msg: fmt.Sprintf("%q is no command of confine", words[0]), hint: usage}
}

// flagError says what is wrong with a flag, and which one may have been meant.
func flagError(cmd *cobra.Command, err error) error {
	help := "see " + cmd.CommandPath() + " --help"
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			if cmd.Flags().Lookup(short) != nil {
				help = "did you mean --" + short + "? " + help
			}
			return &usageError{msg: "unknown flag -" + short, hint: help}
		}
		if near := nearestFlag(cmd, name); near != "" {
			help = "did you mean --" + near + "? " + help
		}
		return &usageError{msg: "unknown flag --" + name, hint: help}
	}
	if missing, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return &usageError{msg: "--" + missing.GetFlag().Name + " needs a value", hint: help}
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		reason := bad.Unwrap()
		if text, hint := split(reason); hint != "" {
			return &usageError{msg: "--" + bad.GetFlag().Name + ": " + text, hint: hint}
		}
		return &usageError{msg: "--" + bad.GetFlag().Name + ": " + reason.Error(), hint: help}
	}
	return &usageError{msg: err.Error(), hint: help}
}

// nearestFlag returns the flag whose name is closest to a mistyped one, or "".
func nearestFlag(cmd *cobra.Command, name string) string {
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if near := names.SuggestionsFor(name); len(near) > 0 {
		return near[0]
	}
	return ""
}
