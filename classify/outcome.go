package classify

import (
	"fmt"
	"slices"
	"strings"
)

// Outcome says what became of a run. What is known comes before what is read from text:
//
//  1. a refusal, and a launch that failed (for foreign backends read from the wrapper's own message);
//  2. a limit;
//  3. an exit status of 0, unless a Record says that the effect was undone;
//  4. a kill by the seccomp filter;
//  5. an exact Record;
//  6. text in the words of d's backend;
//  7. a signal, else the command's own failure.
//
// Text decides by the last denial that the command did not shrug off, a certain one before a likely one. Two groups of exit
// statuses are the command's own whatever the text: 126 and 127, with which shells report a program, and 2, unless the policy
// refuses the very path or peer that a line names, or a relative name lies on a read-only mount. That exception is there because
// dash ends so on a refused redirection, make on any failed recipe, and ls, grep and tar on any file that they may not open. Signals that come from outside (all but SIGILL,
// SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV) say nothing about earlier messages either; then only a Record makes a denial.
//
// Outcome is pure but for what d's Judge does. It does not vouch for text: a command can print a refusal that never happened,
// so a harness that grants something should grant what [Denial] names, and only after asking.
func Outcome(r Result, d Dialect) Classification {
	lines := stderrLines(r.StderrTail, r.StderrTruncated)
	launch := r.Launch
	if launch == nil && r.Refusal == "" && r.Limit == "" && r.Signal == 0 && !r.StderrTruncated {
		launch = d.runner.failure(r.ExitCode, lines)
	}
	switch {
	case r.Refusal != "":
		return Classification{Outcome: Refused, Reason: escapedText(r.Refusal), Confidence: ConfidenceCertain}
	case launch != nil:
		return d.notStarted(launch, r.Launch != nil)
	}

	c := d.collect(r, lines)
	undone := slices.IndexFunc(r.Records, func(rec Record) bool { return rec.Undone })
	switch {
	case r.Limit != "":
		c.Outcome, c.Limit, c.Confidence = Limit, r.Limit, ConfidenceCertain
		c.Reason, c.Hint = escapedText(r.Limit)+" limit", d.limitHint(r.Limit)
	case r.Signal == 0 && r.ExitCode == 0 && undone < 0:
		c.Outcome, c.Confidence = Success, ConfidenceCertain
	case r.Signal != 0 && r.Signal == d.sigsys:
		c.Signal = r.Signal
		d.deny(&c, Denial{Kind: DenialSyscall, What: "system call", Errno: "SIGSYS", Confidence: ConfidenceCertain})
	case undone >= 0:
		d.deny(&c, recorded(r.Records[undone]))
	case len(r.Records) > 0:
		d.deny(&c, recorded(r.Records[len(r.Records)-1]))
	default:
		c.Signal = r.Signal
		d.byText(&c, r)
	}
	return c
}

// collect lists the denials of a run: its records in order, then those its stderr speaks of.
func (d Dialect) collect(r Result, lines []string) Classification {
	var c Classification
	for _, rec := range r.Records {
		c.Denials = append(c.Denials, recorded(rec))
	}
	read := d.read(lines)
	c.Denials, c.MoreDenials = append(c.Denials, read.denials...), read.more
	if over := len(c.Denials) - maxDenials; over > 0 {
		c.Denials, c.MoreDenials = c.Denials[:maxDenials], c.MoreDenials+over
	}
	return c
}

func recorded(rec Record) Denial {
	return Denial{
		Kind: rec.Kind, What: validText(rec.What), Path: validText(rec.Path), Layer: validText(rec.Layer),
		Errno: rec.Errno, Confidence: ConfidenceCertain,
	}
}

// byText decides a run that failed with nothing but its stderr to tell why.
func (d Dialect) byText(c *Classification, r Result) {
	needs := ConfidenceLikely
	decidable := true
	switch {
	case r.Signal != 0:
		decidable = slices.Contains([]int{4, 5, 6, 7, 8, 11}, r.Signal)
	case r.ExitCode == 2:
		needs = ConfidenceCertain
	case r.ExitCode == 126, r.ExitCode == 127:
		decidable = false
	}
	if decidable {
		for _, grade := range []Confidence{ConfidenceCertain, ConfidenceLikely} {
			for _, denial := range slices.Backward(c.Denials) {
				if denial.Confidence == grade && (grade == needs || grade == ConfidenceCertain || elsewhere(denial)) && !denial.Advisory {
					d.deny(c, denial)
					return
				}
			}
		}
	}
	if c.Outcome, c.Confidence = Failed, ConfidenceLikely; r.Signal != 0 {
		c.Outcome, c.Confidence = Signaled, ConfidenceCertain
	} else if len(c.Denials) > 0 || r.StderrTruncated {
		c.Confidence = ConfidenceUnknown
	}
	if r.Signal != 0 {
		c.Reason = fmt.Sprintf("killed by signal %d", r.Signal)
	}
}

// elsewhere says of a denial that only the mounts can be meant: a relative name that the policy lets the run write in its own
// folder lies in another one, into which programs like "tar -C" and "make -C" went.
func elsewhere(d Denial) bool {
	return d.Errno == "EROFS" && d.Path != "" && !strings.HasPrefix(d.Path, "/")
}

func (d Dialect) deny(c *Classification, by Denial) {
	c.Outcome, c.Confidence, c.Deciding = Denied, by.Confidence, &by
	c.Reason, c.Hint = describe(by, d.mode), d.denialHint(by)
}

// notStarted reports a launch that failed; ours says that our own launcher did, so that its remedies can be named.
func (d Dialect) notStarted(f *LaunchFailure, ours bool) Classification {
	c := Classification{Outcome: NotStarted, Launch: f, Confidence: ConfidenceCertain, Reason: escapedText(f.Reason)}
	if f.Stage != "" {
		c.Reason = escapedText(f.Stage) + ": " + c.Reason
	}
	if !ours {
		c.Confidence = ConfidenceLikely
		return c
	}
	c.Hint = d.launchHint(f)
	return c
}
