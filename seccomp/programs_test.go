//go:build linux

package seccomp

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Go runtime starts threads, and its net package probes for MPTCP.
func TestGoProgramWorks(t *testing.T) {
	for user, uid := range users() {
		t.Run(user, func(t *testing.T) {
			for _, filter := range [][]byte{nil, Default()} {
				if out, err := (victim{Exec: []string{"/proc/self/exe"}, Filter: filter, uid: uid}).run(t); err != nil || out != "done\n" {
					t.Errorf("filter of %d bytes: %v: %q", len(filter), err, out)
				}
			}
		})
	}
}

func TestFilterSurvivesExec(t *testing.T) {
	out, err := victim{Exec: []string{"grep", "^Seccomp:", "/proc/self/status"}, Filter: Default()}.run(t)
	if err != nil || out != "Seccomp:\t2\n" {
		t.Errorf("%v: %q, want mode 2", err, out)
	}
}

// Ordinary programs do the same work under the presets as without.
func TestProgramsWork(t *testing.T) {
	tests := []struct {
		name   string
		needs  []string
		cache  bool // needs the user\'s own cache, to be quick
		strict bool // works under the strict preset too
		script string
		want   string
	}{
		{name: "bash", needs: []string{"bash"}, strict: true, script: `bash -c 'cat <(echo a | tr a b); sleep 0.01 & wait; ulimit -n >/dev/null; echo $((6*7))'`, want: "42"},
		{name: "python", needs: []string{"python3"}, strict: true, script: `python3 -c '
import threading, subprocess, asyncio, multiprocessing, tempfile, os, ctypes, select
t = [threading.Thread(target=lambda: None) for _ in range(8)]
[x.start() for x in t]; [x.join() for x in t]
subprocess.run(["true"], check=True)
async def f():
    p = await asyncio.create_subprocess_exec("true"); await p.wait()
asyncio.run(f())
with multiprocessing.get_context("fork").Pool(2) as p: assert p.map(abs, [-1, -2]) == [1, 2]
with tempfile.TemporaryFile() as f: os.posix_fallocate(f.fileno(), 0, 4096); os.fsync(f.fileno())
os.close(os.memfd_create("x")); os.close(os.pidfd_open(os.getpid()))
print("done")'`, want: "done"},
		{name: "node", needs: []string{"node"}, strict: true, script: `node -e '
const { Worker } = require("worker_threads"), cp = require("child_process"), fs = require("fs"), net = require("net"), os = require("os")
os.networkInterfaces(); fs.watch(".").close(); cp.execSync("true")
const s = net.createServer(c => c.end()).listen(0, "127.0.0.1", () => net.connect(s.address().port, "127.0.0.1").on("close", () => {
  s.close(); new Worker("0", { eval: true }).on("exit", c => console.log("done", c)) }).resume())'`, want: "done 0"},
		{name: "gcc", needs: []string{"gcc"}, strict: true, script: `printf '#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *a) { return a; }
int main(void) { pthread_t t; int e = pthread_create(&t, 0, f, 0); if (!e) e = pthread_join(t, 0); printf("thread %%d\\n", e); return e; }\n' >a.c &&
			gcc -pthread -o a a.c && ./a`, want: "thread 0"},
		{name: "git", needs: []string{"git"}, strict: true, script: `git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one &&
			git clone -q . ../c && git gc -q && git log --format=%s`, want: "one"},
		{name: "go", needs: []string{"go"}, cache: true, script: `export GOFLAGS=-mod=mod GOPROXY=off; printf 'module m\n' >go.mod && printf 'package main\nfunc main() { println("built") }\n' >m.go && go vet . && go run . 2>&1`, want: "built"},
		{name: "java", needs: []string{"java", "javac"}, script: `printf 'class A { public static void main(String[] a) throws Exception { Thread t = new Thread(() -> System.out.println("thread")); t.start(); t.join(); new java.net.ServerSocket(0).close(); } }' >A.java &&
			javac A.java && java -cp . A`, want: "thread"},
		{name: "npm", needs: []string{"npm"}, script: `npm init -y >/dev/null && npm pkg get version`, want: `"1.0.0"`},
		{name: "vim", needs: []string{"vim"}, script: `vim -es -u NONE -c 'put =\"text\"' -c 'wq! f' </dev/null; cat f`, want: "text"},
		{name: "strace", needs: []string{"strace"}, script: `strace -f -e trace=execve,openat sh -c 'true; cat /dev/null' 2>&1 | grep -o 'openat(.*"/dev/null"'`, want: `"/dev/null"`},
		{name: "strace that cancels a call", needs: []string{"strace"}, script: `strace -o /dev/null -e inject=uname:retval=0 uname >/dev/null && echo cancelled`, want: "cancelled"},
		{name: "gdb", needs: []string{"gdb"}, script: `gdb -nx -batch -ex 'break exit' -ex run -ex bt --args true 2>&1 | grep -c '^#0'`, want: "1"},
		{name: "make and tar", needs: []string{"make", "tar", "gzip"}, script: `printf 'all: b\n\ttar czf a.tgz b && tar tzf a.tgz\nb:\n\ttouch -d 2020-01-01 b && chmod 600 b\n' >Makefile && make -s -j2`, want: "b"},
	}
	presets := map[string]Profile{PresetDefault: {}, PresetStrict: {Preset: PresetStrict}}
	for _, test := range tests {
		for user, uid := range users() {
			if test.cache && user == "nobody" {
				continue // has no home for a build cache
			}
			t.Run(test.name+"/"+user, func(t *testing.T) {
				for _, need := range test.needs {
					if _, err := exec.LookPath(need); err != nil {
						t.Skip(err)
					}
				}
				work := func(filter []byte) (string, error) {
					dir := ordinaryDir(t)
					script := "cd " + dir + "; " + test.script
					if !test.cache {
						script = "export HOME=" + dir + "; " + script
					}
					return victim{Exec: []string{"sh", "-c", script}, Filter: filter, uid: uid, dir: dir}.run(t)
				}
				if out, err := work(nil); err != nil || !strings.Contains(out, test.want) {
					t.Skipf("does not work without the filter either: %v %q", err, out)
				}
				for name, profile := range presets {
					if name == PresetStrict && !test.strict {
						continue
					}
					prog, err := Program(profile)
					if err != nil {
						t.Fatal(err)
					}
					if out, err := work(prog); err != nil || !strings.Contains(out, test.want) {
						t.Errorf("%s: %v: %q, want %q", name, err, out, test.want)
					}
				}
			})
		}
	}
}

// ordinaryDir is a folder that every user may write to and enter.
func ordinaryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "seccomp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
