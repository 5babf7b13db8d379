// Command testsum reads the event stream of go test -json and prints what a
// person wants to know of it: a line for each package, the output of what
// failed, the reason of what was skipped. With -total it prints the counts of
// several streams; a test counts as skipped if it was never run. It fails if
// something failed, and with CONFINE_REQUIRE set also if something was skipped.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

type name struct{ pkg, test string }

type summary struct {
	output                  map[name]*strings.Builder
	passed, failed, skipped map[name]int
	lost                    int // packages that failed without a failing test
}

func main() {
	total := flag.Bool("total", false, "print the counts alone")
	flag.Parse()
	s := summary{map[name]*strings.Builder{}, map[name]int{}, map[name]int{}, map[name]int{}, 0}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			if !*total {
				fmt.Println(lines.Text())
			}
			continue
		}
		s.add(e, !*total)
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(1)
	}
	if *total {
		os.Exit(s.total())
	}
}

func (s *summary) add(e event, show bool) {
	n := name{e.Package, e.Test}
	if s.output[n] == nil {
		s.output[n] = &strings.Builder{}
	}
	switch e.Action {
	case "output", "build-output":
		s.output[n].WriteString(e.Output)
		return
	case "pass":
		s.passed[n]++
	case "fail":
		s.failed[n]++
		if e.Test == "" && !s.anyFailed(e.Package) {
			s.lost++
		}
	case "skip":
		s.skipped[n]++
	default:
		return
	}
	if !show {
		return
	}
	text := s.output[n].String()
	delete(s.output, n)
	switch {
	case e.Test == "":
		fmt.Printf("%-5s %s (%.1f s)\n", e.Action, e.Package, e.Elapsed)
		if e.Action == "fail" {
			fmt.Print(text)
		}
	case e.Action == "fail":
		fmt.Printf("--- FAIL %s %s\n%s", e.Package, e.Test, text)
	case e.Action == "skip":
		fmt.Printf("--- skip %s %s: %s\n", e.Package, e.Test, reason(text))
	}
}

func (s *summary) anyFailed(pkg string) bool {
	for n := range s.failed {
		if n.pkg == pkg && n.test != "" {
			return true
		}
	}
	return false
}

// reason is the last line of a skipped test's output that the test itself wrote.
func reason(output string) string {
	said := ""
	for line := range strings.Lines(output) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "===") && !strings.HasPrefix(line, "---") {
			said = line
		}
	}
	return said
}

func (s *summary) total() int {
	count := func(m map[name]int) (n int) {
		for test, times := range m {
			if test.test != "" {
				n += times
			}
		}
		return n
	}
	never := map[name]bool{}
	for n := range s.skipped {
		if n.test != "" && s.passed[n]+s.failed[n] == 0 {
			never[n] = true
		}
	}
	for _, n := range slices.SortedFunc(maps.Keys(never), func(a, b name) int { return strings.Compare(a.pkg+a.test, b.pkg+b.test) }) {
		fmt.Printf("never run: %s %s\n", n.pkg, n.test)
	}
	failed := count(s.failed) + s.lost
	fmt.Printf("tests: %d passed, %d failed, %d skipped\n", count(s.passed), failed, len(never))
	if failed > 0 || len(never) > 0 && os.Getenv("CONFINE_REQUIRE") != "" {
		return 1
	}
	return 0
}
