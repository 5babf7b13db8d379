package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newManCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "man", Short: "print the manual page", Args: noArgs, DisableFlagsInUseLine: true,
		Long: `man prints the manual page of confine and all its verbs as roff:

  confine man | man -l -`,
		RunE: func(*cobra.Command, []string) error {
			w := bufio.NewWriter(os.Stdout)
			fmt.Fprintf(w, ".TH CONFINE 1 \"\" \"confine %s\" \"User Commands\"\n.SH NAME\nconfine \\- %s\n", version, roff(root.Short))
			manPage(w, root, "DESCRIPTION")
			for _, cmd := range root.Commands() {
				if cmd.IsAvailableCommand() && cmd.Name() != "help" && cmd.Name() != "completion" {
					manVerb(w, cmd)
				}
			}
			return w.Flush()
		},
	}
}

func manVerb(w *bufio.Writer, cmd *cobra.Command) {
	manPage(w, cmd, strings.ToUpper(strings.TrimPrefix(cmd.CommandPath(), "confine ")))
	for _, sub := range cmd.Commands() {
		manVerb(w, sub)
	}
}

// manPage writes the section of one command.
func manPage(w *bufio.Writer, cmd *cobra.Command, title string) {
	fmt.Fprintf(w, ".SH %s\n.B %s\n.PP\n%s\n", roff(title), roff(cmd.UseLine()), roff(cmd.Short+"."))
	for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			fmt.Fprintf(w, ".PP\n.nf\n%s\n.fi\n", roff(paragraph))
		} else if paragraph != "" {
			fmt.Fprintf(w, ".PP\n%s\n", roff(paragraph))
		}
	}
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(name+" "+value)), roff(usage))
	})
}

// roff escapes text: a backslash, a hyphen that is to be copied as one, and a
// line that would be read as a request.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
