// Bench times confine against bubblewrap with the same isolation and against
// nothing at all, in turn, and prints medians and ratios. It asserts nothing:
// the figures are for people.
//
//	go run ./scripts/bench [-n RUNS] [-confine bin/confine]
//
// It works in a new folder below the home of the user who runs it, as root
// below that of the ordinary user named by -user, and removes it.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

type bench struct {
	confine string
	n       int
	dir     string // new, the user's
	as      *syscall.Credential
	env     []string
	out     *tabwriter.Writer
}

func main() {
	b := bench{}
	flag.StringVar(&b.confine, "confine", "bin/confine", "binary to measure")
	flag.IntVar(&b.n, "n", 60, "runs of each command")
	name := flag.String("user", "confine-test", "ordinary user to measure as, for root")
	flag.Parse()
	if err := b.run(*name); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(name string) (err error) {
	if b.confine, err = filepath.Abs(b.confine); err != nil {
		return err
	}
	u, err := user.Current()
	if err != nil {
		return err
	}
	if os.Geteuid() == 0 {
		if u, err = user.Lookup(name); err != nil {
			return err
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		b.as = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	b.env = []string{"HOME=" + u.HomeDir, "PATH=" + os.Getenv("PATH"), "USER=" + u.Username, "LANG=C.UTF-8", "GOFLAGS=-buildvcs=false", "GOTOOLCHAIN=local"}
	if b.dir, err = os.MkdirTemp(u.HomeDir, "bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	exe, err := os.ReadFile(b.confine) // the checkout may be out of the user's reach
	if err != nil {
		return err
	}
	b.confine = filepath.Join(b.dir, "confine")
	if err := os.WriteFile(b.confine, exe, 0o755); err != nil {
		return err
	}
	if err := b.prepare(); err != nil {
		return err
	}
	b.out = tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer b.out.Flush()
	fmt.Fprintf(b.out, "measure\truns\tconfine\tcompared with\tratio\n")
	for _, step := range []func() error{b.startup, b.entries, b.memory, b.work} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// prepare makes the workspace: a repository, a Go program, a wide tree, and
// 1,000 folders for entries.
func (b *bench) prepare() error {
	ws := filepath.Join(b.dir, "ws")
	script := `set -e
mkdir -p "$1/ws" "$1/tree" "$1/entries" && cd "$1/ws"
git init -q . && git config user.email a@example.org && git config user.name a
for d in $(seq 20); do mkdir -p d$d; for f in $(seq 100); do echo "$d $f" >d$d/f$f; done; done
printf 'module m\n\ngo 1.21\n' >go.mod
printf 'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("x") }\n' >main.go
git add -A && git commit -qm start
cd "$1/entries" && seq 1000 | xargs mkdir
cd "$1/tree" && seq 1000 | xargs mkdir && for d in *; do (cd $d && seq 100 | xargs touch); done`
	if b.as != nil {
		if err := os.Chown(b.dir, int(b.as.Uid), int(b.as.Gid)); err != nil {
			return err
		}
	}
	cmd := b.command(b.dir, "sh", "-c", script, "sh", b.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("prepare %s: %w: %s", ws, err, out)
	}
	return nil
}

func (b *bench) command(dir string, argv ...string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, b.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: b.as}
	return cmd
}

// race runs the commands in turn and returns the median of each.
func (b *bench) race(n int, dir string, commands ...[]string) ([]time.Duration, error) {
	times := make([][]time.Duration, len(commands))
	for i := range n + 1 { // the first round warms up
		for j, argv := range commands {
			cmd := b.command(dir, argv...)
			start := time.Now()
			err := cmd.Run()
			took := time.Since(start)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", strings.Join(argv[:min(len(argv), 8)], " "), err)
			}
			if i > 0 {
				times[j] = append(times[j], took)
			}
		}
	}
	medians := make([]time.Duration, len(commands))
	for j := range times {
		slices.Sort(times[j])
		medians[j] = times[j][len(times[j])/2]
	}
	return medians, nil
}

func (b *bench) row(name string, n int, ours, theirs time.Duration, other string) {
	fmt.Fprintf(b.out, "%s\t%d\t%.2f ms\t%s %.2f ms\t%.3f\n", name, n, ms(ours), other, ms(theirs), float64(ours)/float64(theirs))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (b *bench) ours(args ...string) []string { return append([]string{b.confine}, args...) }

// bwrap is bubblewrap with the isolation of --mode workspace-write.
func (b *bench) bwrap(ws string, argv ...string) []string {
	return append([]string{"bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--bind", ws, ws,
		"--ro-bind", ws + "/.git", ws + "/.git", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp",
		"--tmpfs", "/run", "--chdir", ws, "--"}, argv...)
}

func (b *bench) startup() error {
	ws := filepath.Join(b.dir, "ws")
	t, err := b.race(b.n, ws, b.ours("--mode", "workspace-write", "--", "true"), b.bwrap(ws, "true"), []string{"true"})
	if err != nil {
		return err
	}
	b.row("start-up, workspace-write", b.n, t[0], t[1], "bwrap")
	b.row("start-up, workspace-write", b.n, t[0], t[2], "nothing")
	t, err = b.race(b.n, ws, b.ours("--", "true"), []string{"bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"})
	if err != nil {
		return err
	}
	b.row("start-up, read-only", b.n, t[0], t[1], "bwrap")
	return nil
}

func (b *bench) entries() error {
	args := []string{"--mode", "workspace-write"}
	for i := range 1000 {
		kind := [...]string{"--deny", "--write", "--read"}[i%3]
		args = append(args, kind, fmt.Sprintf("%s/entries/%d", b.dir, i+1))
	}
	ws := filepath.Join(b.dir, "ws")
	n := max(b.n/3, 5)
	t, err := b.race(n, ws, b.ours(append(args, "--", "true")...), b.ours("--mode", "workspace-write", "--", "true"))
	if err != nil {
		return err
	}
	b.row("1,000 entries", n, t[0], t[1], "none")
	fmt.Fprintf(b.out, "1,000 entries add\t%d\t%.2f ms\t\t\n", n, ms(t[0]-t[1]))
	return nil
}

// memory reads the supervisor's peak while a command runs.
func (b *bench) memory() error {
	cmd := b.command(filepath.Join(b.dir, "ws"), b.ours("--mode", "workspace-write", "--", "sh", "-c", "echo ready; exec sleep 60")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if _, err := out.Read(make([]byte, 16)); err != nil {
		return err
	}
	time.Sleep(200 * time.Millisecond)
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && (f[0] == "VmHWM:" || f[0] == "VmRSS:") {
			kb, _ := strconv.Atoi(f[1])
			fmt.Fprintf(b.out, "supervisor %s\t1\t%.1f MB\t\t\n", strings.TrimSuffix(f[0], ":"), float64(kb)/1024)
		}
	}
	return nil
}

// work compares what runs inside with the same outside: loops long enough that
// the start-up is a small part, which is subtracted.
func (b *bench) work() error {
	ws := filepath.Join(b.dir, "ws")
	base, err := b.race(b.n/3, ws, b.ours("--mode", "workspace-write", "--", "true"), []string{"true"})
	if err != nil {
		return err
	}
	cache := "--write=" + filepath.Join(b.dir, "cache")
	if err := b.command(b.dir, "mkdir", "-p", filepath.Join(b.dir, "cache")).Run(); err != nil {
		return err
	}
	goEnv := []string{"--env", "GOCACHE=" + filepath.Join(b.dir, "cache"), "--env", "GOFLAGS", "--env", "GOTOOLCHAIN", cache}
	for _, w := range []struct {
		name  string
		extra []string
		n     int
		shell string
	}{
		{"git status, 30 times", nil, 15, "for i in $(seq 30); do git status >/dev/null; done"},
		{"walk over 100,000 files", nil, 15, "find " + b.dir + "/tree -type f -size +1k | wc -l >/dev/null"},
		{"go build, 5 times", goEnv, 9, "for i in $(seq 5); do echo \"// $i $$\" >>main.go; GOCACHE=" + filepath.Join(b.dir, "cache") + " go build -o " + filepath.Join(b.dir, "cache", "m") + " . || exit; done"},
	} {
		inside := append(append([]string{b.confine, "--mode", "workspace-write"}, w.extra...), "--", "sh", "-c", w.shell)
		t, err := b.race(w.n, ws, inside, []string{"sh", "-c", w.shell})
		if err != nil {
			return err
		}
		b.row(w.name+", start-up taken off", w.n, t[0]-(base[0]-base[1]), t[1], "outside")
	}
	return nil
}
