package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"confine/classify"
	"confine/confine"
	"confine/policy"
)

// runFlags are the flags of a run.
type runFlags struct {
	policyFlags
	report   string
	reportFD int
	keep     []int
	linger   bool
	gate     string
	quiet    bool
	out      *reportFile // once it was tried to open it
	launched bool        // the command may have been executed
}

func (f *runFlags) register(fs *pflag.FlagSet) {
	f.policyFlags.register(fs)
	fs.Var(textFlag{&f.report, "FILE"}, "report", "write what happened to FILE, as JSON")
	fs.Var(textFlag{&f.approval, "TOKEN"}, "approval", "token of confine approve; it is spent by this run")
	fs.Var(choiceFlag{&f.gate, []string{"off", "enforce"}, "gate"}, "gate", "off (default), enforce: refuse commands that the classifier denies, and those it would ask about")
	fs.Var(fdFlag{func(n int) { f.reportFD = n }}, "report-fd", "write it to the open descriptor N")
	fs.Var(fdFlag{func(n int) { f.keep = append(f.keep, n) }}, "keep-fd", "leave descriptor N open for the command (repeatable)")
	fs.BoolVar(&f.linger, "linger", false, "wait for background children instead of killing them when the command ends")
	fs.BoolVar(&f.quiet, "quiet", false, "add nothing to the command's standard error")
}

// runRun runs argv. What it returns is the exit status of a run that has a
// report, or the error that kept one from being started.
func runRun(f *runFlags, argv []string) error {
	host, hostErr := findHost()
	out, err := openReport(host, f.report, f.reportFD)
	f.out = &out
	if err := errors.Join(hostErr, err); err != nil {
		return err
	}
	if f.reportFD > 2 && slices.Contains(f.keep, f.reportFD) {
		return &usageError{msg: "the report's descriptor " + strconv.Itoa(f.reportFD) + " is to be kept for the command, which could then forge the report",
			hint: "drop --keep-fd " + strconv.Itoa(f.reportFD)}
	}
	for _, fd := range f.keep {
		if err := confine.Inherited(fd); fd > 2 && err != nil {
			return err
		}
	}
	var own []string
	if out.regular() {
		own = append(own, out.path)
	}
	if f.gate == "enforce" {
		f.judge = func(d policy.Defaults, approved bool) error { return gate(d, argv, approved) }
	}
	with, err := f.resolve(host, own...)
	if err != nil {
		return err
	}
	c := confine.Command(with.policy, argv[0], argv[1:]...)
	c.Dir, c.Stdin, c.Stdout, c.Stderr = with.dir, os.Stdin, os.Stdout, os.Stderr
	c.KeepFDs, c.Linger, c.JobControl, c.Annotate = f.keep, f.linger, true, !f.quiet
	f.launched = true
	report, err := c.Run()
	if err != nil && f.quiet {
		printError(os.Stderr, err) // that nothing ran is no note on the command's output
	}
	if err := out.write(report); err != nil {
		printError(os.Stderr, err)
	}
	if report.Foreground {
		endLike(report)
	}
	return exitStatus(report.ExitCode)
}

// fail ends a run for which no command could be made: it prints why, writes the
// report where one was asked for, and returns the exit code.
func (f *runFlags) fail(args []string, err error) int {
	printError(os.Stderr, err)
	report := confine.NewReport(commandIn(args))
	reported := err
	if usage, ok := errors.AsType[*usageError](err); ok {
		reported = &confine.LaunchError{Stage: "read the command line", Hint: usage.hint, Err: err}
	}
	confine.FailReport(report, reported)
	if isRefusal(err) {
		report.Classification = classify.Outcome(classify.Result{Refusal: err.Error()}, classify.Dialect{})
	}
	if f.out == nil {
		out, err := f.findReport(args)
		if err != nil {
			printError(os.Stderr, err)
		}
		f.out = &out
	}
	if err := f.out.write(report); err != nil {
		printError(os.Stderr, err)
	}
	return report.ExitCode
}

// internal is the failure of confine that a panic stands for.
func (f *runFlags) internal(cause any) error {
	err := fmt.Errorf("%v", cause)
	if f.launched {
		err = fmt.Errorf("%v, after the launch had begun: the command may have run", cause)
	}
	return &confine.LaunchError{Stage: "internal error", Err: err, Hint: "this is a bug in confine; CONFINE_DEBUG=1 shows where"}
}

// findReport opens the report although the command line is not valid: the flags
// for it may stand behind the one at fault.
func (f *runFlags) findReport(args []string) (reportFile, error) {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	(&runFlags{}).register(flags)
	path, fd := "", -1
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		name, value, has := strings.Cut(strings.TrimPrefix(args[i], "--"), "=")
		flag := flags.Lookup(name)
		if flag == nil || !strings.HasPrefix(args[i], "--") {
			continue
		}
		if !has && flag.NoOptDefVal == "" && i+1 < len(args) {
			i++
			value = args[i]
		}
		switch name {
		case "report":
			path = value
		case "report-fd":
			if n, err := strconv.ParseUint(value, 10, 16); err == nil {
				fd = int(n)
			}
		}
	}
	host, _ := confine.Host() // without a current folder only relative paths fail
	return openReport(host, path, fd)
}

// findHost is confine.Host with the remedy for what can be wrong there.
func findHost() (policy.Host, error) {
	host, err := confine.Host()
	if err != nil {
		err = &usageError{msg: err.Error(), hint: "start confine in a folder that exists, with /proc mounted"}
	}
	return host, err
}

// commandIn returns what stands after --.
func commandIn(args []string) []string {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[i+1:]
	}
	return []string{}
}
