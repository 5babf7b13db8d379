package confine_test

import (
	"time"

	"confine/policy"
)

// realFailures are commands that fail by themselves, many of them in words
// that the sandbox could have caused.
var realFailures = []realCase{
	{name: "false", script: "false", exit: 1, want: "failed"},
	{name: "missing file", script: "cat missing", exit: 1, want: "failed"},
	{name: "missing file outside", script: "cat {out}/missing", exit: 1, want: "failed"},
	{name: "missing folder outside", script: "ls /nonexistent/folder", exit: 2, want: "failed"},
	{name: "file without permission", script: "chmod 000 file; cat {ws}/file", exit: 1, want: "failed", controlAs: "user"},
	{name: "folder without permission", script: "chmod 500 sub; touch {ws}/sub/new", exit: 1, want: "failed", controlAs: "user"},
	{name: "program without permission", argv: []string{"bash", "-c", "./file"}, exit: 126, want: "failed; saw ./file, unknown"},
	{name: "program that is not there", script: "confine-no-such-program", exit: 127, want: "failed"},
	{name: "denied program in a shell", argv: []string{"bash", "-c", "secret/tool"}, setup: "cp /bin/true {ws}/secret/tool", exit: 126, want: "failed; saw secret/tool, certain", noOutside: true},
	{name: "grep without a match", script: "grep absent file", exit: 1, want: "failed"},
	{name: "grep for the words of a denial", files: map[string]string{"ws/log": "open /etc/x: Permission denied\nRead-only file system\n"}, script: "grep -c 'No space' log", exit: 1, want: "failed"},
	{name: "diff", script: "diff file token", given: grant(policy.Read, "{ws}/token"), exit: 1, want: "failed"},
	{name: "diff of the words of a denial", files: map[string]string{"ws/a": "a: Permission denied\n", "ws/b": "b: Read-only file system\n"}, script: "diff a b >&2", exit: 1, want: "failed"},
	{name: "cmp", script: "cmp file {out}/file", exit: 1, want: "failed"},
	{name: "syntax error of dash", needs: "dash", argv: []string{"dash", "-c", "if true; fi"}, exit: 2, want: "failed"},
	{name: "syntax error of bash", argv: []string{"bash", "-c", "for"}, exit: 2, want: "failed"},
	{name: "usage error", script: "ls --no-such-option", exit: 2, want: "failed"},
	{name: "mkdir of what is there", script: "mkdir sub", exit: 1, want: "failed"},
	{name: "rmdir of what is full", script: "rmdir sub", exit: 1, want: "failed"},
	{name: "the word sandbox", script: "mkdir -p sandbox; ls sandbox/missing", exit: 2, want: "failed"},
	{name: "sandbox in a message", script: "echo 'error: sandbox: test environment denied by configuration' >&2; exit 1", exit: 1, want: "failed"},
	{name: "words of a denial as text", script: `echo 'want error "permission denied", got nil' >&2; exit 1`, exit: 1, want: "failed"},
	{name: "words of a denial in prose", script: "echo 'the disk is a read-only file system, so the test is skipped' >&2; exit 1", exit: 1, want: "failed"},
	{name: "shell trace", script: "set -x; test 'touch: x: Read-only file system' = y", exit: 1, want: "failed"},
	{name: "a warning is no cause", script: "echo 'warning: {out}/cache: Read-only file system' >&2; echo 'assertion failed' >&2; exit 1", exit: 1, want: "failed; saw {out}/cache, certain"},

	{name: "make", needs: "make", files: map[string]string{"ws/Makefile": "all:\n\t@exit 3\n"}, script: "make", exit: 2, want: "failed"},
	{name: "make without a rule", needs: "make", script: "make absent", exit: 2, want: "failed"},
	{name: "gcc", needs: "gcc", files: map[string]string{"ws/bad.c": "int main(void) { return x; }\n"}, script: "gcc bad.c", exit: 1, want: "failed"},
	{name: "gcc, words of a denial in the source", needs: "gcc", files: map[string]string{"ws/bad.c": "char *s = \"/etc/x: Permission denied\" + y;\n"}, script: "gcc bad.c", exit: 1, want: "failed"},
	{name: "gcc, missing header", needs: "gcc", files: map[string]string{"ws/bad.c": "#include <absent.h>\n"}, script: "gcc bad.c", exit: 1, want: "failed"},
	{name: "tar, missing archive", needs: "tar", script: "tar -xf absent.tar", exit: 2, want: "failed"},
	{name: "tar, no archive", needs: "tar", script: "tar -xf file", exit: 2, want: "failed"},

	{name: "git outside a repository", needs: "git", script: "git status", exit: 128, want: "failed"},
	{name: "git, no such revision", needs: "git", setup: repo, script: "git show absent", exit: 128, want: "failed"},
	{name: "git, no such name", needs: "git", setup: repo, script: "git rev-parse --verify absent", exit: 128, want: "failed"},
	{name: "git, missing remote", needs: "git", setup: repo, script: "git ls-remote {out}/absent", exit: 128, want: "failed"},
	{name: "git grep", needs: "git", setup: repo, script: "git grep -q absent", exit: 1, want: "failed"},
	{name: "git diff", needs: "git", setup: repo, script: "echo y > file; git diff --exit-code", exit: 1, want: "failed"},
	{name: "git apply", needs: "git", setup: repo, files: map[string]string{"ws/p": "--- a/file\n+++ b/file\n@@ -1 +1 @@\n-other\n+more\n"}, script: "git apply p", exit: 1, want: "failed"},
	{name: "git push to a missing remote", needs: "git", setup: repo, script: "git push origin main", exit: 128, want: "failed"},

	{name: "python error", needs: "python3", argv: []string{"python3", "-c", "1/0"}, exit: 1, want: "failed"},
	{name: "python syntax error", needs: "python3", argv: []string{"python3", "-c", "def"}, exit: 1, want: "failed"},
	{name: "python exit", needs: "python3", argv: []string{"python3", "-c", "import sys; sys.exit('sandbox not denied')"}, exit: 1, want: "failed"},
	{name: "python missing file", needs: "python3", argv: []string{"python3", "-c", "open('absent')"}, exit: 1, want: "failed"},
	{name: "python, file without permission", needs: "python3", argv: []string{"python3", "-c", "import os; os.chmod('file', 0); open('{ws}/file')"}, exit: 1, want: "failed", controlAs: "user"},
	{name: "python, no such module", needs: "python3", argv: []string{"python3", "-m", "absent"}, exit: 1, want: "failed"},
	{name: "python unittest about denials", needs: "python3", files: map[string]string{"ws/test_x.py": "import unittest\nclass T(unittest.TestCase):\n" +
		"    def test(self):\n        # expects PermissionError: [Errno 13] Permission denied\n        self.assertEqual('Permission denied', 'Read-only file system')\n"},
		argv: []string{"python3", "-m", "unittest", "-q", "test_x"}, exit: 1, want: "failed"},
	{name: "python unittest with a denial that was expected", needs: "python3", files: map[string]string{"ws/test_x.py": "import os, unittest\nclass T(unittest.TestCase):\n" +
		"    def test_denied(self):\n        with self.assertRaises(OSError): os.mkdir('{out}/new')\n    def test_sum(self):\n        self.assertEqual(1 + 1, 3)\n"},
		argv: []string{"python3", "-m", "unittest", "-q", "test_x"}, exit: 1, want: "failed", noOutside: true},

	{name: "node error", needs: "node", argv: []string{"node", "-e", "null.x"}, exit: 1, want: "failed"},
	{name: "node syntax error", needs: "node", argv: []string{"node", "-e", "let let"}, exit: 1, want: "failed"},
	{name: "node missing module", needs: "node", argv: []string{"node", "-e", "require('absent')"}, exit: 1, want: "failed"},
	{name: "node missing file", needs: "node", argv: []string{"node", "-e", "fs.readFileSync('absent')"}, exit: 1, want: "failed"},
	{name: "node error that speaks of EROFS", needs: "node", argv: []string{"node", "-e", "throw new Error('expected EROFS to be thrown')"}, exit: 1, want: "failed"},
	{name: "npm script", needs: "npm", files: npmScript("exit 3"), script: "npm run --silent t", exit: 3, want: "failed"},
	{name: "npm script with its report", needs: "npm", files: npmScript("exit 3"), script: "npm run t", exit: 3, want: "failed"},
	{name: "npm test", needs: "npm", files: npmScript("node -e 'assert.equal(1, 2)'"), script: "npm run t", exit: 1, want: "failed"},
	{name: "npm, no such script", needs: "npm", files: npmScript("true"), script: "npm run absent", exit: 1, want: "failed"},

	{name: "go vet, syntax error", needs: "go", given: withGoCache, files: map[string]string{"ws/go.mod": "module example.org/x\n\ngo 1.21\n", "ws/x.go": "package x\n\nfunc {\n"}, script: "go vet .", exit: 1, want: "failed"},
	{name: "go build, undefined name", needs: "go", given: withGoCache, files: map[string]string{"ws/go.mod": "module example.org/x\n\ngo 1.21\n", "ws/x.go": "package x\n\nvar a = b\n"}, script: "go build .", exit: 1, want: "failed"},
	{name: "go test", needs: "go", given: withGoCache, files: goTest(`t.Fatal("open /etc/x: permission denied was expected")`), script: "go test . >&2", exit: 1, want: "failed"},
	{name: "go test that panics", needs: "go", given: withGoCache, files: goTest(`panic("sandbox: read-only file system")`), script: "go test . >&2", exit: 1, want: "failed"},
	{name: "go, no module", needs: "go", script: "go build .", exit: 1, want: "failed"},

	{name: "connection refused with reach loopback", needs: "curl", given: loopback, script: "curl -sS http://127.0.0.1:{closed}/", exit: 7, want: "failed; saw 127.0.0.1, unknown"},
	{name: "connection refused with reach allow-all", needs: "curl", given: allowAll, script: "curl -sS http://127.0.0.1:{closed}/", exit: 7, want: "failed"},
	{name: "page that is missing", needs: "curl", given: allowAll, script: "curl -sSf http://{addr}/missing", exit: 22, want: "failed"},
	{name: "malformed address", needs: "curl", script: "curl -sS http://:x/", exit: 3, want: "failed"},
	{name: "python refused with reach loopback", needs: "python3", given: loopback, argv: []string{"python3", "-c", "import socket; socket.create_connection(('127.0.0.1', {closed}))"}, exit: 1, want: "failed; saw ECONNREFUSED, unknown"},
	{name: "address in use", needs: "python3", given: loopback, argv: []string{"python3", "-c", "import socket\na = socket.create_server(('127.0.0.1', 0))\nsocket.create_server(a.getsockname())"}, exit: 1, want: "failed"},
}

// realOtherEnds are the other ends of a run.
var realOtherEnds = []realCase{
	{name: "success", script: "echo x > new; cat new", want: "success"},
	{name: "success with a denial", script: "touch {out}/new; true", want: "success; saw {out}/new, certain"},
	{name: "success with two denials", script: "touch {out}/a; cat token; true", want: "success; saw {out}/a, certain; saw token, certain"},
	{name: "success of a pipeline", script: "cat secret/key | head -1", want: "success; saw secret/key, certain"},
	{name: "success after a denied search", script: "grep -r text . || true", want: "success; saw ./secret, certain; saw ./token, certain"},
	{name: "success with a denied connection", needs: "curl", script: "curl -sS http://{addr}/ || echo offline", want: "success; saw 127.0.0.1, certain"},
	{name: "success that speaks of denials", script: "echo 'Permission denied is what the test expects' >&2", want: "success"},
	{name: "silence of git stash", needs: "git", setup: repo, script: "echo y > file; git stash", exit: 1, want: "failed", noOutside: true}, // nothing to go by
	{name: "silence of curl", needs: "curl", script: "curl -sS -o {out}/new file://{ws}/file", exit: 23, want: "failed", noOutside: true},
	{name: "exit code of a shell", script: "exit 2", exit: 2, want: "failed"},
	{name: "exit code 126", script: "exit 126", exit: 126, want: "failed"},
	{name: "exit code 127", script: "touch {out}/new; confine-no-such-program", exit: 127, want: "failed; saw {out}/new, certain"},
	{name: "exit code 125", script: "exit 125", exit: 125, want: "failed"},

	{name: "SIGTERM", script: "kill -TERM $$", exit: 143, want: "signaled"},
	{name: "SIGKILL after a denial", script: "touch {out}/new; kill -KILL $$", exit: 137, want: "signaled; saw {out}/new, certain"},
	{name: "SIGSEGV", needs: "gcc", files: program("*(volatile int *)0"), setup: compile, argv: []string{"./prog"}, exit: 139, want: "signaled"},
	{name: "abort", needs: "gcc", files: program("(abort(), 0)"), setup: compile, argv: []string{"./prog"}, exit: 134, want: "signaled"},
	{name: "abort after a denial", needs: "gcc", files: program(`(fopen("{out}/new", "w") || (perror("{out}/new"), abort(), 0), 0)`), setup: compile, argv: []string{"./prog"}, exit: 134,
		want: "denied filesystem write {out}/new" + rootLayer},
	{name: "python killed", needs: "python3", argv: []string{"python3", "-c", "import os; os.kill(os.getpid(), 10)"}, exit: 138, want: "signaled"},
	{name: "wall clock", given: wall(300 * time.Millisecond), script: "touch {out}/new; sleep 20", exit: 124, want: "limit wall clock; saw {out}/new, certain", noOutside: true},

	{name: "no such program", plain: true, argv: []string{"confine-no-such-program"}, exit: 127, want: "not-started", noOutside: true},
	{name: "no program", plain: true, argv: []string{"./file"}, exit: 126, want: "not-started", noOutside: true},
	{name: "denied program", plain: true, argv: []string{"{ws}/secret/tool"}, setup: "cp /bin/true {ws}/secret/tool", exit: 126, want: "not-started", noOutside: true},
	{name: "without the recorder", plain: true, argv: []string{"true"}, want: "success"},
}

func npmScript(script string) map[string]string {
	return map[string]string{"ws/package.json": `{"name":"x","version":"1.0.0","scripts":{"t":"` + script + `"}}`}
}

func wall(d time.Duration) func(*realScene, *policy.Defaults) {
	return func(_ *realScene, p *policy.Defaults) { p.Limits.Wall = d }
}
