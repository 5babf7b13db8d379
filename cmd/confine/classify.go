package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"confine/classify"
	"confine/confine"
)

func newClassifyCmd() *cobra.Command {
	var script string
	var asJSON bool
	var files policyFlags
	cmd := &cobra.Command{
		Use: "classify [flags] -- ARGV…", Short: "say what a command appears to do, before it runs",
		Long: `classify reads a command and enforces nothing. -- ARGV is what execve would get, so
words are literal; -c STRING is a line for a shell. The riskiest part decides.

Exit status: 0 for allow and allow-scoped; 1 for ask-approval; 2 for deny; 125 on an error.`,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, argv []string) error {
			asScript := cmd.Flags().Changed("command")
			switch {
			case asScript && len(argv) > 0:
				return &usageError{msg: "both -c and words", hint: "use -c STRING for a shell line, or -- ARGV… for words"}
			case !asScript && len(argv) == 0:
				return &usageError{msg: "no command to classify", hint: "write: confine classify -- ARGV…, or confine classify -c STRING"}
			}
			table, err := files.table()
			switch {
			case err != nil:
				return err
			case asScript:
				return answer(table.Command(script), asJSON)
			}
			return answer(table.Exec(argv), asJSON)
		},
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringVarP(&script, "command", "c", "", "read `STRING` as a shell would")
	cmd.Flags().Var(listFlag{&files.files, "FILE"}, "policy", "policy file whose classify section extends the table, instead of the user's and the system's (repeatable)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// table is the built-in table with what the policy files in force add.
func (f *policyFlags) table() (*classify.Table, error) {
	host, err := confine.Host()
	if err != nil {
		return nil, err
	}
	d, err := f.defaults(host)
	if err != nil {
		return nil, err
	}
	return commandTable(d.Classify)
}

func answer(v classify.Verdict, asJSON bool) error {
	err := error(nil)
	if asJSON {
		err = printJSON(v)
	} else {
		err = printVerdict(os.Stdout, v)
	}
	switch {
	case err != nil:
		return err
	case v.Decision == classify.Allow, v.Decision == classify.AllowScoped:
		return nil
	case v.Decision == classify.AskApproval:
		return exitStatus(exitNo)
	}
	return exitStatus(exitRefused)
}

// printVerdict writes a verdict for people, the part that decided underlined.
func printVerdict(out io.Writer, v classify.Verdict) error {
	w := table(out)
	fmt.Fprintf(w, "outcome\t%s\ncapability\t%s\nprogram\t%s\nreason\t%s\n", v.Decision, v.Capability, oneLine(v.Program), oneLine(v.Reason))
	if err := w.Flush(); err != nil || len(v.Parts) == 0 {
		return err
	}
	part := v.Parts[v.Deciding]
	start := strings.LastIndexByte(v.Text[:part.Start], '\n') + 1
	line, _, _ := strings.Cut(v.Text[start:], "\n")
	marked := v.Text[part.Start:min(part.End, start+len(line))]
	before := oneLine(v.Text[start:part.Start])
	_, err := fmt.Fprintf(out, "\n  %s\n  %s%s\n", oneLine(line), strings.Repeat(" ", utf8.RuneCountInString(before)),
		strings.Repeat("^", max(1, utf8.RuneCountInString(oneLine(marked)))))
	return err
}
