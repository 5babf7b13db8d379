package classify

import "bytes"

// AnnotateStderr returns stderr unchanged, followed by [Annotation] on a line of its own.
func AnnotateStderr(stderr []byte, c Classification, mode string) []byte {
	note := Annotation(c, mode)
	if note == "" {
		return stderr
	}
	out := bytes.Clone(stderr)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, note...)
}

// Annotation is the text that is added to the stderr of a run.
func Annotation(c Classification, mode string) string {
	switch c.Outcome {
	case Denied:
		return "confine: denied: " + c.Reason + "\n"
	case NotStarted:
		return "confine: not started: " + c.Reason + "; the command did not run\n"
	}
	return ""
}
