//go:build linux

package seccomp

// nearest returns the known call with the smallest edit distance to the name.
func nearest(name string) string {
	best, least := "", 1<<30
	for _, c := range calls {
		if d := distance(name, c.name); d < least {
			best, least = c.name, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
