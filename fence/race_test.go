//go:build linux

package fence

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confine/policy"
)

const attackEnv = "CONFINE_FENCE_TEST_ATTACK"

func TestMain(m *testing.M) {
	if root := os.Getenv(attackEnv); root != "" {
		attack(root)
		return
	}
	os.Exit(m.Run())
}

// swaps are exchanged in turn by another process, all the time.
var swaps = [][2]string{
	{"w/dir", "w/dir-link"},                 // a folder and a link to the denied one
	{"w/file", "w/file-link"},               // a file and a link to a denied one
	{"w/file2", "w/ro-link"},                // a file and a link to one that is read-only
	{"w/deep/a", "w/deep/a-link"},           // a folder halfway
	{"w/single", "w/hard"},                  // a file and another name of a denied one
	{"w/chain", "w/chain2"},                 // links to a file and through a link to a denied one
	{"w/target", "w/target-link"},           // where something is made
	{"w/moving/inner", "denied/away/inner"}, // a folder carried into the denied one and back
	{"w/.git", "w/git-link"},                // a name that is protected
}

// attack exchanges names until its standard input ends.
func attack(root string) {
	ended := make(chan struct{})
	go func() {
		os.Stdin.Read(make([]byte, 1))
		close(ended)
	}()
	for i := 0; ; i++ {
		for _, s := range swaps {
			if err := unix.Renameat2(unix.AT_FDCWD, root+"/"+s[0], unix.AT_FDCWD, root+"/"+s[1], unix.RENAME_EXCHANGE); err != nil && err != unix.ENOENT {
				fmt.Println(s, err)
				os.Exit(1)
			}
			if i%64 == 0 {
				select {
				case <-ended:
					return
				default:
				}
			}
		}
	}
}

const secret, readOnly, good = "SECRET", "READ-ONLY", "good"

func raceTree(t *testing.T, root string) {
	build(t, root, [][2]string{
		{"denied/f", secret}, {"denied/sub/f", secret}, {"denied/single", secret}, {"denied/victim", secret}, {"denied/away/inner/f", good}, {"denied/away/f", secret},
		{"ro/f", readOnly}, {"ro/sub/f", readOnly}, {"ro/victim", readOnly},
		{"w/dir/f", good}, {"w/dir/sub/f", good}, {"w/dir/victim", good}, {"w/dir-link", "-> ../denied"},
		{"w/file", good}, {"w/file-link", "-> ../denied/f"},
		{"w/file2", good}, {"w/ro-link", "-> ../ro/f"},
		{"w/deep/a/b/f", good}, {"w/deep/a/b/sub/f", good}, {"w/deep/x", ""}, {"w/deep/a-link", "-> ../to-ro"}, {"w/to-ro/b", "-> ../../ro"},
		{"w/single", good}, {"w/hard", "= denied/single"},
		{"w/chain", "-> dir/f"}, {"w/chain2", "-> chain3"}, {"w/chain3", "-> ../denied/sub/f"},
		{"w/target/", ""}, {"w/target-link", "-> ../ro"},
		{"w/moving/inner/f", good}, {"w/moving/f", good},
		{"w/.git/config", readOnly}, {"w/git-link", "-> dir"},
	})
}

// TestRace: while another process exchanges folders, files and links, nothing
// that the policy denies is read, made, changed or removed.
func TestRace(t *testing.T) {
	root := scratch(t)
	raceTree(t, root)
	f := newFence(t, resolve(t, policy.Defaults{Entries: []policy.Entry{
		{Path: root + "/w", Access: policy.Write}, {Path: root + "/denied", Access: policy.Deny},
	}}, root, policy.Request{}))
	secrets := inodes(t, root+"/denied", "/away/inner")
	kept := []string{"denied/f", "denied/sub", "denied/single", "denied/victim", "denied/away/f", "ro"}
	state := func() (lines []string) {
		for _, k := range kept {
			lines = append(lines, snapshot(t, root+"/"+k)...)
		}
		return append(lines, names(t, root+"/denied")...)
	}
	before := state()

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), attackEnv+"="+root)
	stop, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	const operations = 10_000
	counts := map[string]map[string]int{}
	for n := range operations {
		name, err := operate(t, f, root+"/w", n, secrets)
		if counts[name] == nil {
			counts[name] = map[string]int{}
		}
		counts[name][verdict(err)]++
		if err != nil && errors.Is(err, errRestless) {
			t.Logf("%s gave up: %v", name, err)
		}
		if t.Failed() {
			break
		}
	}
	// Control: the plain operation falls for it, so the attack is a real one.
	fooled := 0
	for n := 0; n < 20_000 && fooled < 10; n++ {
		for _, path := range []string{"/w/dir/f", "/w/file", "/w/moving/inner/../f"} {
			if text, err := os.ReadFile(root + path); err == nil && string(text) == secret {
				fooled++
			}
		}
	}
	stop.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatalf("the attacker: %v: %s", err, output.String())
	}
	if after := state(); !slices.Equal(before, after) {
		t.Errorf("what is denied has changed:\n%s\nbefore:\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	t.Logf("fooled the plain operation %d times; %v", fooled, counts)
	if fooled == 0 {
		t.Error("control: the attack never fooled a plain read")
	}
	for name, verdicts := range counts {
		if verdicts[ok] == 0 {
			t.Errorf("%s never succeeded: %v", name, verdicts)
		}
	}
	for _, name := range []string{"read", "write", "hard", "create", "remove", "rename", "stat", "list"} {
		if counts[name][deny] == 0 {
			t.Errorf("%s was never denied: %v", name, counts[name])
		}
	}
}

// operate does the n-th operation below w and checks what it learned.
func operate(t *testing.T, f *Fence, w string, n int, secrets map[uint64]string) (string, error) {
	pick := func(paths ...string) string { return w + "/" + paths[n/12%len(paths)] }
	clean := func(text []byte, err error) error {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("operation %d read what is denied", n)
		}
		return err
	}
	switch n % 12 {
	case 0, 1:
		text, err := f.ReadFile(pick("dir/f", "file", "chain", "dir/sub/f", "moving/inner/../f", "moving/inner/f", "deep/a/b/f", "dir/../file2"))
		return "read", clean(text, err)
	case 2:
		path := pick("file", "file2", "dir/f", "deep/a/b/f", "chain", "dir/sub/../f")
		return "write", f.WriteFile(path, []byte(good), 0o644)
	case 3:
		return "hard", f.WriteFile(w+"/single", []byte(good), 0o644)
	case 4:
		path := pick("dir/new", "target/new", "deep/a/b/new", "moving/inner/new")
		file, err := f.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			file.Close()
		}
		return "create", err
	case 5:
		return "remove", f.Remove(pick("dir/new", "target/new", "deep/a/b/new", "dir/victim", "target/victim", "moving/inner/new"))
	case 6:
		err := f.Rename(pick("dir/victim", "target/f", "deep/a/b/f"), pick("deep/x", "dir/f", "deep/a/b/f"))
		if err == nil {
			f.WriteFile(w+"/dir/victim", []byte(good), 0o644)
			f.WriteFile(w+"/deep/a/b/f", []byte(good), 0o644)
		}
		return "rename", err
	case 7:
		info, err := f.Stat(pick("dir/f", "file", "chain", "dir", "moving/inner/../f"))
		if err == nil {
			ino := inode(info)
			if path, bad := secrets[ino]; bad {
				t.Errorf("operation %d described %s", n, path)
			}
		}
		return "stat", err
	case 8:
		entries, err := f.ReadDir(pick("dir", "target", "moving/inner/..", "dir/sub/.."))
		for _, e := range entries {
			if e.Name() == "single" || e.Name() == "away" {
				t.Errorf("operation %d listed the denied folder", n)
			}
		}
		return "list", err
	case 9:
		err := f.MkdirAll(pick("dir/m/n", "target/m/n", "deep/a/b/m/n"), 0o755)
		return "mkdirall", err
	case 10:
		return "removeall", f.RemoveAll(pick("dir/m", "target/m", "deep/a/b/m"))
	default:
		return "walk", f.WalkDir(pick("dir", "deep", "moving"), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			clean(f.ReadFile(path))
			return nil
		})
	}
}

func inode(info fs.FileInfo) uint64 { return info.Sys().(*syscall.Stat_t).Ino }

// inodes lists what lies below a folder, but for one part of it.
func inodes(t *testing.T, root, but string) map[uint64]string {
	t.Helper()
	found := map[uint64]string{}
	for _, path := range names(t, root) {
		if strings.HasPrefix(path, but) {
			continue
		}
		info, err := os.Lstat(root + path)
		if err != nil {
			t.Fatal(err)
		}
		found[inode(info)] = path
	}
	return found
}

// names lists the paths below a folder, except in what is moved to and fro.
func names(t *testing.T, root string) (paths []string) {
	t.Helper()
	for _, line := range snapshot(t, root) {
		path, _, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(path, "/away/inner") {
			paths = append(paths, path)
		}
	}
	return paths
}
