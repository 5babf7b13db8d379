package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"confine/fence"
	"confine/policy"
)

func newCheckCmd() *cobra.Command {
	var f policyFlags
	var access policy.Access
	var asJSON bool
	cmd := &cobra.Command{
		Use: "check [flags] --access read|write PATH…", Short: "say for each path whether a run may read or write it",
		Long: `check judges each path by what it reaches: links are followed, and a path that does
not exist is judged where it would be created. Nothing is opened or executed.

Exit status: 0 if every path grants the access; 1 if one does not; 125 on an error.`,
		DisableFlagsInUseLine: true,
		RunE: func(_ *cobra.Command, paths []string) error {
			switch {
			case access == 0:
				return &usageError{msg: "no access to check", hint: "add --access read or --access write"}
			case access == policy.Deny:
				return &usageError{msg: "--access deny: a denial is no access", hint: "check read: what is not readable is denied"}
			case len(paths) == 0:
				return &usageError{msg: "no path to check", hint: "write: confine check [flags] --access read|write PATH…"}
			}
			return runCheck(&f, access, paths, asJSON)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	cmd.Flags().Var(wordFlag[policy.Access]{&access, policy.ParseAccess, "ACCESS"}, "access", "read or write")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// checked is the answer for one path.
type checked struct {
	Path    string        `json:"path"`    // as it was given
	Reaches string        `json:"reaches"` // with links followed
	Access  policy.Access `json:"access"`  // in force there
	Granted bool          `json:"granted"`
	Layer   policy.Layer  `json:"layer"` // that decides
	Reason  string        `json:"reason,omitempty"`
}

func runCheck(f *policyFlags, want policy.Access, paths []string, asJSON bool) error {
	host, err := findHost()
	if err != nil {
		return err
	}
	with, err := f.resolve(host)
	if err != nil {
		return err
	}
	judge, err := fence.New(with.policy)
	if err != nil {
		return err
	}
	layers := policy.GrantLayers(with.policy)
	answers := make([]checked, len(paths))
	var problems []error
	all := true
	for i, path := range paths {
		at, err := absolute(host, path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		d, err := judge.Decide(at)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if d.Layer.Private { // made for the run: there is no such place here, but there is one inside, without links
			if policy.Contains(d.Reached, at) {
				d.Reached, d.Layer = at, layers.Deciding(at)
			}
			d.Access, d.Reason = d.Layer.Access, "made for the run"
		}
		answers[i] = checked{path, d.Reached, d.Access, d.Access >= want, d.Layer, d.Reason}
		all = all && answers[i].Granted
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	if asJSON {
		err = printJSON(struct {
			Wanted  policy.Access `json:"wanted"`
			Granted bool          `json:"granted"`
			Paths   []checked     `json:"paths"`
		}{want, all, answers})
	} else {
		err = printChecked(want, answers)
	}
	if err != nil || all {
		return err
	}
	return exitStatus(exitNo)
}

func printChecked(want policy.Access, answers []checked) error {
	w := table(os.Stdout)
	for _, a := range answers {
		verdict, reaches := "granted", ""
		if !a.Granted {
			verdict = "refused"
		}
		if a.Reaches != a.Path {
			reaches = " -> " + shown(a.Reaches)
		}
		source := a.Layer.Source
		if a.Reason != "" {
			source += "; " + a.Reason
		}
		fmt.Fprintf(w, "%s %s\t%s%s\t%s by %s layer %s (%s)\n", want, verdict, shown(a.Path), reaches,
			a.Access, a.Layer.Origin, shown(a.Layer.Path), oneLine(source))
	}
	return w.Flush()
}
