package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
)

const version = "0.1.0"

// revision is the commit, set by the build.
var revision string

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs, DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			fmt.Printf("confine %s %s/%s %s\n", strings.TrimSuffix(version+" "+revision, " "), runtime.GOOS, runtime.GOARCH, runtime.Version())
			return nil
		},
	}
}
