package classify

import (
	"fmt"
	"strings"
	"testing"
)

func BenchmarkExec(b *testing.B) {
	for _, argv := range [][]string{
		{"systemctl", "status", "nginx"},
		{"git", "-C", "/repo", "log", "--oneline", "-n", "5", "--", "src/main.go"},
		{"bash", "-lc", "cd /repo && npm test -- --watch=false 2>&1 | tail -n 40"},
		{"find", ".", "-name", "*.go", "-exec", "grep", "-l", "TODO", "{}", "+"},
	} {
		b.Run(argv[0], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Exec(argv)
			}
		})
	}
}

// longScript is a script of about 64 KB of ordinary commands.
func longScript() string {
	var s strings.Builder
	for i := 0; s.Len() < maxScript-200; i++ {
		fmt.Fprintf(&s, "if [ -f src/file%d.go ]; then\n\tgrep -n \"TODO(%d)\" src/file%d.go | sort -u >/dev/null\nfi\ngo test -run 'TestCase%d' ./pkg/p%d && echo \"ok $HOME %d\"\n", i, i, i, i, i, i)
	}
	return s.String()
}

func BenchmarkCommand64K(b *testing.B) {
	script := longScript()
	b.SetBytes(int64(len(script)))
	b.ReportAllocs()
	for b.Loop() {
		Command(script)
	}
}

func BenchmarkParseTable(b *testing.B) {
	b.SetBytes(int64(len(commandsText)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newTable("commands.txt", commandsText); err != nil {
			b.Fatal(err)
		}
	}
}
