package confinetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// actEnv marks a process that is to perform an act instead of running tests.
const actEnv = "CONFINETEST_ACT"

// Act does one thing to the system. The error, an errno where the kernel
// refused, says that it could not be done; the string is what was learned.
type Act func(args []string) (string, error)

// Result is what became of an act.
type Result struct {
	Out   string
	Errno unix.Errno // 0 when the act was done, or failed without an errno
	Err   string     // "" when the act was done
}

// Done reports whether the act was done.
func (r Result) Done() bool { return r.Err == "" }

// ErrnoName returns "done", the name of the errno, or the text of an error
// that has none.
func (r Result) ErrnoName() string {
	switch {
	case r.Done():
		return "done"
	case r.Errno != 0:
		return unix.ErrnoName(r.Errno)
	}
	return r.Err
}

func (r Result) String() string {
	if r.Done() {
		return fmt.Sprintf("done %q", r.Out)
	}
	return fmt.Sprintf("%s (%s) %q", r.ErrnoName(), r.Err, r.Out)
}

// perform does the act that args[0] names and prints its Result.
func perform(acts map[string]Act, args []string) int {
	act := acts[args[0]]
	if act == nil {
		fmt.Fprintf(os.Stderr, "unknown act %q\n", args[0])
		return 99
	}
	out, err := act(args[1:])
	r := Result{Out: out}
	if err != nil {
		r.Err = err.Error()
		errors.As(err, &r.Errno)
	}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return 98
	}
	return 0
}

func parseResult(stdout []byte) (Result, error) {
	var r Result
	err := json.Unmarshal(stdout, &r)
	return r, err
}
