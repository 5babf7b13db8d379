package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"confine/policy"
)

// The values of flags. Each refuses what it cannot mean at once, so that the
// message names the flag.

// wordFlag is one of a fixed set of words.
type wordFlag[T ~uint8] struct {
	to    *T
	parse func(string) (T, error)
	name  string
}

func (f wordFlag[T]) Set(s string) (err error) { *f.to, err = f.parse(s); return err }
func (f wordFlag[T]) String() string           { return "" }
func (f wordFlag[T]) Type() string             { return f.name }

// textFlag is a text that may not be empty.
type textFlag struct {
	to   *string
	name string
}

func (f textFlag) Set(s string) error {
	if *f.to = s; s == "" {
		return errEmpty
	}
	return nil
}
func (f textFlag) String() string { return "" }
func (f textFlag) Type() string   { return f.name }

// listFlag collects texts that may not be empty.
type listFlag struct {
	to   *[]string
	name string
}

func (f listFlag) Set(s string) error {
	*f.to = append(*f.to, s)
	if s == "" {
		return errEmpty
	}
	return nil
}
func (f listFlag) String() string { return "" }
func (f listFlag) Type() string   { return f.name }

var errEmpty = errors.New("the value is empty")

// entryFlag collects entries of all accesses in the order of the command line:
// at one path the later flag decides.
type entryFlag struct {
	to     *[]policy.Entry
	access policy.Access
}

func (f entryFlag) Set(s string) error {
	path, optional := strings.CutSuffix(s, "?")
	if path == "" {
		return errEmpty
	}
	*f.to = append(*f.to, policy.Entry{Path: path, Access: f.access, Optional: optional, Source: "flag --" + f.access.String()})
	return nil
}
func (f entryFlag) String() string { return "" }
func (f entryFlag) Type() string   { return "PATH" }

// envFlag is NAME to pass a variable on, or NAME=VALUE to set it.
type envFlag struct{ to *policy.EnvRules }

func (f envFlag) Set(s string) error {
	name, value, set := strings.Cut(s, "=")
	switch {
	case name == "":
		return &usageError{msg: "no variable is named", hint: "write NAME to pass it on, or NAME=VALUE to set it"}
	case set:
		if f.to.Set == nil {
			f.to.Set = map[string]string{}
		}
		f.to.Set[name] = value
	default:
		delete(f.to.Set, name)
		f.to.Pass = append(f.to.Pass, name)
	}
	return nil
}
func (f envFlag) String() string { return "" }
func (f envFlag) Type() string   { return "NAME[=VALUE]" }

type durationFlag struct{ to *time.Duration }

func (f durationFlag) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return &usageError{msg: fmt.Sprintf("unusable duration %q", s), hint: `write a number above zero with a unit: 30s, 10m, 1h30m`}
	}
	*f.to = d
	return nil
}
func (f durationFlag) String() string { return "" }
func (f durationFlag) Type() string   { return "DURATION" }

type sizeFlag struct{ to *int64 }

func (f sizeFlag) Set(s string) (err error) { *f.to, err = policy.ParseSize(s); return err }
func (f sizeFlag) String() string           { return "" }
func (f sizeFlag) Type() string             { return "SIZE" }

// fdFlag collects descriptor numbers.
type fdFlag struct{ to func(int) }

func (f fdFlag) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return &usageError{msg: fmt.Sprintf("%q is no descriptor", s), hint: "write the number of an open descriptor, as in --keep-fd 3 with 3<file"}
	}
	f.to(int(n))
	return nil
}
func (f fdFlag) String() string { return "" }
func (f fdFlag) Type() string   { return "N" }

// choiceFlag is one of the given words; what says what there is to choose.
type choiceFlag struct {
	to    *string
	words []string
	what  string
}

func (f choiceFlag) Set(s string) error {
	if !slices.Contains(f.words, s) {
		return &usageError{msg: fmt.Sprintf("unknown %s %q", f.what, s), hint: "available: " + strings.Join(f.words, ", ")}
	}
	*f.to = s
	return nil
}
func (f choiceFlag) String() string { return "" }
func (f choiceFlag) Type() string   { return strings.ToUpper(f.what) }
