package policy

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// diskFS answers from the real tree, for tests against real repositories.
type diskFS struct{}

func (diskFS) Lstat(path string) (Info, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Info{}, err
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return Info{KindDir}, nil
	case mode.IsRegular():
		return Info{KindFile}, nil
	case mode&fs.ModeSymlink != 0:
		return Info{KindSymlink}, nil
	}
	return Info{KindOther}, nil
}

func (diskFS) Readlink(path string) (string, error) { return os.Readlink(path) }

func (diskFS) ReadFile(path string, max int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	if int64(len(text)) > max {
		return nil, fmt.Errorf("read %q: more than %d bytes", path, max)
	}
	return text, err
}

func (diskFS) ReadDir(path string) (names []string, err error) {
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// repository makes a repository with a linked worktree.
func repository(t *testing.T) (main, worktree string, git func(dir string, args ...string)) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	git = func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+top, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_EDITOR=true",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	main, worktree = filepath.Join(top, "main"), filepath.Join(top, "tree")
	git(top, "init", "-q", "-b", "trunk", main)
	git(main, "commit", "-q", "--allow-empty", "-m", "first")
	git(main, "worktree", "add", "-q", worktree)
	return main, worktree, git
}

// snapshot maps every path below dir to what it holds.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	seen := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		seen[path] = fmt.Sprintf("%x", sha256.Sum256(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func withGitPreset(t *testing.T, workspace string) Layers {
	t.Helper()
	h := Host{Home: "/nonexistent"}
	text := `{"version": 1, "mode": "workspace-write", "extends": ["git"], "tmp": "none"}`
	file := filepath.Join(t.TempDir(), "p.jsonc")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Load([]string{file}, workspace, h, diskFS{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := Resolve(Request{}, d, h, diskFS{})
	if err != nil {
		t.Fatal(err)
	}
	return GrantLayers(p)
}

// Everything that ordinary work changes in a repository is writable under the
// git preset, in the main work tree and in a linked one.
func TestGitPresetLetsWorkBeRecorded(t *testing.T) {
	main, worktree, git := repository(t)
	for _, workspace := range []string{main, worktree} {
		layers := withGitPreset(t, workspace)
		before := snapshot(t, main+"/.git")
		write := func(name, text string) {
			if err := os.WriteFile(filepath.Join(workspace, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		branch := "b" + filepath.Base(workspace)
		git(workspace, "switch", "-q", "-c", branch)
		write("one", branch)
		git(workspace, "add", ".")
		git(workspace, "commit", "-q", "-m", "one")
		git(workspace, "switch", "-q", "-c", branch+"2", "HEAD~1")
		write("two", branch)
		git(workspace, "add", ".")
		git(workspace, "commit", "-q", "-m", "two")
		git(workspace, "rebase", "-q", branch)
		write("two", "changed")
		git(workspace, "stash", "-q")
		git(workspace, "stash", "pop", "-q")
		git(workspace, "commit", "-q", "-am", "three")
		git(workspace, "tag", "v"+branch)
		git(workspace, "pack-refs", "--all")
		git(workspace, "repack", "-qad")
		changed := 0
		after := snapshot(t, main+"/.git")
		for path, sum := range after {
			if before[path] == sum {
				continue
			}
			changed++
			if got := layers.AccessFor(path); got != Write {
				t.Errorf("in %q: %q changed and is %s", workspace, path, got)
			}
		}
		for path := range before {
			if _, left := after[path]; !left && layers.AccessFor(path) != Write {
				t.Errorf("in %q: %q was removed and is %s", workspace, path, layers.AccessFor(path))
			}
		}
		if changed < 10 {
			t.Errorf("only %d files changed", changed)
		}
	}
}

// What makes git run programs outside, or look elsewhere for what to run, stays
// closed; existing or not.
func TestGitPresetKeepsWhatGitTrusts(t *testing.T) {
	main, worktree, _ := repository(t)
	own := main + "/.git/worktrees/tree"
	for workspace, more := range map[string][]string{
		main:     {worktree + "/x", own + "/HEAD", own + "/commondir", own + "/config.worktree"},
		worktree: {main + "/x", own + "/commondir", own + "/gitdir", own + "/config.worktree", own + "/hooks", worktree + "/.git", main + "/.git/worktrees/other/commondir"},
	} {
		layers := withGitPreset(t, workspace)
		for _, name := range []string{"config", "config.worktree", "hooks/pre-commit", "commondir", "info/attributes", "modules/x/config", "remotes/x", "branches/x"} {
			more = append(more, main+"/.git/"+name)
		}
		for _, path := range more {
			if got := layers.AccessFor(path); got != Read {
				t.Errorf("in %q: %q is %s", workspace, path, got)
			}
		}
		for _, path := range []string{main + "/.git/index.lock", main + "/.git/objects/ab/x", main + "/.git/refs/heads/x"} {
			if got := layers.AccessFor(path); got != Write {
				t.Errorf("in %q: %q is %s", workspace, path, got)
			}
		}
	}
}

// A .git file that names a folder which does not point back grants nothing.
func TestGitPresetBelievesNoClaim(t *testing.T) {
	h, f := testHost()
	gitDir := func(dir string) { f.File(dir+"/HEAD", "ref: x\n").Dir(dir + "/objects").Dir(dir + "/refs") }
	gitDir("/home/u/other/.git")
	gitDir("/home/u/other/.git/worktrees/w")
	gitDir("/home/u/other/.git/modules/m")
	f.File("/home/u/other/.git/worktrees/w/commondir", "../..\n").File("/home/u/other/.git/worktrees/w/gitdir", "/home/u/other/w/.git\n")
	f.File("/p.jsonc", `{"version": 1, "mode": "workspace-write", "extends": ["git"]}`)
	for name, claim := range map[string]string{
		"home": "/home/u", "repository": "/home/u/other/.git", "worktree of another": "/home/u/other/.git/worktrees/w", "submodule of another": "/home/u/other/.git/modules/m",
		"missing": "/nowhere", "relative": "../other/.git", "nothing": "",
	} {
		f.Dir("/home/u/planted").File("/home/u/planted/.git", "gitdir: "+claim+"\n")
		d, err := Load([]string{"/p.jsonc"}, "/home/u/planted", h, f)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Entries) != 0 {
			t.Errorf("%s: %v", name, d.Entries)
		}
	}
	f.File("/home/u/other/w/.git", "gitdir: /home/u/other/.git/worktrees/w\n")
	d, err := Load([]string{"/p.jsonc"}, "/home/u/other/w", h, f)
	if err != nil || len(d.Entries) == 0 {
		t.Errorf("the real worktree got %v, %v", d.Entries, err)
	}
	f.Dir("/home/u/other/sub").File("/home/u/other/sub/.git", "gitdir: ../.git/modules/m\n")
	if d, err = Load([]string{"/p.jsonc"}, "/home/u/other/sub", h, f); err != nil || len(d.Entries) == 0 {
		t.Errorf("the real submodule got %v, %v", d.Entries, err)
	}
}
