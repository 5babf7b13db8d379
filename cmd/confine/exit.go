package main

import (
	"errors"
	"os"
	"strconv"

	"confine/confine"
)

// The exit codes of the verbs that answer a question; running a command exits
// as the command does, see confine.Report.
const (
	exitNo      = 1 // check: not granted; classify: ask; doctor: cannot enforce; policy validate: not valid
	exitRefused = 2 // classify: deny
)

// exitStatus is an answer and no failure of confine: there is nothing to print.
type exitStatus int

func (s exitStatus) Error() string { return "exit status " + strconv.Itoa(int(s)) }

// exitCode maps what a verb returned to the exit code, and prints a failure.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[exitStatus](err); ok {
		return int(status)
	}
	printError(os.Stderr, err)
	return confine.ExitNotRun
}

// usageError is a command line that cannot be obeyed.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }
func (e *usageError) Hint() string  { return e.hint }
