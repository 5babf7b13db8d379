package confine_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// What a confined process has left: no capabilities, no way to new ones, a filter.
func TestEscapeCredentials(t *testing.T) {
	s := newScene(t, &hostTargets{})
	got, _ := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), "status")
	for _, want := range []string{"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
		"CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2", "SigIgn:\t0000000000000000"} {
		if !strings.Contains(got.Out, want+"\n") {
			t.Errorf("not in /proc/self/status: %q", want)
		}
	}
	for _, want := range []string{fmt.Sprintf("Uid:\t%d\t", os.Geteuid()), fmt.Sprintf("Gid:\t%d\t", os.Getegid())} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("the ids are not the caller's: no %q", want)
		}
	}
	if outside := confinetest.Unconfined(t, "status"); strings.Contains(outside.Out, "NoNewPrivs:\t1") {
		t.Error("outside it is the same: this says nothing")
	}
}

// Every mount is read-only but those that the policy grants and those made for the run.
func TestEscapeMounts(t *testing.T) {
	s := newScene(t, &hostTargets{})
	for _, mode := range []policy.Mode{policy.ReadOnly, policy.WorkspaceWrite} {
		d := s.defaults()
		d.Mode = mode
		got, _ := confinetest.Confined(t, confinetest.Resolve(t, d, s.ws), "mounts")
		seen := map[string]bool{}
		for line := range strings.Lines(got.Out) {
			field := strings.Fields(line)
			point, options := field[4], strings.Split(field[5], ",")
			seen[point] = true
			if slices.Contains(options, "ro") {
				continue
			}
			own := slices.Contains([]string{"/proc", "/dev/pts", "/dev/shm", "/tmp", "/var/tmp"}, point) ||
				slices.Contains([]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/console"}, point)
			granted := mode == policy.WorkspaceWrite && (point == s.ws || point == s.ws+"/sub" || point == s.ws+"/store") // the latter are pins
			if !own && !granted {
				t.Errorf("%s: %s is mounted writable: %s", mode, point, line)
			}
			if own || granted {
				if !slices.Contains(options, "nosuid") {
					t.Errorf("%s: %s honours setuid: %s", mode, point, line)
				}
			}
		}
		if !seen["/proc"] || !seen["/"] || mode == policy.WorkspaceWrite && !seen[s.ws+"/.git"] {
			t.Errorf("%s: the list of mounts is not what it should be:\n%s", mode, got.Out)
		}
	}
}

// Nothing in /proc/sys and the like can be opened for writing, by root neither.
func TestEscapeKernelSettings(t *testing.T) {
	s := newScene(t, &hostTargets{})
	for _, dir := range []string{"/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/sys/kernel", "/sys/fs/cgroup"} {
		if outside := confinetest.Unconfined(t, "writable below", dir); os.Geteuid() == 0 && dir == "/proc/sys" && outside.Out == "" {
			t.Error("outside root can open nothing either")
		}
		if got, _ := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), "writable below", dir); !got.Done() || got.Out != "" {
			t.Errorf("%s: %s", dir, got)
		}
	}
}

// Descriptors that the caller did not pass are closed, and folders refused.
func TestEscapeDescriptors(t *testing.T) {
	s := newScene(t, &hostTargets{})
	pol := confinetest.Resolve(t, s.defaults(), s.ws)
	for _, flags := range []int{unix.O_RDONLY | unix.O_DIRECTORY, unix.O_PATH} { // inheritable: no O_CLOEXEC
		fd, err := unix.Open(s.out, flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(fd)
	}
	if outside := confinetest.Unconfined(t, "descriptors"); !strings.Contains(outside.Out, s.out) {
		t.Fatalf("nothing is inherited outside either: %q", outside.Out)
	}
	got, _ := confinetest.Confined(t, pol, "descriptors")
	if lines := strings.Split(got.Out, "\n"); len(lines) != 3 || strings.Contains(got.Out, s.out) {
		t.Errorf("inside are open:\n%s", got.Out)
	}

	folder, err := os.Open(s.out)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	fd, err := unix.Open(s.out+"/file", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	handle := os.NewFile(uintptr(fd), "handle")
	defer handle.Close()
	for name, pass := range map[string]func(*confine.Cmd){
		"folder as extra file": func(c *confine.Cmd) { c.ExtraFiles = []*os.File{folder} },
		"handle as extra file": func(c *confine.Cmd) { c.ExtraFiles = []*os.File{handle} },
		"folder as stdin":      func(c *confine.Cmd) { c.Stdin = folder },
		"folder as stdout":     func(c *confine.Cmd) { c.Stdout = folder },
		"folder as stderr":     func(c *confine.Cmd) { c.Stderr = folder },
		"folder kept":          func(c *confine.Cmd) { c.KeepFDs = []int{int(folder.Fd())} },
		"handle kept":          func(c *confine.Cmd) { c.KeepFDs = []int{fd} },
	} {
		c := confine.Command(pol, "/bin/true")
		pass(c)
		report, err := c.Run()
		var launch *confine.LaunchError
		if !errors.As(err, &launch) || report.Outcome != "not-started" || report.ExitCode != confine.ExitNotRun {
			t.Errorf("%s: %v, outcome %s, exit code %d", name, err, report.Outcome, report.ExitCode)
		}
	}
}

// Signals to everybody reach nobody outside.
func TestEscapeSignals(t *testing.T) {
	host := openHost(t) // fails the test when its process is gone
	s := newScene(t, host)
	pol := confinetest.Resolve(t, s.defaults(), s.ws)
	for _, target := range []string{"-1", "0"} {
		got, report := confinetest.Confined(t, pol, "kill", target, "9")
		t.Logf("kill(%s): %s, outcome %s", target, got, report.Outcome)
	}
	if err := unix.Kill(host.victim, 0); err != nil {
		t.Errorf("the process outside is gone: %v", err)
	}
}

// Typing into the terminal, with every bit of the command that the kernel ignores.
func TestEscapeTerminalInput(t *testing.T) {
	s := newScene(t, &hostTargets{})
	pol := confinetest.Resolve(t, s.defaults(), s.ws)
	master, slave, err := openPTY()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	defer slave.Close()
	if ioctl := confinetest.OnTerminal(t, slave, "ioctl", fmt.Sprint(uint(unix.TCGETS))); ioctl.ErrnoName() != "EFAULT" && !ioctl.Done() {
		t.Fatalf("the terminal does not work outside: %s", ioctl)
	}
	legacy, _ := os.ReadFile("/proc/sys/dev/tty/legacy_tiocsti")
	if strings.TrimSpace(string(legacy)) == "1" {
		if got := confinetest.OnTerminal(t, slave, "ioctl", fmt.Sprint(uint(unix.TIOCSTI))); !got.Done() {
			t.Errorf("outside, where it should work: %s", got)
		}
	}
	for _, cmd := range []uint64{unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSTI | 1<<32, unix.TIOCSTI | 0xffffffff<<32, unix.TIOCLINUX | 1<<40} {
		c := confinetest.Command(t, pol, "ioctl", fmt.Sprint(cmd))
		c.Stdin = slave
		if got, _ := confinetest.Perform(t, c); got.Errno != unix.EPERM {
			t.Errorf("ioctl %#x: %s, expected EPERM", cmd, got)
		}
	}
}

func openPTY() (master, slave *os.File, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		return nil, nil, err
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return nil, nil, err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return nil, nil, err
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, err
}

// A link that one run plants where a rule of the next one points is an error,
// and a link planted after the policy was resolved too.
func TestEscapePlantedLink(t *testing.T) {
	s := newScene(t, &hostTargets{})
	d := s.defaults()
	d.Entries = append(d.Entries, policy.Entry{Path: s.ws + "/cache/deep", Access: policy.Write})
	if err := os.Mkdir(s.ws+"/cache/deep", 0o755); err != nil {
		t.Fatal(err)
	}
	before := confinetest.Take(t, s.out)
	pol := confinetest.Resolve(t, d, s.ws)
	plant := "mv cache aside; ln -s " + s.out + " cache; ls -d cache"

	narrow := s.defaults()
	if got, _ := confinetest.Confined(t, confinetest.Resolve(t, narrow, s.ws), "sh", plant); !got.Done() {
		t.Fatalf("the link cannot be planted: %s", got)
	}
	if _, err := confinetest.TryResolve(t, d, s.ws); err == nil || !strings.Contains(err.Error(), s.ws+"/cache") {
		t.Errorf("resolve with a planted link: %v, expected an error that names it", err)
	}
	// the policy that was resolved before
	report, err := confine.Command(pol, "/bin/sh", "-c", "echo PWN > cache/deep/x").Run()
	if err == nil {
		t.Errorf("a run over a link planted after resolution: outcome %s", report.Outcome)
	}
	for _, line := range before.Diff(confinetest.Take(t, s.out)) {
		t.Errorf("outside changed: %s", line)
	}
}

// A protected name that is planted over and over ends the run.
func TestEscapePlantingAgainAndAgain(t *testing.T) {
	s := newScene(t, &hostTargets{})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := confinetest.Command(t, confinetest.Resolve(t, s.defaults(), s.ws), "sh", "while :; do mkdir -p .hg 2>/dev/null; done")
	report, err := c.RunContext(ctx)
	if err != nil || ctx.Err() != nil || report.Outcome != "denied" {
		t.Errorf("%v, %v, outcome %s", err, ctx.Err(), report.Outcome)
	}
	if _, err := os.Lstat(s.ws + "/.hg"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the name is there after the run: %v", err)
	}
	if aside, _ := filepath.Glob(s.ws + "/.hg.confine-" + report.RunID + "*"); len(aside) == 0 {
		t.Error("nothing was moved aside")
	}
}

// A masked file or a carve-out that somebody outside replaces is covered again.
func TestEscapeReplacedFromOutside(t *testing.T) {
	s := newScene(t, &hostTargets{})
	confinetest.WriteTree(t, s.ws, map[string]string{"vendor/lib": "text\n", "vendor/key": "SECRET\n"})
	d := s.defaults()
	d.Entries = append(d.Entries, policy.Entry{Path: s.ws + "/vendor", Access: policy.Read}, policy.Entry{Path: s.ws + "/vendor/key", Access: policy.Deny})
	pol := confinetest.Resolve(t, d, s.ws)
	script := `echo ready; read go
i=0; while [ $i -lt 10 ]; do
  cat token secret/key vendor/key "/..$PWD/token" 2>/dev/null; for f in .git/config vendor/lib vendor/key secret/key token; do (echo PWN >> $f) 2>/dev/null && echo WROTE; done; i=$((i+1)); sleep 0.02
done`
	c := confine.Command(pol, "/bin/sh", "-c", script)
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stdin, c.Stdout = in, w
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	w.Close()
	line := make([]byte, 6)
	if _, err := out.Read(line); err != nil {
		t.Fatal(err)
	}
	// as an editor saves, and as a person rearranges
	confinetest.WriteTree(t, s.dir, map[string]string{"new/token": "SECRET\n", "new/secret/key": "SECRET\n", "new/git/config": "[core]\n",
		"new/vendor/lib": "text\n", "new/vendor/key": "SECRET\n"})
	for _, step := range [][2]string{{s.dir + "/new/token", s.ws + "/token"}, {s.ws + "/secret", s.dir + "/gone"}, {s.dir + "/new/secret", s.ws + "/secret"},
		{s.ws + "/.git", s.dir + "/gone git"}, {s.dir + "/new/git", s.ws + "/.git"},
		{s.ws + "/vendor", s.dir + "/gone vendor"}, {s.dir + "/new/vendor", s.ws + "/vendor"}} {
		if err := os.Rename(step[0], step[1]); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 { // and saves again and again
		if err := os.WriteFile(s.dir+"/new/token", []byte("SECRET\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(s.dir+"/new/token", s.ws+"/token"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond) // the documented window is some milliseconds
	if _, err := feed.WriteString("go\n"); err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(out)
	report, err := c.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "SECRET") || strings.Contains(string(text), "WROTE") {
		t.Errorf("inside after the replacement: %q", text)
	}
	for _, want := range []string{s.ws + "/token", s.ws + "/secret", s.ws + "/.git", s.ws + "/vendor", s.ws + "/vendor/key"} {
		if !slices.Contains(report.Restored, want) {
			t.Errorf("restored: %q, without %q", report.Restored, want)
		}
	}
}

// Devices and setuid programs that somebody left in the workspace are dead.
func TestEscapeDeviceAndSetuid(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can make a device; the run as root does")
		return
	}
	s := newScene(t, &hostTargets{})
	device := s.ws + "/device"
	if err := unix.Mknod(device, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))); err != nil {
		t.Fatal(err)
	}
	if got := confinetest.Unconfined(t, "open", device, "r"); !got.Done() {
		t.Errorf("outside, where it should work: %s", got)
	}
	got, _ := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), "open", device, "r")
	if got.Errno != unix.EACCES {
		t.Errorf("a device in the workspace: %s, expected EACCES", got)
	}
}

// The i386 entry of the kernel is closed.
func TestEscapeInt80(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Logf("%s has no such entry", runtime.GOARCH)
		return
	}
	const getpid = 20 // writev on amd64
	s := newScene(t, &hostTargets{})
	got, report := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), "int80", fmt.Sprint(getpid))
	if got.Done() && !strings.HasPrefix(got.Out, "-") {
		t.Errorf("inside it answers: %s", got)
	}
	t.Logf("inside: %s, outcome %s, signal %s", got, report.Outcome, report.SignalName)
}

// The network axis: each reach gives what it says and nothing more.
func TestEscapeReach(t *testing.T) {
	host := openHost(t)
	s := newScene(t, host)
	for _, c := range []struct {
		reach policy.Reach
		act   []string
		want  string
	}{
		{policy.ReachDeny, a("connect", "tcp", "{tcp}"), "ENETUNREACH"},
		{policy.ReachDeny, a("sh", "ip -o link show lo up 2>/dev/null | grep ."), "exit status 1"},
		{policy.ReachDeny, a("connect mptcp", "{tcp}"), "ENETUNREACH EPROTONOSUPPORT EPERM"},
		{policy.ReachLoopback, a("connect", "tcp", "{tcp}"), "ECONNREFUSED"},
		{policy.ReachLoopback, a("connect mptcp", "{tcp}"), "ECONNREFUSED EPROTONOSUPPORT EPERM"},
		{policy.ReachLoopback, a("listen"), "done"},
		{policy.ReachLoopback, a("connect", "unix", "{abstract}"), "ECONNREFUSED"},
		{policy.ReachLoopback, a("connect", "tcp", "192.0.2.1:80"), "ENETUNREACH"},
		{policy.ReachAllowAll, a("connect", "tcp", "{tcp}"), "done"},
		{policy.ReachAllowAll, a("connect", "unix", "{socket}"), "EACCES"},
		{policy.ReachAllowAll, a("connect", "unix", "{abstract}"), "EPERM"},
		{policy.ReachAllowAll, a("kill", "{victim}", "0"), "ESRCH"},
	} {
		d := s.defaults()
		d.Network = c.reach
		act := s.fill(c.act)
		got, report := confinetest.Confined(t, confinetest.Resolve(t, d, s.ws), act[0], act[1:]...)
		if got.Done() && report.Enforced.Processes.Level == confine.Partial && act[0] == "connect" && act[2] == host.abstract {
			continue // a kernel without Landlock scopes, and the report says so
		}
		if !slices.Contains(strings.Split(c.want, " "), got.ErrnoName()) && got.ErrnoName() != c.want {
			t.Errorf("reach %s, %q: %s, expected %s", c.reach, c.act, got, c.want)
		}
	}
}

// Shared memory and temporary folders of the run are its own.
func TestEscapeTemporaryFolders(t *testing.T) {
	s := newScene(t, &hostTargets{})
	name := fmt.Sprintf("confinetest-%d", os.Getpid())
	script := fmt.Sprintf("for d in /tmp /var/tmp /dev/shm; do echo PWN > $d/%s || exit 1; done", name)
	if got, _ := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), "sh", script); !got.Done() {
		t.Errorf("the run has no temporary folders: %s", got)
	}
	for _, dir := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if _, err := os.Lstat(dir + "/" + name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s/%s on the host: %v", dir, name, err)
		}
	}
}

// Secrets of the caller's environment stay outside.
func TestEscapeEnvironment(t *testing.T) {
	t.Setenv("CONFINETEST_TOKEN", "PWN")
	t.Setenv("DATABASE_URL", "postgres://user:PWN@host/db")
	if !strings.Contains(confinetest.Unconfined(t, "environment").Out, "PWN") {
		t.Fatal("outside they are not there either")
	}
	s := newScene(t, &hostTargets{})
	for _, all := range []bool{false, true} {
		d := s.defaults()
		d.Env.All = all
		pol := confinetest.Resolve(t, d, s.ws)
		for _, act := range [][]string{{"environment"}, {"sh", "tr '\\0' '\\n' < /proc/self/environ; cat /proc/1/environ /proc/1/cmdline; true"}} {
			if got, _ := confinetest.Confined(t, pol, act[0], act[1:]...); strings.Contains(got.Out, "PWN") {
				t.Errorf("%q sees it: %s", act, got.Out)
			}
		}
	}
}
