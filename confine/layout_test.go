package confine_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/confine"
	"confine/confine/confinetest"
	"confine/policy"
)

// layout is a way in which a workspace can lie in the world. The script says
// what must work inside; what it prints is compared.
type layout struct {
	name   string
	files  map[string]string // below a fresh folder
	policy policy.Defaults   // paths relative to the folder
	cwd    string            // relative to the folder, or absolute
	below  string            // the folder's parent; "" is outside /tmp
	chmod  map[string]os.FileMode
	script string
	out    string
	host   map[string]string // what the host's files hold afterwards, "" for none
}

const tryWrite = `try() { if (echo x > "$1") 2>/dev/null; then echo "wrote $1"; else echo "no $1"; fi; }; `

var layouts = []layout{
	{name: "workspace below /tmp with a private tmp", below: "/tmp",
		files:  map[string]string{"ws/file": "text", "ws/.git/config": "c", "other": "secret"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "ws"}, cwd: "ws",
		script: tryWrite + `cat file; echo; try new; try .git/config; try /tmp/own; ls ..; cat ../other 2>/dev/null || echo hidden`,
		out:    "text\nwrote new\nno .git/config\nwrote /tmp/own\nws\nhidden\n", host: map[string]string{"ws/new": "x\n", "ws/.git/config": "c"}},
	{name: "read-only with the folder below /tmp",
		below: "/tmp", files: map[string]string{"ws/file": "text"}, policy: policy.Defaults{Mode: policy.ReadOnly}, cwd: "ws",
		script: tryWrite + `cat file; echo; try new`, out: "text\nno new\n", host: map[string]string{"ws/new": ""}},
	{name: "worktree inside the workspace",
		files:  map[string]string{"main/.git/config": "c", "main/.git/HEAD": "h", "main/.git/worktrees/wt/commondir": "../..\n", "main/.git/worktrees/wt/HEAD": "h", "wt/.git": "gitdir: ../main/.git/worktrees/wt\n", "wt/file": "f"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "wt", Entries: []policy.Entry{{Path: "main", Access: policy.Write}}}, cwd: "wt",
		script: tryWrite + `try file; try .git; try ../main/file; try ../main/.git/config; try ../main/.git/hook; try ../main/.git/worktrees/wt/HEAD`,
		out:    "wrote file\nno .git\nwrote ../main/file\nno ../main/.git/config\nno ../main/.git/hook\nno ../main/.git/worktrees/wt/HEAD\n"},
	{name: "worktree whose repository lies elsewhere, granted explicitly",
		files:  map[string]string{"main/.git/config": "c", "main/.git/worktrees/wt/commondir": "../..\n", "wt/.git": "gitdir: ../main/.git/worktrees/wt\n"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "wt", Entries: []policy.Entry{{Path: "main/.git", Access: policy.Write}, {Path: "main/.git/config", Access: policy.Read}}}, cwd: "wt",
		script: tryWrite + `try ../main/.git/new; try ../main/.git/config; try ../main/x`, out: "wrote ../main/.git/new\nno ../main/.git/config\nno ../main/x\n"},
	{name: ".git is a link to a folder in the workspace",
		files:  map[string]string{"ws/.git": "-> real git", "ws/real git/config": "c", "ws/f": "f"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "ws"}, cwd: "ws",
		script: tryWrite + `cat .git/config; echo; try .git/config; try "real git/config"; try "real git/hook"; rm .git 2>/dev/null || echo stays; mv .git x 2>/dev/null || echo stays; try f`,
		out:    "c\nno .git/config\nno real git/config\nno real git/hook\nstays\nstays\nwrote f\n", host: map[string]string{"ws/real git/config": "c"}},
	{name: ".git is a link out of the workspace",
		files:  map[string]string{"ws/.git": "-> ../elsewhere/git", "elsewhere/git/config": "c"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "ws", Entries: []policy.Entry{{Path: "elsewhere", Access: policy.Write}}}, cwd: "ws",
		script: tryWrite + `cat .git/config; echo; try .git/config; try ../elsewhere/git/config; try ../elsewhere/x; rm -f .git 2>/dev/null; readlink .git`,
		out:    "c\nno .git/config\nno ../elsewhere/git/config\nwrote ../elsewhere/x\n../elsewhere/git\n"},
	{name: ".git is a dangling link",
		files:  map[string]string{"ws/.git": "-> nothing", "ws/f": "f"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "ws"}, cwd: "ws",
		script: tryWrite + `try f; rm -f .git 2>/dev/null; readlink .git`, out: "wrote f\nnothing\n"},
	{name: "spaces, newlines and bytes that are no text",
		files:  map[string]string{"w s\n\xff/a b/.env\n": "secret", "w s\n\xff/a b/ok \xfe": "text", "w s\n\xff/.git/x": "x"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "w s\n\xff", Entries: []policy.Entry{{Path: "w s\n\xff/a b/.env\n", Access: policy.Deny}}}, cwd: "w s\n\xff/a b",
		script: tryWrite + `cat ok*; echo; cat .env* 2>/dev/null || echo hidden; (echo x > ../.git/x) 2>/dev/null || echo protected; echo y > new && cat new`,
		out:    "text\nhidden\nprotected\ny\n"},
	{name: "carve-outs in folders that cannot be written to",
		files: map[string]string{"ws/ro/secret": "s", "ws/ro/deep/open/f": "f", "ws/ro/plain": "p"}, chmod: map[string]os.FileMode{"ws/ro/deep": 0o555, "ws/ro": 0o555, "ws": 0o555},
		policy: policy.Defaults{Mode: policy.ReadOnly, Entries: []policy.Entry{{Path: "ws/ro", Access: policy.Deny}, {Path: "ws/ro/deep/open", Access: policy.Write}, {Path: "ws/ro/plain", Access: policy.Read}}}, cwd: "ws/ro/deep/open",
		script: tryWrite + `try f; cat ../../plain; echo; cat ../../secret 2>/dev/null || echo hidden; ls ../.. 2>/dev/null || echo "not listed"`,
		out:    "wrote f\np\nhidden\nnot listed\n", host: map[string]string{"ws/ro/deep/open/f": "x\n", "ws/ro/secret": "s"}},
	{name: "working directory outside the workspace",
		files:  map[string]string{"ws/f": "f", "other/f": "o"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "ws"}, cwd: "other",
		script: tryWrite + `cat f; echo; try f; try ../ws/f; pwd | grep -c /other$`, out: "o\nno f\nwrote ../ws/f\n1\n"},
	{name: "parents that are links",
		files:  map[string]string{"real/deep/ws/f": "f", "real/deep/ws/.git/c": "c", "link": "-> real/deep", "link2": "-> link/ws"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "link2", Entries: []policy.Entry{{Path: "link/ws/f", Access: policy.Read}}}, cwd: "real/deep/ws",
		script: tryWrite + `try f; try g; try .git/c; cd ../../../link/ws && try h; try .git/c`,
		out:    "no f\nwrote g\nno .git/c\nwrote h\nno .git/c\n"},
	{name: "two and three of everything",
		files: map[string]string{"a/1": "1", "a/2": "2", "a/3": "3", "b/1/x": "x", "b/2/x": "x", "b/3/x": "x", "c/1/x": "x", "c/2/x": "x", "d/1": "1", "d/2": "2", "d/3": "3"},
		policy: policy.Defaults{Mode: policy.ReadOnly, Entries: []policy.Entry{
			{Path: "a/1", Access: policy.Deny}, {Path: "a/2", Access: policy.Deny}, {Path: "a/3", Access: policy.Deny},
			{Path: "b/1", Access: policy.Deny}, {Path: "b/2", Access: policy.Deny}, {Path: "b/3", Access: policy.Deny},
			{Path: "c", Access: policy.Write}, {Path: "c/1", Access: policy.Read}, {Path: "c/2", Access: policy.Read},
			{Path: "d/1", Access: policy.Write}, {Path: "d/2", Access: policy.Write}, {Path: "d/3", Access: policy.Write}}},
		script: tryWrite + `cat a/* b/*/x 2>/dev/null; try c/new; try c/1/x; try c/2/x; try d/1; try d/2; try d/3; try d/4`,
		out:    "wrote c/new\nno c/1/x\nno c/2/x\nwrote d/1\nwrote d/2\nwrote d/3\nno d/4\n"},
	{name: "the workspace is its own carve-out's neighbour and parent",
		files:  map[string]string{"p/.git/c": "c", "p/sub/.git/c": "c", "p/sub/f": "f"},
		policy: policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: "p", Entries: []policy.Entry{{Path: "p/sub", Access: policy.Write}}}, cwd: "p",
		script: tryWrite + `try .git/c; try sub/.git/c; try sub/f`, out: "no .git/c\nno sub/.git/c\nwrote sub/f\n"},
}

func TestLayout(t *testing.T) {
	for _, l := range layouts {
		for _, baseline := range []policy.Baseline{policy.BaselineAllow, policy.BaselineDeny} {
			t.Run(l.name+"/baseline "+baseline.String(), func(t *testing.T) {
				t.Parallel()
				l.test(t, baseline)
			})
		}
	}
}

func (l layout) test(t *testing.T, baseline policy.Baseline) {
	dir := confinetest.Dir(t)
	if l.below != "" {
		dir = confinetest.DirIn(t, l.below)
	}
	confinetest.WriteTree(t, dir, l.files)
	for name, mode := range l.chmod {
		if err := os.Chmod(dir+"/"+name, mode); err != nil {
			t.Fatal(err)
		}
	}
	d := l.policy
	d.Baseline = baseline
	if d.Workspace != "" {
		d.Workspace = dir + "/" + d.Workspace
	}
	entries := []policy.Entry{}
	if baseline == policy.BaselineDeny && l.below == "" {
		entries = append(entries, policy.Entry{Path: dir, Access: policy.Read})
	}
	if baseline == policy.BaselineDeny && l.below != "" && d.Mode == policy.ReadOnly {
		entries = append(entries, policy.Entry{Path: dir + "/" + l.cwd, Access: policy.Read})
	}
	for _, e := range d.Entries {
		e.Path = dir + "/" + e.Path
		entries = append(entries, e)
	}
	d.Entries = entries
	cwd := dir + "/" + l.cwd
	out, report, err := confine.Command(confinetest.Resolve(t, d, filepath.Clean(cwd)), "/bin/sh", "-c", l.script).Output()
	if err != nil || string(out) != l.out {
		t.Errorf("%v, outcome %s (%s), output:\n%s\nexpected:\n%s", err, report.Outcome, report.Reason, out, l.out)
	}
	for name, want := range l.host {
		b, _ := os.ReadFile(dir + "/" + name)
		if string(b) != want {
			t.Errorf("on the host %s holds %q, expected %q", name, b, want)
		}
	}
}

// A folder on which something else is mounted, with mounts below it.
func TestLayoutSeparateMounts(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root can mount; the run as root does")
		return
	}
	dir := confinetest.Dir(t)
	confinetest.WriteTree(t, dir, map[string]string{"ws/mounted/": "", "ws/closed/": "", "out/mounted/": ""})
	for _, point := range []string{"/ws/mounted", "/ws/closed", "/out/mounted"} {
		if err := unix.Mount("confinetest", dir+point, "tmpfs", 0, "size=1m,mode=0755"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Unmount(dir+point, unix.MNT_DETACH) })
		confinetest.WriteTree(t, dir+point, map[string]string{"file": "text", "deep/secret": "s", ".git/config": "c"})
	}
	if err := unix.Mount("confinetest", dir+"/ws/mounted/deep", "tmpfs", 0, "size=1m,mode=0755"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir+"/ws/mounted/deep", unix.MNT_DETACH) })
	d := policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: dir + "/ws", Entries: []policy.Entry{
		{Path: dir + "/ws/closed", Access: policy.Deny}, {Path: dir + "/ws/mounted/.git", Access: policy.Read}}}
	script := tryWrite + `try mounted/file; try mounted/deep/new; try mounted/.git/config; ls closed 2>/dev/null || echo closed; try closed/x; cat ../out/mounted/file; echo; try ../out/mounted/file`
	out, report, err := confine.Command(confinetest.Resolve(t, d, dir+"/ws"), "/bin/sh", "-c", script).Output()
	want := "wrote mounted/file\nwrote mounted/deep/new\nno mounted/.git/config\nclosed\nno closed/x\ntext\nno ../out/mounted/file\n"
	if err != nil || string(out) != want {
		t.Errorf("%v, outcome %s, output:\n%s", err, report.Outcome, out)
	}
}

// Sockets of other users, in folders that only those may enter, are no obstacle.
func TestLayoutForeignSocket(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("only root sees into the folders of others; the run as root does")
		return
	}
	for _, base := range []string{"/srv", "/tmp"} {
		dir := confinetest.DirIn(t, base)
		if err := os.Mkdir(dir+"/private", 0o700); err != nil {
			t.Fatal(err)
		}
		serve(t, "unix", dir+"/private/socket")
		for _, path := range []string{dir + "/private/socket", dir + "/private"} {
			if err := os.Chown(path, 65534, 65534); err != nil {
				t.Fatal(err)
			}
		}
		for _, mode := range []policy.Mode{policy.ReadOnly, policy.WorkspaceWrite} {
			d := policy.Defaults{Mode: mode, Workspace: confinetest.Dir(t)}
			got, _ := confinetest.Confined(t, confinetest.Resolve(t, d, d.Workspace), "connect", "unix", dir+"/private/socket")
			if got.Done() {
				t.Errorf("%s, below %s: connected", mode, base)
			}
		}
	}
}

// A socket that is gone or new when the run begins is no obstacle either.
func TestLayoutVanishedSocket(t *testing.T) {
	dir := confinetest.Dir(t)
	for _, name := range []string{"gone", "new"} {
		serve(t, "unix", dir+"/"+name)
	}
	pol := confinetest.Resolve(t, policy.Defaults{Mode: policy.ReadOnly}, dir)
	for _, name := range []string{"gone", "new"} {
		if err := os.Remove(dir + "/" + name); err != nil {
			t.Fatal(err)
		}
	}
	serve(t, "unix", dir+"/new")
	if got, _ := confinetest.Confined(t, pol, "connect", "unix", dir+"/gone"); got.ErrnoName() != "ENOENT" {
		t.Errorf("the one that is gone: %s", got)
	}
	if got, _ := confinetest.Confined(t, pol, "connect", "unix", dir+"/new"); got.Done() {
		t.Error("the one that was replaced was reached")
	}
}

// A working directory that is gone, or hidden, is a clear error before anything runs.
func TestLayoutWorkingDirectory(t *testing.T) {
	bin := confinetest.CLI(t)
	dir := confinetest.Dir(t)
	confinetest.WriteTree(t, dir, map[string]string{"gone/": "", "hidden/": "", "there/": ""})
	for _, c := range []struct {
		script string
		want   string
	}{
		{`cd gone && rmdir ../gone && "$0" -- true`, "director"},
		{`cd hidden && "$0" --deny "$PWD" -- true`, "hidden"},
		{`cd there && "$0" --mode workspace-write --workspace ../nothing -- true`, "nothing"},
	} {
		cmd := exec.Command("sh", "-c", c.script, bin)
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 125 || !strings.Contains(string(out), c.want) || strings.Count(string(out), "\n") > 2 {
			t.Errorf("%q: exit code %d, %q", c.script, code, out)
		}
	}
}

// A thousand entries are as exact as one, and cost little.
func TestLayoutManyEntries(t *testing.T) {
	dir := confinetest.Dir(t)
	d := policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: dir}
	for i := range 1000 {
		path := fmt.Sprintf("%s/%02d/%03d", dir, i%37, i)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if i%2 == 0 {
			err = os.WriteFile(path, []byte("text"), 0o644)
		} else {
			err = os.Mkdir(path, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		d.Entries = append(d.Entries, policy.Entry{Path: path, Access: []policy.Access{policy.Deny, policy.Read}[i/2%2]})
	}
	script := `n=0; for f in */*; do if (: >> "$f") 2>/dev/null || (: > "$f/x") 2>/dev/null; then n=$((n+1)); fi; done; echo "writable: $n"
n=0; for f in */*; do if ls "$f"/ > /dev/null 2>&1 || cat "$f" > /dev/null 2>&1; then n=$((n+1)); fi; done; echo "readable: $n"
for d in *; do : > "$d/free" || echo "not free: $d"; done`
	start := time.Now()
	out, report, err := confine.Command(confinetest.Resolve(t, d, dir), "/bin/sh", "-c", script).Output()
	if want := "writable: 0\nreadable: 500\n"; err != nil || string(out) != want {
		t.Errorf("%v, outcome %s, output:\n%s", err, report.Outcome, out)
	}
	t.Logf("a run with 1,000 entries took %v", time.Since(start))
}
