package confine_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine/confinetest"
	"confine/policy"
)

var superviseActs = map[string]confinetest.Act{
	// garbage writes bytes that no terminal, decoder or line reader likes, in
	// pieces of odd sizes, then a refusal without a newline.
	"garbage": func(args []string) (string, error) {
		data := garbage(number(args[0]))
		for n := 1; len(data) > 0; n = n*7%65521 + 1 {
			piece := data[:min(n, len(data))]
			if _, err := os.Stderr.Write(piece); err != nil {
				return "", err
			}
			data = data[len(piece):]
		}
		os.Exit(1)
		return "", nil
	},
}

func garbage(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	return append(data, "\nsh: cannot create /etc/x: Read-only file system"...)
}

// stderr arrives byte for byte, and the annotation after it on lines of its own.
func TestSuperviseStderrIsPassedThrough(t *testing.T) {
	for _, size := range []int{0, 1, 4096, 65536, 10 << 20} {
		for _, annotate := range []bool{false, true} {
			ws := confinetest.Dir(t)
			c := confinetest.Command(t, confinetest.Resolve(t, policy.Defaults{Mode: policy.ReadOnly}, ws), "garbage", fmt.Sprint(size))
			var got bytes.Buffer
			c.Stderr, c.Annotate = &got, annotate
			report := run(t, c, 20*time.Second)
			want := garbage(size)
			if report.Outcome != "denied" {
				t.Errorf("%d bytes: outcome %s (%s)", size, report.Outcome, report.Reason)
			}
			added := []byte{}
			if annotate {
				added = []byte("\n" + report.Annotation)
			}
			if sha256.Sum256(got.Bytes()) != sha256.Sum256(append(want, added...)) {
				t.Errorf("%d bytes, annotate %v: got %d bytes, expected %d + %d; end %q", size, annotate, got.Len(), len(want), len(added), tailOf(got.Bytes(), 300))
			}
			if !strings.HasSuffix(report.Annotation, "\n") || strings.Count(report.Annotation, "\n") > 2 || !strings.HasPrefix(report.Annotation, "confine: denied: ") {
				t.Errorf("annotation %q", report.Annotation)
			}
		}
	}
}

func tailOf(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// Success and a command's own failure add nothing.
func TestSuperviseSilence(t *testing.T) {
	for _, script := range []string{"exit 0", "exit 3", "echo oops >&2; exit 1", "grep nothing /etc/passwd; true"} {
		cmd := command(t, confinetest.CLI(t), "--", "sh", "-c", script)
		plain := command(t, "sh", "-c", script)
		plain.Dir = "/"
		var got, want bytes.Buffer
		cmd.Stderr, plain.Stderr = &got, &want
		_, _ = cmd.Run(), plain.Run()
		if got.String() != want.String() || cmd.ProcessState.ExitCode() != plain.ProcessState.ExitCode() {
			t.Errorf("%q: stderr %q, exit code %d; unconfined %q, %d", script, got.String(), cmd.ProcessState.ExitCode(), want.String(), plain.ProcessState.ExitCode())
		}
	}
}

// stdout and stderr that are one file keep their order.
func TestSuperviseOneStreamKeepsOrder(t *testing.T) {
	const script = "i=0; while [ $i -lt 300 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done"
	var want strings.Builder
	for i := range 300 {
		fmt.Fprintf(&want, "o%d\ne%d\n", i, i)
	}
	for name, redirect := range map[string]string{"file": "> all 2>&1; cat all", "appended": ">> all 2>> all; cat all", "pipe": "2>&1 | cat"} {
		cmd := command(t, "sh", "-c", `"$0" --quiet -- sh -c "$1" `+redirect, confinetest.CLI(t), script)
		if out, err := cmd.Output(); err != nil || string(out) != want.String() {
			t.Errorf("%s: %v, %d bytes, expected %d: %.300q", name, err, len(out), want.Len(), out)
		}
	}
}

func TestSuperviseStdin(t *testing.T) {
	data := garbage(5 << 20)
	c := sh(t, "cat")
	c.Stdin = bytes.NewReader(data)
	if out, report, err := c.Output(); err != nil || !bytes.Equal(out, data) || report.ExitCode != 0 {
		t.Errorf("through a reader: %v, %d of %d bytes", err, len(out), len(data))
	}

	c = sh(t, "head -c 10")
	c.Stdin = endless{}
	start := time.Now()
	if out, _, err := c.Output(); err != nil || len(out) != 10 || time.Since(start) > 15*time.Second {
		t.Errorf("from an endless reader: %v, %d bytes after %v", err, len(out), time.Since(start))
	}

	r, w := io.Pipe() // that nobody ever writes to or closes
	defer w.Close()
	c = sh(t, "echo done")
	c.Stdin = r
	start = time.Now()
	if out, _, err := c.Output(); err != nil || string(out) != "done\n" || time.Since(start) > 15*time.Second {
		t.Errorf("with a silent reader: %v, %q after %v", err, out, time.Since(start))
	}

	if out, _, err := sh(t, "wc -c; readlink /proc/self/fd/0").Output(); err != nil || string(out) != "0\n/dev/null\n" {
		t.Errorf("without stdin: %v, %q", err, out)
	}

	cmd := command(t, "sh", "-c", `printf 'one\ntwo\n' | { "$0" -- sh -c 'read x; echo $x'; cat; }`, confinetest.CLI(t))
	if out, err := cmd.Output(); err != nil || string(out) != "one\ntwo\n" {
		t.Errorf("what the command did not read is gone: %v, %q", err, out)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// Streams that are closed stay closed or are /dev/null, and nothing else takes
// their numbers.
func TestSuperviseClosedStreams(t *testing.T) {
	for _, closed := range []string{"<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"} {
		cmd := command(t, "sh", "-c", `"$0" --mode workspace-write -- sh -c 'ls -l /proc/$$/fd > fds 2> /dev/null; exit 6' `+closed, confinetest.CLI(t))
		_ = cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 6 {
			t.Errorf("%s: exit code %d", closed, code)
		}
		fds, _ := os.ReadFile(cmd.Dir + "/fds")
		for line := range strings.Lines(string(fds)) {
			_, target, ok := strings.Cut(strings.TrimSpace(line), " -> ")
			allowed := target == "/dev/null" || strings.HasPrefix(target, "pipe:") || target == cmd.Dir+"/fds"
			if ok && !allowed {
				t.Errorf("%s: the command has %s", closed, strings.TrimSpace(line))
			}
		}
	}
}

// Everything that was written before the end arrives.
func TestSuperviseOutputIsComplete(t *testing.T) {
	for range 5 {
		out, report, err := sh(t, "seq 1 60000; (seq 1 60000) >&2; kill -KILL $$").Output()
		if err != nil || !bytes.HasSuffix(out, []byte("\n60000\n")) || report.Signal != int(unix.SIGKILL) {
			t.Errorf("%v, signal %d, end %q", err, report.Signal, tailOf(out, 20))
		}
	}
}

// Descriptors that are passed have their numbers, and no others are there.
func TestSuperviseDescriptors(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("hello\n"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	kept, err := unix.FcntlInt(r.Fd(), unix.F_DUPFD_CLOEXEC, 57)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(kept)
	c := sh(t, fmt.Sprintf("cat <&3; ls /proc/$$/fd; [ /proc/$$/fd/3 -ef /proc/$$/fd/%d ] && echo same", kept))
	c.ExtraFiles, c.KeepFDs = []*os.File{r}, []int{kept}
	out, _, err := c.Output()
	if want := fmt.Sprintf("hello\n0\n1\n2\n3\n%d\nsame\n", kept); err != nil || string(out) != want {
		t.Errorf("%v, %q, expected %q", err, out, want)
	}
}
