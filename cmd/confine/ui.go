package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"confine/confine"
	"confine/policy"
)

// Rules of output. stdout of a run belongs to the command alone; the other verbs
// answer there. What confine itself has to say goes to stderr: lower case, no
// final period, one line with the prefix "confine: " and where there is a remedy
// a second one, "confine: hint: ". No colour, no progress.

// maxProblems is how many problems of one command line are printed.
const maxProblems = 10

// printError prints every problem on a line of its own, each followed by its
// remedy where that differs from the one before.
func printError(w io.Writer, err error) {
	problems := flatten(err)
	last := ""
	for i, problem := range problems {
		if i == maxProblems {
			fmt.Fprintf(w, "confine: and %d more problems\n", len(problems)-i)
			return
		}
		text, hint := split(problem)
		fmt.Fprintf(w, "confine: %s\n", oneLine(text))
		if hint != "" && hint != last {
			fmt.Fprintf(w, "confine: hint: %s\n", oneLine(hint))
		}
		last = hint
	}
}

// flatten takes joined errors apart.
func flatten(err error) []error {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, flatten(e)...)
	}
	return all
}

// split takes the remedy from an error's text.
func split(err error) (text, hint string) {
	text = err.Error()
	var hinted interface{ Hint() string }
	if invalid, ok := errors.AsType[*policy.Error](err); ok {
		hint = invalid.Hint
	} else if launch, ok := errors.AsType[*confine.LaunchError](err); ok {
		hint = launch.Hint
	} else if errors.As(err, &hinted) {
		hint = hinted.Hint()
	}
	return strings.TrimSuffix(text, "; "+hint), hint
}

// oneLine makes control characters visible, so that a file name can neither
// forge a line nor reach the terminal.
func oneLine(s string) string {
	if strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unicode.IsControl(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// shown is a path as text for people: quoted where it would not be read as one word.
func shown(path string) string {
	if q := strconv.Quote(path); q != `"`+path+`"` || strings.ContainsAny(path, " \u00a0") {
		return q
	}
	return path
}

// table writes rows in columns; it ends at flush.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 8, 2, ' ', 0) }

// printJSON writes v as indented JSON.
func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
