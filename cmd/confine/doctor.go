package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"confine/confine"
)

func newDoctorCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "doctor [flags]", Short: "find out what this host can enforce",
		Long: `doctor tries every property by doing it, in a child that executes nothing, and says
for each that is missing why, and how to get it.

Exit status: 0 if read-only and workspace-write without network can be enforced; 1 if not.`,
		Args: noArgs, DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runDoctor(ctx context.Context, asJSON bool) error {
	properties := confine.Probe(ctx)
	able := enough(properties)
	if asJSON {
		if err := printJSON(struct {
			Version    string             `json:"version"`
			Kernel     string             `json:"kernel"`
			UID        int                `json:"uid"`
			Enough     bool               `json:"enough"` // for the default policies
			Properties []confine.Property `json:"properties"`
		}{version, kernel(), os.Getuid(), able, properties}); err != nil {
			return err
		}
	} else {
		fmt.Printf("confine %s, Linux %s, uid %d\n\n", version, kernel(), os.Getuid())
		for _, p := range properties {
			if p.Available {
				fmt.Printf("yes  %s: %s\n", p.Name, oneLine(p.Detail))
				continue
			}
			fmt.Printf("NO   %s: %s\n", p.Name, oneLine(p.Cause))
			if p.Remedy != "" {
				fmt.Printf("     remedy: %s\n", oneLine(p.Remedy))
			}
		}
		verdict := "the default policies can be enforced here"
		if !able {
			verdict = "the default policies can NOT be enforced here; confine refuses to run under them"
		}
		fmt.Printf("\n%s\n", verdict)
	}
	if !able {
		return exitStatus(exitNo)
	}
	return nil
}

// enough reports whether the default policies can be enforced: those of mode
// read-only and of workspace-write, with its private tmp, without a network.
func enough(properties []confine.Property) bool {
	needed := 0
	for _, p := range properties {
		if strings.HasPrefix(p.Name, "namespace backend") || p.Name == "private tmp" {
			if !p.Available {
				return false
			}
			needed++
		}
	}
	return needed >= 2
}

func kernel() string {
	var u syscall.Utsname
	if syscall.Uname(&u) != nil {
		return "unknown"
	}
	var b strings.Builder
	for _, c := range u.Release {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}
