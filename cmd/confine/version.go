package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

const version = "0.1.0"

func newVersionCmd() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print the version", Args: noArgs, DisableFlagsInUseLine: true,
		RunE: func(*cobra.Command, []string) error {
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = " " + s.Value
					}
				}
			}
			fmt.Printf("confine %s%s %s/%s %s\n", version, revision, runtime.GOOS, runtime.GOARCH, runtime.Version())
			return nil
		},
	}
}
