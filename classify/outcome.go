package classify

// Outcome says what became of a run.
//
// Pure: the same Result and Dialect give the same answer anywhere.
func Outcome(r Result, d Dialect) Classification {
	switch {
	case r.Refusal != "":
		return Classification{Outcome: Refused, Reason: r.Refusal, Confidence: ConfidenceCertain}
	case r.Launch != nil:
		return Classification{Outcome: NotStarted, Reason: r.Launch.Reason, Launch: r.Launch, Confidence: ConfidenceCertain}
	case r.Limit != "":
		return Classification{Outcome: Limit, Limit: r.Limit, Reason: r.Limit, Confidence: ConfidenceCertain}
	case r.Signal != 0:
		return Classification{Outcome: Signaled, Signal: r.Signal, Confidence: ConfidenceCertain}
	case r.ExitCode == 0:
		return Classification{Outcome: Success, Confidence: ConfidenceCertain}
	}
	return Classification{Outcome: Failed, Confidence: ConfidenceLikely}
}
