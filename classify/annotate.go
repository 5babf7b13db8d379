package classify

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AnnotateStderr returns stderr byte for byte, followed by [Annotation] on a line of its own. Where there is nothing to add
// the result is stderr itself.
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

// Annotation is the text that is added to the stderr of a run: one line that says what was denied, which limit ended the run or
// why nothing ran, and where there is a remedy a second one with it. It is "" for success, plain failure and foreign signals.
// What came from the command is escaped, so that a file name can neither forge a line nor reach the terminal.
//
// A command can print such a line itself; only the report is out of its reach.
func Annotation(c Classification, mode string) string {
	var line string
	switch c.Outcome {
	case Denied:
		line = "denied: " + c.Reason
		if c.Deciding != nil {
			line = "denied: " + describe(*c.Deciding, mode)
		}
	case NotStarted:
		line = "not started: " + c.Reason + "; the command did not run"
	case Refused:
		line = "refused: " + c.Reason + "; the command did not run"
	case Limit:
		line = "limit: " + c.Reason + " reached"
	default:
		return ""
	}
	line = "confine: " + escapedText(line) + "\n"
	if c.Hint != "" {
		line += "confine: hint: " + escapedText(c.Hint) + "\n"
	}
	return line
}

// describe says in one line what was denied, where, in which mode, by which layer, and how sure that is.
func describe(d Denial, mode string) string {
	var out strings.Builder
	out.WriteString(escapedText(d.What))
	switch {
	case d.Path != "":
		out.WriteString(" " + quotePath(d.Path))
	case d.Host != "":
		out.WriteString(" " + quotePath(d.Host))
	case d.Errno != "":
		out.WriteString(" (" + escapedText(d.Errno) + ")")
	}
	if mode != "" {
		out.WriteString(", mode " + escapedText(mode))
	}
	if d.Layer != "" {
		out.WriteString(", by " + escapedText(d.Layer))
	}
	if d.Confidence == ConfidenceLikely {
		out.WriteString(" (likely)")
	}
	return out.String()
}

// maxShown bounds what one name may take of a line.
const maxShown = 512

func quotePath(path string) string {
	if len(path) > maxShown {
		path = cutBytes(path, maxShown) + "…"
	}
	return strconv.Quote(path)
}

// escapedText escapes what is not printable: control characters, line breaks, bidirectional marks, bytes that are not UTF-8.
func escapedText(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == ' ' || strconv.IsPrint(r) && (r != utf8.RuneError || size > 1) {
			out.WriteString(s[i : i+size])
		} else {
			quoted := strconv.Quote(s[i : i+size])
			out.WriteString(quoted[1 : len(quoted)-1])
		}
		i += size
	}
	return out.String()
}
