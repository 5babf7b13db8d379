package main

import (
	"fmt"
	"os"

	"confine/confine"
	"confine/policy"
)

func main() {
	h, err := confine.Host()
	if err != nil {
		panic(err)
	}
	m, _ := policy.ParseMode(os.Args[1])
	p, err := policy.Resolve(policy.Request{}, policy.Defaults{Mode: m}, h, confine.FS())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	c := confine.Command(p, os.Args[2], os.Args[3:]...)
	c.Stdin, c.Stdout, c.Stderr, c.JobControl, c.Annotate = os.Stdin, os.Stdout, os.Stderr, true, true
	r, err := c.Run()
	if os.Getenv("REP") != "" {
		r.WriteTo(os.Stderr)
	}
	os.Exit(r.ExitCode)
}
