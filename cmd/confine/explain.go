package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"confine/confine"
	"confine/policy"
)

func newExplainCmd() *cobra.Command {
	var f policyFlags
	var asJSON, plan bool
	cmd := &cobra.Command{
		Use: "explain [flags] [-- CMD [ARG…]]", Short: "show what a run would be allowed, and how it is enforced",
		Long: `explain makes the policy and the plan of a run and executes nothing.

Layers are listed broadest first: the deepest one that contains a path decides it.
Environment variables are listed by name only.

Exit status: 0; 125 if the run would be refused.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, argv []string) error {
			if len(argv) > 0 && cmd.ArgsLenAtDash() != 0 {
				return &usageError{msg: fmt.Sprintf("%q stands before --", argv[0]), hint: "write: confine explain [flags] -- CMD [ARG…]"}
			}
			return runExplain(&f, argv, asJSON, plan)
		},
	}
	f.register(cmd.Flags())
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&plan, "plan", false, "list the launcher's operations too")
	return cmd
}

// explanation is what explain prints.
type explanation struct {
	*confine.Explanation
	Notes []string `json:"notes,omitempty"`
}

func runExplain(f *policyFlags, argv []string, asJSON, plan bool) error {
	host, err := findHost()
	if err != nil {
		return err
	}
	with, err := f.resolve(host)
	if err != nil {
		return err
	}
	c := &confine.Cmd{Policy: with.policy, Args: argv, Dir: with.dir}
	e, err := confine.Explain(c)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(explanation{e, with.notes})
	}
	if !plan {
		e.Plan = nil
	}
	return explain(os.Stdout, explanation{e, with.notes})
}

// explain writes an explanation for people.
func explain(out io.Writer, e explanation) error {
	p := e.Policy
	w := table(out)
	if len(e.Argv) > 0 {
		quoted := make([]string, len(e.Argv))
		for i, a := range e.Argv {
			quoted[i] = shown(a)
		}
		fmt.Fprintf(w, "command\t%s\n", strings.Join(quoted, " "))
	}
	fmt.Fprintf(w, "mode\t%s\nnetwork\t%s\nbaseline\t%s\ntmp\t%s\n", p.Mode(), p.Network(), p.Baseline(), p.Tmp())
	if p.Mode() == policy.WorkspaceWrite {
		fmt.Fprintf(w, "workspace\t%s\n", shown(p.Workspace()))
	}
	fmt.Fprintf(w, "folder\t%s\nbackend\t%s\ndigest\t%s\n", shown(e.Cwd), e.Backend, e.PolicyDigest)
	for _, c := range e.Capped {
		fmt.Fprintf(w, "capped\t%s %s was asked for, %s is granted\n", c.What, c.Asked, c.Granted)
	}
	for _, file := range p.Files() {
		fmt.Fprintf(w, "file\t%s\n", shown(file))
	}
	w.Flush()
	explainLayers(out, e.Layers)
	explainEnforced(out, e.Enforced)
	list(out, "absent: moved aside if the command creates them", e.Absent)
	skipped := make([]string, len(e.Skipped))
	for i, s := range e.Skipped {
		skipped[i] = fmt.Sprintf("%s %s (%s)", s.Access, shown(s.Path), s.Source)
	}
	list(out, "optional and absent: granted nothing", skipped)
	if e.Backend != confine.BackendNone {
		fmt.Fprintf(out, "\nenvironment\n  passed   %s\n  dropped  %s\n", words(e.EnvPassed), words(e.EnvDropped))
	}
	list(out, "the program is looked for at", e.Programs)
	list(out, "notes", e.Notes)
	list(out, "plan", e.Plan)
	return nil
}

func explainLayers(out io.Writer, layers []policy.Layer) {
	fmt.Fprintf(out, "\nlayers: the deepest that contains a path decides it\n")
	w := table(out)
	for _, l := range layers {
		var notes []string
		for _, n := range []struct {
			holds bool
			text  string
		}{{l.Private, "made for the run"}, {l.Absent, "absent"}, {l.Symlink, "a link, kept as it is"}} {
			if n.holds {
				notes = append(notes, n.text)
			}
		}
		source := l.Source
		if len(notes) > 0 {
			source += " (" + strings.Join(notes, ", ") + ")"
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", l.Access, shown(l.Path), l.Origin, oneLine(source))
	}
	w.Flush()
}

func explainEnforced(out io.Writer, e confine.Enforced) {
	fmt.Fprintf(out, "\nenforced\n")
	w := table(out)
	for _, row := range []struct {
		name string
		confine.Enforcement
	}{{"filesystem", e.Filesystem}, {"second lock", e.Landlock}, {"network", e.Network}, {"system calls", e.Syscalls},
		{"processes", e.Processes}, {"limits", e.Limits}} {
		text := row.By
		if row.Reason != "" {
			text = strings.TrimPrefix(text+"; "+row.Reason, "; ")
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", row.name, row.Level, text)
	}
	w.Flush()
}

// list writes a titled list, nothing if it is empty.
func list(out io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s\n", title)
	for _, item := range items {
		fmt.Fprintf(out, "  %s\n", oneLine(item))
	}
}

func words(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return oneLine(strings.Join(names, " "))
}
