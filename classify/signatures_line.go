package classify

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// stderrLines splits the tail of a stderr. The first line of a truncated tail may be the end of another and is dropped.
func stderrLines(tail []byte, truncated bool) []string {
	text := string(tail)
	if truncated {
		_, text, _ = strings.Cut(text, "\n")
	}
	return strings.Split(text, "\n")
}

// cleanLine is a line as a reader sees it: without terminal sequences, and what was overwritten by a carriage return is gone.
// Bytes that are not UTF-8 stay, since they may be part of a path.
func cleanLine(line string) string {
	line = strings.TrimRight(line, "\r")
	line = line[strings.LastIndexByte(line, '\r')+1:]
	if strings.IndexByte(line, 0x1b) < 0 {
		return line
	}
	var out strings.Builder
	for i := 0; i < len(line); {
		if line[i] != 0x1b {
			out.WriteByte(line[i])
			i++
			continue
		}
		i = escapeEnd(line, i)
	}
	return out.String()
}

// escapeEnd returns the index after the terminal sequence that starts at i.
func escapeEnd(s string, i int) int {
	if i++; i >= len(s) {
		return i
	}
	switch s[i] {
	case '[': // control sequence: up to its final byte
		for i++; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
	case ']', 'P', '^', '_': // a string: up to BEL or ST
		for i++; i < len(s); i++ {
			if s[i] == 7 {
				return i + 1
			}
			if s[i] == '\\' && s[i-1] == 0x1b {
				return i + 1
			}
		}
	default:
		return i + 1
	}
	return i
}

// joinWrapped puts the warnings that curl breaks at the width of a terminal back on one line.
func joinWrapped(lines []string) {
	const lead = "Warning: "
	for i := len(lines) - 2; i >= 0; i-- {
		if strings.HasSuffix(lines[i], " ") && strings.HasPrefix(lines[i+1], lead) && strings.Contains(lines[i], lead) {
			lines[i] += lines[i+1][len(lead):]
			lines[i+1] = ""
		}
	}
}

// lowerASCII lowers A to Z and nothing else, so that byte offsets stay true.
func lowerASCII(s string) string {
	for i := range len(s) {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// excludedLine says that a line is no message of a program about itself: a shell or system call trace, quoted source
// or a comment, or the words of a remote machine.
func excludedLine(low string) bool {
	trimmed := strings.TrimLeft(low, " \t")
	for _, p := range []string{"+ ", "++ ", "# ", "//", "* ", "> ", "< ", "@@", "remote: ", "scp: dest ", "scp: remote ", "error response from daemon"} {
		if strings.HasPrefix(trimmed, p) {
			return true
		}
	}
	if len(low) > 1 && (low[0] == '+' || low[0] == '-' && !dashName(low)) && low[1] != ' ' { // of a unified diff
		return true
	}
	gutter := strings.TrimLeft(trimmed, "0123456789")
	return strings.HasPrefix(strings.TrimLeft(gutter, " "), "| ") || strings.Contains(low, ") = -1 e") || strings.Contains(low, ") = ? e")
}

// dashName says whether a line begins with a name that has a dash: of a login shell, "-bash: ", or of a script that was given
// as an option, "-e:1: ".
func dashName(low string) bool {
	name, _, found := strings.Cut(low[1:], ":")
	return found && (strings.HasSuffix(name, "sh") || name == "e")
}

// advisoryLine says that the program reports a refusal and goes on, or that the refusal concerns a start-up or history file
// that shells and tools do without. A warning about an attempt that will be repeated is the refusal itself.
func advisoryLine(low string) bool {
	if containsAny(low, []string{"retry", "spurious network error"}) {
		return false
	}
	trimmed := strings.TrimLeft(low, " \t")
	for _, p := range []string{"warn", "[warn", "npm warn", "note:", "info:", "debug:", "hint:", "notice:", "w:", "i:", "n:"} {
		if strings.HasPrefix(trimmed, p) {
			return true
		}
	}
	return containsAny(low, []string{
		": warning:", ": warning ", ": warn:", " ignored", "(ignored)", "ignoring", "skipping", "falling back", "continuing", "sudo: unable to resolve host",
		"/.bashrc:", "/.profile:", "/.bash_profile:", "/.bash_login:", "/.zshrc:", "/.zshenv:", "/etc/profile", "/etc/bash.bashrc", "_history",
	})
}

// validText makes a line of output printable as one string: valid UTF-8, no line breaks at its ends.
func validText(s string) string { return strings.ToValidUTF8(strings.TrimSpace(s), "\uFFFD") }

// snippet cuts a line to at most 512 bytes round the words at [from, to).
func snippet(text string, from, to int) string {
	const limit = 512
	if len(text) > limit {
		start := max(0, min(from-limit/2, len(text)-limit))
		if to-start > limit {
			start = max(0, to-limit)
		}
		text = text[start : start+limit]
	}
	return cutBytes(strings.ToValidUTF8(strings.TrimSpace(text), "?"), limit) // "?" never makes it longer
}

// cutBytes cuts valid UTF-8 to at most n bytes without splitting a character.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// splitWords yields the words of lower-case text: runs of letters, digits and underscores.
func splitWords(low string) iter.Seq[string] {
	return strings.FieldsFuncSeq(low, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}
