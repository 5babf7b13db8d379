//go:build linux

package fence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// TestEffects: what is granted is really done, as package os does it.
func TestEffects(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	w := root + "/w/"
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	content := func(path, want string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s holds %q (%v), want %q", path, got, err, want)
		}
	}
	must(f.WriteFile(w+"f", []byte("longer text"), 0o644))
	must(f.WriteFile(w+"f", []byte("x"), 0o644))
	content(w+"f", "x")
	must(f.WriteFile(w+"dangling", []byte("through"), 0o640))
	content(w+"new-here", "through")
	if info, err := os.Stat(w + "new-here"); err != nil || info.Mode().Perm()&0o037 != 0 {
		t.Errorf("mode %v (%v), want 0640 less umask", info.Mode(), err)
	}
	file, err := f.OpenFile(w+"f", os.O_RDWR|os.O_APPEND, 0)
	must(err)
	_, err = file.WriteString("y")
	must(err)
	if flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("flags %#x (%v), want no O_NONBLOCK", flags, err)
	}
	must(file.Close())
	content(w+"f", "xy")
	must(f.MkdirAll(w+"a/b/c", 0o755))
	must(f.Rename(w+"f", w+"a/b/c/f"))
	if text, err := f.ReadFile(w + "a/b/c/f"); err != nil || string(text) != "xy" || exists(w+"f") {
		t.Errorf("renamed: %q, %v", text, err)
	}
	build(t, root, [][2]string{{"w/a/out", "-> ../../ro"}})
	must(f.RemoveAll(w + "a"))
	if exists(w+"a") || !exists(root+"/ro/f") {
		t.Error("RemoveAll left something, or followed a link")
	}
	text, err := f.Readlink(w + "to-ro")
	if must(err); text != "../ro/f" {
		t.Errorf("link text %q", text)
	}
	info, err := f.Stat(w + "to-d")
	if must(err); !info.IsDir() || info.Name() != "to-d" {
		t.Errorf("stat %v", info)
	}
	entries, err := f.ReadDir(root + "/denied/open")
	if must(err); len(entries) != 1 || entries[0].Name() != "f" {
		t.Errorf("entries %v", entries)
	}
	if info, err := entries[0].Info(); err != nil || info.Size() != 4 {
		t.Errorf("info %v, %v", info, err)
	}
}

func TestWalkDir(t *testing.T) {
	root := scratch(t)
	build(t, root, [][2]string{{"w/a/f", ""}, {"w/secret/f", "SECRET"}, {"w/to-secret", "-> secret"}, {"w/z", ""}, {"denied/open/f", ""}})
	f := newFence(t, usual(t, root))
	var seen []string
	err := f.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		line := strings.TrimPrefix(path, root)
		if err != nil {
			line += " " + verdict(err)
			err = nil
		} else if _, infoErr := d.Info(); infoErr != nil {
			line += " info " + verdict(infoErr)
		}
		seen = append(seen, line)
		return err
	})
	want := []string{"", "/denied info denied", "/denied denied", "/w", "/w/a", "/w/a/f", "/w/secret info denied", "/w/secret denied", "/w/to-secret", "/w/z"}
	if err != nil || !slices.Equal(seen, want) {
		t.Errorf("walked %q (%v), want %q", seen, err, want)
	}
	if err := f.WalkDir(root+"/w/secret", func(_ string, _ fs.DirEntry, err error) error { return err }); denied(err) == nil {
		t.Errorf("walk of a denied root: %v", err)
	}
}

func TestCarveOuts(t *testing.T) {
	root := scratch(t)
	build(t, root, [][2]string{{"w/p/q/secret/f", "SECRET"}, {"w/p/other", ""}, {"w/x/q/secret/f", "planted"}, {"w/file", "file"}})
	p := resolve(t, policy.Defaults{Entries: []policy.Entry{
		{Path: root + "/w", Access: policy.Write}, {Path: root + "/w/p/q/secret", Access: policy.Deny}, {Path: root + "/w/file", Access: policy.Write},
	}}, root, policy.Request{})
	f := newFence(t, p)
	for name, err := range map[string]error{
		"move what holds a carve-out":    f.Rename(root+"/w/p", root+"/w/p2"),
		"move what holds it, deeper":     f.Rename(root+"/w/p/q", root+"/w/q2"),
		"put something there in advance": f.Rename(root+"/w/x", root+"/w/p"),
		"remove what holds it":           f.RemoveAll(root + "/w/p"),
	} {
		d := denied(err)
		if d == nil {
			t.Errorf("%s: %v, want a denial", name, err)
		} else if d.Layer.Path != root+"/w/p/q/secret" {
			t.Errorf("%s: decided by %q", name, d.Layer.Path)
		}
	}
	if err := f.Rename(root+"/w/p/other", root+"/w/p/q/other"); err != nil {
		t.Errorf("beside a carve-out: %v", err)
	}

	lone := newFence(t, resolve(t, policy.Defaults{Entries: []policy.Entry{{Path: root + "/w/file", Access: policy.Write}}}, root, policy.Request{}))
	if err := lone.WriteFile(root+"/w/file", []byte("new"), 0); err != nil {
		t.Errorf("write a file that an entry grants: %v", err)
	}
	for name, err := range map[string]error{
		"remove":  lone.Remove(root + "/w/file"),
		"rename":  lone.Rename(root+"/w/file", root+"/w/file2"),
		"replace": lone.Rename(root+"/w/x", root+"/w/file"),
	} {
		if denied(err) == nil {
			t.Errorf("%s a name whose folder is not writable: %v, want a denial", name, err)
		}
	}
}

func TestHardLinks(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root), WithHardLinks(true))
	if err := f.WriteFile(root+"/w/own", []byte("new"), 0); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(root + "/w/own2"); err != nil || string(text) != "new" {
		t.Errorf("the other name holds %q, %v", text, err)
	}
	if err := newFence(t, usual(t, root)).WriteFile(root+"/w/own", nil, 0); denied(err) == nil || !strings.Contains(err.Error(), "2 hard links") {
		t.Errorf("without the option: %v", err)
	}
}

func TestFullAccess(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, resolve(t, policy.Defaults{Mode: policy.DangerFullAccess}, root, policy.Request{}))
	for _, path := range []string{"w/to-denied", "denied/f", "w/proc-root" + root + "/denied/f", "/proc/self/root" + root + "/ro/f", "/dev/null", "/proc/self/stat", "/proc/self/cwd/fence_test.go"} {
		if _, err := f.ReadFile(path); err != nil {
			t.Errorf("read: %v", err)
		}
	}
	held, err := os.Open(root + "/denied/f")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if text, err := f.ReadFile(byFD(int(held.Fd()))); err != nil || string(text) != "SECRET" {
		t.Errorf("read a descriptor: %q, %v", text, err)
	}
	if err := os.Remove(root + "/denied/f"); err != nil {
		t.Fatal(err)
	}
	if text, err := f.ReadFile(byFD(int(held.Fd()))); err != nil || string(text) != "SECRET" {
		t.Errorf("read a descriptor whose file has no name: %q, %v", text, err)
	}
	if err := f.WriteFile(root+"/w/own", []byte("new"), 0); err != nil {
		t.Error(err)
	}
	if err := f.WriteFile("/dev/null", []byte("new"), 0); err != nil {
		t.Error(err)
	}
	if err := f.RemoveAll(root + "/w"); err != nil || exists(root+"/w") {
		t.Error(err)
	}
}

// TestMagicLinks: procfs is refused below /proc because it is private, and
// elsewhere because its links are magic.
func TestMagicLinks(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	held, err := os.Open(root + "/denied/f")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	pid := fmt.Sprint(os.Getpid())
	for _, path := range []string{
		byFD(int(held.Fd())), "/proc/self/root" + root + "/ro/f", "/proc/self/cwd", "/proc/" + pid + "/cwd/fence_test.go",
		"/proc/" + pid + "/root/etc/passwd", "/proc/thread-self/root/etc/passwd", "/proc/self/exe", "/dev/fd/" + fmt.Sprint(held.Fd()), "/dev/stdin", "/proc/self/environ",
	} {
		if _, err := f.ReadFile(path); denied(err) == nil {
			t.Errorf("read %s: %v, want a denial", path, err)
		}
		if err := f.Check(path, policy.Read); denied(err) == nil {
			t.Errorf("check %s: %v, want a denial", path, err)
		}
	}
	// procfs in a place that is granted: links that are plain lead on, others do not.
	open := resolve(t, policy.Defaults{Mode: policy.DangerFullAccess}, root, policy.Request{})
	elsewhere := &Fence{layers: policy.GrantLayers(open), mode: policy.ReadOnly}
	if _, err := elsewhere.ReadFile("/proc/self/stat"); err != nil {
		t.Errorf("a plain link of procfs: %v", err)
	}
	for _, path := range []string{byFD(int(held.Fd())), "/proc/self/root" + root + "/ro/f", "/proc/self/cwd/fence_test.go", "/proc/self/exe"} {
		d := denied(elsewhere.Check(path, policy.Read))
		if d == nil || !strings.Contains(d.Reason, "magic link") {
			t.Errorf("%s: %+v, want a denial that says why", path, d)
		}
	}
	dir, err := unix.Open("/proc/self", folderOnlyFollowed, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	for name, want := range map[string]bool{"root": true, "cwd": true, "exe": true} {
		fd, err := openat(dir, name, pathOnly, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := magic(dir, fd, name); got != want {
			t.Errorf("%s magic: %v", name, got)
		}
		unix.Close(fd)
	}
	proc, err := unix.Open("/proc", folderOnly, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(proc)
	for _, name := range []string{"self", "mounts"} {
		fd, err := openat(proc, name, pathOnly, 0)
		if err != nil {
			t.Fatal(err)
		}
		if magic(proc, fd, name) {
			t.Errorf("/proc/%s is taken for magic", name)
		}
		unix.Close(fd)
	}
}

const folderOnlyFollowed = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

// TestSpecialFiles: opening one never waits, whatever is at the other end.
func TestSpecialFiles(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: root + "/w/socket"}); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range []string{"fifo", "socket"} {
			for _, err := range []error{
				closing(f.Open(root + "/w/" + name)), closing(f.Create(root + "/w/" + name)), closing(f.OpenFile(root+"/w/"+name, os.O_RDWR, 0)),
			} {
				if denied(err) == nil || !strings.Contains(err.Error(), "it is a "+name) {
					t.Errorf("open: %v, want a denial that says what it is", err)
				}
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("opening a special file waits")
	}
}

func TestPrivateLayers(t *testing.T) {
	root := scratch(t) // below /tmp
	if !strings.HasPrefix(root, "/tmp/") {
		t.Skipf("the temporary folder is %s, not below /tmp", root)
	}
	build(t, root, usualTree)
	f := newFence(t, resolve(t, policy.Defaults{Mode: policy.WorkspaceWrite, Workspace: root + "/w"}, root+"/w", policy.Request{}))
	if err := f.WriteFile("new", []byte("x"), 0o644); err != nil || !exists(root+"/w/new") {
		t.Errorf("write in the workspace: %v", err)
	}
	for _, path := range []string{root + "/ro/f", "/tmp/new", "/dev/null", "/dev/shm/new", "/proc/version"} {
		d := denied(f.Check(path, policy.Read))
		if d == nil || !strings.Contains(d.Reason, "made for that run") {
			t.Errorf("check %s: %+v, want a denial that names the private layer", path, d)
		}
	}
	if err := f.WriteFile("/tmp/"+filepath.Base(root)+".new", nil, 0o644); denied(err) == nil {
		t.Errorf("write below a private folder: %v", err)
	}
	if slices.ContainsFunc(f.writable, func(p string) bool { return p == "/tmp" || p == "/dev/shm" }) {
		t.Errorf("writable: %q", f.writable)
	}
}

func TestDeniedError(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	err := f.WriteFile(root+"/w/to-ro", nil, 0)
	d := denied(err)
	if d == nil || !errors.Is(err, fs.ErrPermission) {
		t.Fatalf("got %v", err)
	}
	if d.Code != "SANDBOX_DENIED" || d.Path != root+"/w/to-ro" || d.Reached != root+"/ro/f" || d.Wanted != policy.Write || d.Mode != policy.ReadOnly ||
		d.Layer.Path != "/" || d.Layer.Access != policy.Read || !slices.Equal(d.Writable, []string{root + "/w"}) {
		t.Errorf("got %+v", d)
	}
	want := fmt.Sprintf(`write "%[1]s/w/to-ro": denied at "%[1]s/ro/f"; mode read-only, layer "/" (baseline: read); writable: ["%[1]s/w"]`, root)
	if err.Error() != want {
		t.Errorf("message\n%s\nwant\n%s", err, want)
	}
	d.Writable[0] = "changed"
	if again := denied(f.WriteFile(root+"/w/to-ro", nil, 0)); again.Writable[0] != root+"/w" {
		t.Error("denials share memory")
	}
}

func TestBadPaths(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	for _, path := range []string{"", "a\x00b", "/" + strings.Repeat("a/", 3000), root + "/" + strings.Repeat("n", 300)} {
		for op, err := range map[string]error{"check": f.Check(path, policy.Read), "stat": second(f.Stat(path)), "rename": f.Rename(path, root+"/w/x"), "rename to": f.Rename(root+"/w/f", path)} {
			if err == nil {
				t.Errorf("%s %.20q: no error", op, path)
			}
		}
	}
	for _, flag := range []int{unix.O_PATH, unix.O_TMPFILE | os.O_RDWR, os.O_RDONLY | os.O_TRUNC, 3, unix.O_DIRECTORY} {
		if file, err := f.OpenFile(root+"/w/f", flag, 0); !errors.Is(err, unix.EINVAL) {
			t.Errorf("flags %#x: %v, %v", flag, file, err)
		}
	}
	if _, err := New(policy.Policy{}); err == nil {
		t.Error("a policy that was not resolved makes a fence")
	}
}

func second[T any](_ T, err error) error { return err }

// TestDecide: what a caller can show for a path.
func TestDecide(t *testing.T) {
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	for _, tt := range []struct {
		path, reached, layer string
		access               policy.Access
		exists               bool
	}{
		{"w/to-d/f", "w/d/f", "w", policy.Write, true},
		{"w/dangling-denied", "denied/new", "denied", policy.Deny, false},
		{"w/dangling", "w/new-here", "w", policy.Write, false},
		{"denied/d/../../w/f", "denied/d", "denied", policy.Deny, false},
		{"w/.git/config", "w/.git/config", "w/.git", policy.Read, true},
		{"w/a/b/c", "w/a/b/c", "w", policy.Write, false},
	} {
		got, err := f.Decide(root + "/" + tt.path)
		if err != nil || got.Reached != root+"/"+tt.reached || got.Layer.Path != root+"/"+tt.layer || got.Access != tt.access || got.Exists != tt.exists {
			t.Errorf("%s: %+v, %v; want %+v", tt.path, got, err, tt)
		}
	}
	if d, err := f.Decide("/proc/self/root"); err != nil || d.Access != policy.Deny || d.Reason == "" {
		t.Errorf("a private place: %+v, %v", d, err)
	}
	if _, err := f.Decide(root + "/w/loop"); !errors.Is(err, unix.ELOOP) {
		t.Errorf("a circle: %v", err)
	}
}

// TestBarred: what the file's own permissions forbid is not a denial.
func TestBarred(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("permissions do not bind root")
	}
	root := scratch(t)
	build(t, root, usualTree)
	f := newFence(t, usual(t, root))
	if err := os.Chmod(root+"/w/d", 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(root+"/w/d", 0o755)
	path := root + "/w/d/e/x"
	d, err := f.Decide(path)
	if err != nil || d.Reached != path || d.Access != policy.Write || d.Exists {
		t.Errorf("decided %+v, %v", d, err)
	}
	if err := f.Check(path, policy.Write); err != nil {
		t.Errorf("check: %v", err)
	}
	if _, err := f.ReadFile(path); denied(err) != nil || !errors.Is(err, unix.EACCES) {
		t.Errorf("read: %v, want EACCES", err)
	}
	if err := f.Check(root+"/w/d/../../ro/f", policy.Write); denied(err) == nil {
		t.Errorf("check of what the rest of the path says: %v, want a denial", err)
	}
}
