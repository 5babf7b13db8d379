package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"confine/classify"
	"confine/policy"
)

// gateError is the gate's no: the command did not run.
type gateError struct {
	verdict classify.Verdict
	hint    string
}

func (e *gateError) Error() string {
	return fmt.Sprintf("gate: %s: %s (%s)", e.verdict.Decision, e.verdict.Reason, e.verdict.Capability)
}

func (e *gateError) Hint() string { return e.hint }

// gate judges a command before it runs. What is to be asked about needs an
// approval, or on a terminal a yes.
func gate(d policy.Defaults, argv []string, approved bool) error {
	table, err := commandTable(d.Classify)
	if err != nil {
		return err
	}
	verdict := table.Exec(argv)
	switch verdict.Decision {
	case classify.Allow, classify.AllowScoped:
		return nil
	case classify.AskApproval:
		if approved || ask(verdict) {
			return nil
		}
		return &gateError{verdict, "approve it with confine approve and --approval, or answer on a terminal"}
	}
	return &gateError{verdict, "run it without --gate enforce if it is meant"}
}

// commandTable is the built-in table with what policy files add to it.
func commandTable(sections []policy.Section) (*classify.Table, error) {
	table, err := classify.DefaultTable()
	if err != nil {
		return nil, err
	}
	for _, s := range sections {
		ext, err := classify.ParseExtension(s.JSON)
		if err == nil {
			table, err = table.Extend(ext)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d:%d: classify: %w", s.File, s.Line, s.Col, err)
		}
	}
	return table, nil
}

// ask asks on the terminal. Without one nobody can say yes.
func ask(v classify.Verdict) bool {
	if !term.IsTerminal(0) || !term.IsTerminal(2) {
		return false
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	fmt.Fprintf(tty, "confine: %s: %s\nconfine: run it? [y/N] ", oneLine(v.Program), oneLine(v.Reason))
	line, err := bufio.NewReader(tty).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes"
}
