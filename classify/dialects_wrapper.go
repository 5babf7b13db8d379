package classify

import (
	"slices"
	"strings"
)

// wrapper is how a foreign sandbox reports that it never ran the command. Its text shares a stream with the command's, so three
// things must agree: the exit code is one that it fails with, a line is its fatal message, and nothing else was printed but lines
// known to say nothing. A command that merely mentions the wrapper therefore stays a command that ran.
type wrapper struct {
	exits    []int    // exit codes of its own failures
	fatal    []string // prefixes of its fatal messages
	info     []string // prefixes of its informational lines
	excluded []string // lower-case words of lines that carry a fatal prefix and are not fatal
}

// failure returns the launch failure that the wrapper reports, or nil.
func (w *wrapper) failure(exit int, lines []string) *LaunchFailure {
	if w == nil || !slices.Contains(w.exits, exit) {
		return nil
	}
	var found *LaunchFailure
	for _, line := range lines {
		text := cleanLine(line)
		message, fatal := cutAnyPrefix(text, w.fatal)
		low := lowerASCII(text)
		switch {
		case strings.TrimSpace(text) == "", strings.HasPrefix(text, "ERROR: ld.so: "):
		case fatal && !containsAny(low, w.excluded):
			found = wrapperFailure(message)
		default:
			if _, info := cutAnyPrefix(text, w.info); !info && !(fatal && containsAny(low, w.excluded)) {
				return nil
			}
		}
	}
	return found
}

func wrapperFailure(message string) *LaunchFailure {
	low := lowerASCII(message)
	f := &LaunchFailure{Stage: "sandbox", Reason: validText(message)}
	if containsAny(low, []string{"execvp", "failed to find binary"}) {
		f.Stage = "exec"
		f.NoSuchProgram = containsAny(low, []string{"no such file or directory", "not found"})
		f.NotExecutable = !f.NoSuchProgram && containsAny(low, []string{"permission denied", "exec format error"})
	}
	return f
}

func cutAnyPrefix(s string, prefixes []string) (rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok = strings.CutPrefix(s, p); ok {
			return rest, true
		}
	}
	return s, false
}

func containsAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}
