package confine

import (
	"errors"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"confine/classify"
	"confine/policy"
)

// Exit codes of confine's own (contract of the command line, see the README).
const (
	ExitTimeout       = 124 // the wall-clock limit ended the command
	ExitNotRun        = 125 // nothing ran
	ExitNotExecutable = 126
	ExitNotFound      = 127
)

// conclude fills in the outcome of a command that was executed.
func (r *run) conclude(res classify.Result, dialect classify.Dialect) {
	rep := r.report
	rep.Classification = classify.Outcome(res, dialect)
	rep.ExitCode = res.ExitCode
	if res.Signal != 0 {
		rep.ExitCode, rep.SignalName = 128+res.Signal, unix.SignalName(unix.Signal(res.Signal))
	}
	if res.Limit == "wall clock" {
		rep.ExitCode = ExitTimeout
	}
	r.finishReport()
}

// finishError completes the report of a run in which nothing was executed.
func (r *run) finishError(err error) {
	FailReport(r.report, err)
	r.finishReport()
}

// finishReport adds the times and the annotation, and writes the annotation
// after the command's own stderr where that is asked for.
func (r *run) finishReport() {
	r.report.DurationMS = time.Since(r.began).Milliseconds()
	r.report.Annotation = classify.Annotation(r.report.Classification, r.report.Mode)
	abandoned := r.streams != nil && r.streams.abandoned
	if r.cmd.Annotate && r.cmd.Stderr != nil && r.report.Annotation != "" && !abandoned {
		text := r.report.Annotation
		if r.streams != nil && r.streams.tail.last != 0 && r.streams.tail.last != '\n' {
			text = "\n" + text // on a line of its own
		}
		_, _ = r.cmd.Stderr.Write([]byte(text)) // the caller's stderr is gone: nowhere to say so
	}
}

// FailReport completes a report for err: nothing ran, and why.
func FailReport(r *Report, err error) {
	r.Error, r.ExitCode = err.Error(), ExitNotRun
	var unavailable *UnavailableError
	var launch *LaunchError
	var invalid *policy.Error
	failure := &classify.LaunchFailure{Reason: err.Error()}
	hint := ""
	switch {
	case errors.As(err, &unavailable):
		r.ErrorCode, r.Missing, failure.Stage, hint = CodeUnavailable, unavailable.Missing, "backend", unavailable.Hint()
	case errors.As(err, &launch):
		failure.Stage, failure.Path, hint = launch.Stage, launch.Path, launch.Hint
		failure.Reason = launch.reason()
		if launch.Stage == "execute" {
			failure.NoSuchProgram = errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)
			failure.NotExecutable = !failure.NoSuchProgram && errors.As(err, new(unix.Errno))
		}
	case errors.As(err, &invalid):
		r.ErrorCode, failure.Stage, hint = invalid.Code, "policy", invalid.Hint
	default:
		failure.Stage = "start"
		var hinted interface{ Hint() string }
		if errors.As(err, &hinted) {
			hint = hinted.Hint()
		}
	}
	var errno unix.Errno
	if errors.As(err, &errno) {
		failure.Errno = unix.ErrnoName(errno)
	}
	switch {
	case failure.NoSuchProgram:
		r.ExitCode = ExitNotFound
	case failure.NotExecutable:
		r.ExitCode = ExitNotExecutable
	}
	r.Classification = classify.Outcome(classify.Result{Launch: failure}, classify.Dialect{})
	if hint != "" || failure.Stage == "start" {
		r.Classification.Hint = hint
	}
}

// judge answers for the classifier from the layers of the run.
func judge(layers policy.Layers, cwd string) classify.Judge {
	return func(path string) (access, layer string, ok bool) {
		if !filepath.IsAbs(path) {
			path = cwd + "/" + path
		}
		l := layers.Deciding(filepath.Clean(path))
		return l.Access.String(), l.Origin.String() + " " + l.Path, true
	}
}
