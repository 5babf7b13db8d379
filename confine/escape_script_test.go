package confine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confine/confine/confinetest"
)

// scriptEscape is a technique that a shell can do. It has worked when the file
// at path, below the scene, holds PWN or SECRET.
type scriptEscape struct {
	name, script, path string
	// denied: the run's outcome says so, because it was undone afterwards.
	denied bool
}

var scriptEscapes = []scriptEscape{
	// what a protected name holds
	{name: "write a hook", script: "echo PWN > .git/hooks/pre-commit", path: "ws/.git/hooks/pre-commit"},
	{name: "append to the configuration", script: "echo PWN >> .git/config", path: "ws/.git/config"},
	{name: "over a link", script: "ln -s .git other; echo PWN >> other/config", path: "ws/.git/config"},
	{name: "over a link in another folder", script: "ln -s ../.git sub/other; echo PWN >> sub/other/config", path: "ws/.git/config"},
	{name: "over dots", script: "echo PWN >> sub/../.git/config", path: "ws/.git/config"},
	{name: "over /proc/self/cwd", script: "echo PWN >> /proc/self/cwd/.git/config", path: "ws/.git/config"},
	{name: "over a descriptor", script: "exec 9< .; echo PWN >> /proc/self/fd/9/.git/config", path: "ws/.git/config"},
	{name: "reopen a descriptor for writing", script: "exec 9< .git/config; echo PWN >> /proc/self/fd/9", path: "ws/.git/config"},
	{name: "over a hard link", script: "ln .git/config x; echo PWN >> x", path: "ws/.git/config"},
	{name: "replace the folder", script: "mv .git aside; mkdir .git; echo PWN > .git/config", path: "ws/.git/config"},
	{name: "replace a file", script: "echo PWN > x; mv -f x .git/config", path: "ws/.git/config"},
	{name: "remove and plant", script: "rm -rf .git; mkdir .git; echo PWN > .git/config", path: "ws/.git/config"},
	{name: "link in its place", script: "mkdir evil; echo PWN > evil/config; mv .git aside; ln -s evil .git", path: "ws/.git/config"},
	{name: "rename the parent and plant", script: "mv sub aside; mkdir -p sub/.git; echo PWN > sub/.git/config", path: "ws/sub/.git/config"},
	{name: "exchange the parent", script: `mkdir -p evil/.git; echo PWN > evil/.git/config
python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"evil", -100, b"sub", 2)' || { mv sub aside; mv evil sub; }`, path: "ws/sub/.git/config"},
	{name: "rename the workspace and plant", script: "cd ..; mv ws aside; mkdir -p ws/.git; echo PWN > ws/.git/config", path: "ws/.git/config"},

	// names that are not there yet
	{name: "create an absent name", script: "mkdir .hg; echo PWN > .hg/hgrc", path: "ws/.hg/hgrc", denied: true},
	{name: "create an absent file", script: "echo PWN > .npmrc", path: "ws/.npmrc", denied: true},
	{name: "rename to an absent name", script: "mkdir x; echo PWN > x/hgrc; mv x .hg", path: "ws/.hg/hgrc", denied: true},
	{name: "link at an absent name", script: "mkdir x; echo PWN > x/hgrc; ln -s x .hg", path: "ws/.hg/hgrc", denied: true},
	{name: "hard link at an absent name", script: "echo PWN > x; ln x .npmrc", path: "ws/.npmrc", denied: true},
	{name: "create an absent name late", script: "sleep 0.3; mkdir .hg; echo PWN > .hg/hgrc", path: "ws/.hg/hgrc", denied: true},
	{name: "create an absent name in the background", script: "(sleep 0.2; mkdir .hg; echo PWN > .hg/hgrc; sleep 9) > /dev/null 2>&1 & sleep 0.4", path: "ws/.hg/hgrc", denied: true},
	{name: "create an absent name in a full directory", script: "mkdir .hg; i=0; while [ $i -lt 500 ]; do echo PWN > .hg/$i; i=$((i+1)); done; echo PWN > .hg/hgrc", path: "ws/.hg/hgrc", denied: true},
	{name: "create an absent path", script: "mkdir absent; echo PWN > absent/deep", path: "ws/absent/deep", denied: true},
	{name: "create an absent path slowly", script: "mkdir absent; sleep 0.2; echo PWN > absent/deep; sleep 0.1", path: "ws/absent/deep", denied: true},
	{name: "rename to an absent path", script: "mkdir x; echo PWN > x/deep; mv x absent", path: "ws/absent/deep", denied: true},
	{name: "link on the way to an absent path", script: "mkdir x; echo PWN > x/deep; ln -s x absent", path: "ws/absent/deep", denied: true},
	{name: "rename the parent of an absent name", script: "mv store x; mkdir store; echo PWN > store/absent", path: "ws/store/absent", denied: true},
	{name: "move it back from aside", path: "ws/.hg/hgrc", denied: true,
		script: `mkdir .hg; echo PWN > .hg/hgrc; for i in 1 2 3 4; do sleep 0.1; for x in .hg.confine-*; do [ -e "$x" ] && mv "$x" .hg; done; done; true`},

	// what is denied
	{name: "read a denied file in a folder", script: "cat secret/key > stolen", path: "ws/stolen"},
	{name: "read a denied file", script: "cat token > stolen", path: "ws/stolen"},
	{name: "read over /proc/self/root", script: `cat "/proc/self/root$PWD/token" > stolen`, path: "ws/stolen"},
	{name: "read from its folder", script: "cd secret && cat key > ../stolen", path: "ws/stolen"},
	{name: "read over a hard link", script: "ln token x && cat x > stolen", path: "ws/stolen"},
	{name: "read over a link", script: "ln -s token x; cat x > stolen", path: "ws/stolen"},
	{name: "move it away and read", script: "mv token x; cat x > stolen", path: "ws/stolen"},
	{name: "make it readable", script: "chmod 777 secret token; cat token secret/key > stolen", path: "ws/stolen"},
	{name: "overwrite a denied file", script: "echo PWN > token", path: "ws/token"},
	{name: "replace a denied file", script: "rm -f token; echo PWN > token", path: "ws/token"},
	{name: "rename another file over it", script: "echo PWN > x; mv -f x token", path: "ws/token"},

	// ".." at the root crosses whatever is mounted on top of it
	{name: "read over the root's parent", script: `cat "/..$PWD/token" > stolen`, path: "ws/stolen"},
	{name: "read over the root's parent twice", script: `cat "/../..$PWD/secret/key" > stolen`, path: "ws/stolen"},
	{name: "write over the root's parent", script: `echo PWN >> "/..$PWD/.git/config"`, path: "ws/.git/config"},
	{name: "change modes over the root's parent", script: `chmod 4755 "/..$PWD/../out/file" && echo PWN > result`, path: "ws/result"},
	{name: "change times over the root's parent", script: `touch -d @0 "/..$PWD/../out/file" && echo PWN > result`, path: "ws/result"},
	{name: "change carve-outs over the root's parent", script: `chmod 4755 "/..$PWD/.git/config" && echo PWN > result`, path: "ws/result"},

	// the outside
	{name: "write outside", script: "echo PWN >> ../out/file", path: "out/file"},
	{name: "create outside", script: "echo PWN > ../out/new", path: "out/new"},
	{name: "write outside over a link", script: "ln -s ../out/file x; echo PWN >> x", path: "out/file"},
	{name: "write outside over a hard link", script: "ln ../out/file x; echo PWN >> x", path: "out/file"},
	{name: "move the outside in", script: "mv ../out/dir here; mkdir here/x; echo PWN > ../out/dir", path: "out/dir"},
	{name: "change modes outside", script: "chmod 4755 ../out/file && echo PWN > result", path: "ws/result"},
	{name: "change times outside", script: "touch -d @0 ../out/file && echo PWN > result", path: "ws/result"},
	{name: "remove outside", script: "rm -rf ../out/dir && echo PWN > result", path: "ws/result"},
	{name: "by the program loader", script: `ld=$(ls /lib64/ld-linux-* /lib/ld-linux-* 2>/dev/null | head -1); "$ld" /bin/sh -c 'echo PWN >> ../out/file'`, path: "out/file"},
	{name: "by a copied program", script: "cp /bin/sh x; ./x -c 'echo PWN >> ../out/file'", path: "out/file"},
	{name: "in a new session", script: "setsid sh -c 'echo PWN >> ../out/file'", path: "out/file"},
	{name: "by a process that outlives", script: "setsid sh -c 'sleep 0.3; echo PWN >> ../out/file' & sleep 0.6", path: "out/file"},
}

func TestEscapeByScript(t *testing.T) {
	host := openHost(t)
	t.Run("scripts", func(t *testing.T) {
		for _, e := range scriptEscapes {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				e.try(t, host)
			})
		}
	})
}

func (e scriptEscape) try(t *testing.T, host *hostTargets) {
	if strings.Contains(e.script, "python3") {
		confinetest.Require(t, "python3")
	}
	control := newScene(t, host)
	got := confinetest.Unconfined(t, "sh", "cd "+control.ws+"\n"+e.script)
	if !e.worked(control) {
		t.Errorf("outside, where it should work: %s", got)
	}

	s := newScene(t, host)
	out, git, sub := confinetest.Take(t, s.out), confinetest.Take(t, s.ws+"/.git"), confinetest.Take(t, s.ws+"/sub/.git")
	got, report := confinetest.Confined(t, confinetest.Resolve(t, s.defaults(), s.ws), "sh", e.script)
	if e.worked(s) {
		t.Errorf("it worked inside: %s", got)
	}
	if e.denied && (report.Outcome != "denied" || len(report.Denials) == 0) {
		t.Errorf("outcome %s (%s), expected denied; output %q", report.Outcome, report.Reason, got.Out)
	}
	for name, before := range map[string]confinetest.Snapshot{"out": out, "ws/.git": git, "ws/sub/.git": sub} {
		for _, line := range before.Diff(confinetest.Take(t, filepath.Join(s.dir, name))) {
			t.Errorf("%s changed: %s", name, line)
		}
	}
	if b, err := os.ReadFile(s.ws + "/token"); err != nil || string(b) != "SECRET\n" {
		t.Errorf("the denied file is now %q, %v", b, err)
	}
}

func (e scriptEscape) worked(s *scene) bool {
	b, _ := os.ReadFile(filepath.Join(s.dir, e.path))
	return strings.Contains(string(b), "PWN") || e.path == "ws/stolen" && strings.Contains(string(b), "SECRET")
}
