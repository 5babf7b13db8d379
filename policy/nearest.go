package policy

import (
	"fmt"
	"strings"
)

// unknownWord is the error for a word that is not one of words.
func unknownWord(what, got string, words []string) *Error {
	e := &Error{Code: CodeInvalid, Msg: fmt.Sprintf("unknown %s %q", what, clip(got, 64))}
	if w, ok := nearest(got, words); ok {
		e.Hint = fmt.Sprintf("did you mean %q?", w)
	} else {
		e.Hint = "use one of: " + strings.Join(words, ", ")
	}
	return e
}

// nearest returns the word closest to s, unless none is close enough to be
// what was meant.
func nearest(s string, words []string) (string, bool) {
	if len(s) == 0 || len(s) > 64 {
		return "", false
	}
	s = strings.ToLower(s)
	best, at := "", len(s)
	for _, w := range words {
		d := distance(s, strings.ToLower(w))
		if strings.HasPrefix(w, s) {
			d = min(d, 1)
		}
		if d < at && d <= max(1, len(w)/3) {
			best, at = w, d
		}
	}
	return best, best != ""
}

// distance is the number of single-byte edits and swaps of neighbours between a
// and b.
func distance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := last[j]
			if a[i] != b[j] {
				cost++
			}
			row[j+1] = min(cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// clip bounds what a message repeats of its input.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
