package classify

import (
	"strings"
	"testing"
)

// Single lines that are, or only look like, a refusal. Exit status 1, under the policy of the corpus.
func TestOutcomeText(t *testing.T) {
	ns, ll := judged(), Landlock(corpusJudge, "workspace-write", "deny")
	open, loop := Namespace(corpusJudge, "workspace-write", "allow-all"), Namespace(corpusJudge, "workspace-write", "loopback")
	for _, tc := range []struct {
		name, line string
		d          Dialect
		want       string
	}{
		{"the word sandbox", "error: sandbox: denied by sandbox policy", ns, "failed (likely)"},
		{"a path with sandbox in it", "cat: /srv/t/work/sandbox/x: No such file or directory", ns, "failed (likely)"},
		{"prose", "see the Permission denied section of the manual", ns, "failed (likely)"},
		{"commit subject", "fix: handle Permission denied errors", ns, "failed (likely)"},
		{"quoted words", `expected "Permission denied", got nil`, ns, "failed (likely)"},
		{"quoted source", `    return fmt.Errorf("open %s: permission denied", p)`, ns, "failed (likely)"},
		{"assigned source", `  msg = "open: read-only file system"`, ns, "failed (likely)"},
		{"compiler gutter", ` 12 |   puts("x: Permission denied");`, ns, "failed (likely)"},
		{"shell trace", "+ echo x: Permission denied", ns, "failed (likely)"},
		{"comment", "# /etc/x: Permission denied", ns, "failed (likely)"},
		{"system call trace", `openat(AT_FDCWD, "/etc/x", O_RDWR) = -1 EROFS (Read-only file system)`, ns, "failed (likely)"},
		{"ssh login", "git@example.com: Permission denied (publickey).", open, "failed (likely)"},
		{"ssh password", "Permission denied, please try again.", open, "failed (likely)"},
		{"database grant", "ERROR:  permission denied for table users", ns, "failed (likely)"},
		{"remote words", "remote: /srv/x: Permission denied", open, "failed (likely)"},
		{"daemon's words", "Error response from daemon: mkdir /etc/x: read-only file system", ns, "failed (likely)"},
		{"symbol in prose", "open returns EACCES when the mode forbids it", ns, "failed (likely)"},
		{"symbol in lower case", "code: eacces", ns, "failed (likely)"},
		{"object dump", "  code: 'EROFS',", ns, "failed (likely)"},
		{"JSON log", `{"level":"error","msg":"open /etc/x: read-only file system"}`, ns, "denied filesystem write, certain, /etc/x"},
		{"logfmt", `level=error err="open /etc/x: read-only file system"`, ns, "denied filesystem write, certain, /etc/x"},
		{"colour", "\x1b[31merror\x1b[0m: open /etc/x: \x1b[1mread-only file system\x1b[0m", ns, "denied filesystem write, certain, /etc/x"},
		{"after a progress line", "10%\r100%\rcp: cannot create regular file '/etc/x': Read-only file system", ns, "denied filesystem write, certain, /etc/x"},
		{"carriage return at the end", "touch: cannot touch '/etc/x': Read-only file system\r", ns, "denied filesystem write, certain, /etc/x"},
		{"typographic quotes", "touch: cannot touch ‘/etc/x’: Read-only file system", ns, "denied filesystem write, certain, /etc/x"},
		{"old quotes", "rm: cannot remove `/etc/x': Read-only file system", ns, "denied filesystem write, certain, /etc/x"},
		{"Python escapes", `OSError: [Errno 30] Read-only file system: '/etc/a\nb'`, ns, `denied filesystem write, certain, /etc/a\nb`},
		{"Python bytes", `OSError: [Errno 30] Read-only file system: b'/etc/x'`, ns, "denied filesystem write, certain, /etc/x"},
		{"zsh", "zsh: read-only file system: /etc/x", ns, "denied filesystem write, certain, /etc/x"},
		{"nginx", `nginx: [emerg] open() "/etc/x" failed (30: Read-only file system)`, ns, "denied filesystem write, certain, /etc/x"},
		{"rsync", `rsync: [receiver] mkstemp "/etc/.x.Yz" failed: Read-only file system (30)`, ns, "denied filesystem write, certain, /etc/.x.Yz"},
		{"Ruby", "-e:1:in 'initialize': Read-only file system @ rb_sysopen - /etc/x (Errno::EROFS)", ns, "denied filesystem write, certain, /etc/x"},
		{"npm", "npm error EROFS: read-only file system, mkdir '/etc/x'", ns, "denied filesystem write, certain, /etc/x"},
		{"npm cache, relative", "npm error EACCES: permission denied, mkdir '.env'", ns, "denied filesystem write, certain, .env"},
		{"Cargo's cause", "error: failed to create directory `/etc/x`\n\nCaused by:\n  Read-only file system (os error 30)", ns, "denied filesystem write, certain, /etc/x"},
		{"docker socket", "permission denied while trying to connect to the Docker daemon socket at unix:///srv/t/secret/docker.sock: dial unix /srv/t/secret/docker.sock: connect: permission denied", ns,
			"denied filesystem access, certain, /srv/t/secret/docker.sock"},
		{"Vim", `"/etc/x" E212: Can't open file for writing`, ns, "denied filesystem write, certain, /etc/x"},
		{"git object store", "error: insufficient permission for adding an object to repository database repo/.git/objects", ns, "denied filesystem write, certain, repo/.git/objects"},
		{"sudo", `sudo: The "no new privileges" flag is set, which prevents sudo from running as root.`, ns, "denied process gain privileges, likely"},
		{"Go's SIGSYS", "signal: bad system call", ns, "denied syscall system call, likely"},
		{"ENOSYS", "io_uring_setup: Function not implemented", ns, "denied syscall system call, likely"},

		{"diff, old line", "< a: Permission denied", ns, "failed (likely)"},
		{"unified diff, new line", "+cat: /srv/t/secret/x: Permission denied", ns, "failed (likely)"},
		{"unified diff, old line", "-cat: /srv/t/secret/x: Permission denied", ns, "failed (likely)"},
		{"login shell", "-bash: /srv/t/secret/x: Permission denied", ns, "denied filesystem access, certain, /srv/t/secret/x"},
		{"a name with an apostrophe and a colon", `touch: cannot touch "/etc/it's new: now": Read-only file system`, ns, "denied filesystem write, certain, /etc/it's new: now"},
		{"a cause on a line of its own", "checkdir:  cannot create extraction directory: /etc/x y\n           Read-only file system", ns, "denied filesystem write, certain, /etc/x y"},
		{"a cause below another message", "reading: /etc/x\n  cause: Read-only file system", ns, "denied filesystem write, likely"},
		{"no temporary folder", "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/var/tmp', '/usr/tmp', '/srv/t/work']", ns, "denied filesystem write, certain, /var/tmp"},
		{"writable temporary folder", "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp']", ns, "failed (likely)"},
		{"curl's own words", "Warning: Failed to open the file /etc/x: Read-only file system\ncurl: (23) Failure writing output to destination", ns, "denied filesystem write, certain, /etc/x"},
		{"curl's own words, wrapped", "  0     0Warning: Failed to open the file \nWarning: /etc/x: Read-only file \nWarning: system\ncurl: (23) Failure writing output to destination", ns,
			"denied filesystem write, certain, /etc/x"},
		{"curl's own words, wrapped in the path", "Warning: Failed to open the file /etc/a \nWarning: b: Read-only file system\ncurl: (23) Failure writing output to destination", ns,
			"denied filesystem write, certain, /etc/a b"},
		{"Python's rename of a pin", "OSError: [Errno 16] Device or resource busy: 'repo' -> 'r2'", ns, "denied filesystem write, likely, repo"},
		{"Python, busy and not moved", "OSError: [Errno 16] Device or resource busy: 'repo'", ns, "failed (likely)"},
		{"sudo as root", "sudo: PERM_SUDOERS: setresuid(-1, 1, -1): Invalid argument\nsudo: no valid sudoers sources found, quitting", ns, "denied process gain privileges, likely"},
		{"socket file", "    s.connect(path)\nPermissionError: [Errno 13] Permission denied", ns, "denied filesystem connect, likely"},
		{"socket file, open reach", "    s.connect(path)\nPermissionError: [Errno 13] Permission denied", open, "denied filesystem connect, likely"},
		{"refused peer under Landlock", "    s.connect(path)\nPermissionError: [Errno 13] Permission denied", ll, "denied network connect, likely"},
		{"socket family", "OSError: [Errno 97] Address family not supported by protocol", ns, "denied syscall socket, likely"},
		{"no IPv6, open reach", "curl: (7) socket: Address family not supported by protocol", open, "failed (unknown)"},

		{"masked path is absent", "cat: /srv/t/secret/x: No such file or directory", ns, "denied filesystem read, certain, /srv/t/secret/x"},
		{"readable path is absent", "cat: /usr/x: No such file or directory", ns, "failed (likely)"},
		{"Landlock hides nothing", "cat: /srv/t/secret/x: No such file or directory", ll, "failed (likely)"},
		{"ordinary permissions on a granted path", "touch: cannot touch '/srv/t/work/x': Permission denied", ns, "failed (likely)"},
		{"reading what is readable", "cat: /etc/shadow: Permission denied", ns, "failed (likely)"},
		{"read or write, nobody knows", "bash: line 1: /etc/x: Permission denied", ns, "failed (unknown)"},
		{"read or write under Landlock", "bash: line 1: /etc/x: Permission denied", ll, "denied filesystem access, likely, /etc/x"},
		{"relative and granted", "touch: cannot touch 'x': Permission denied", ns, "failed (unknown)"},
		{"link to elsewhere", "touch: cannot touch '/srv/t/work/link': Read-only file system", ns, "failed (unknown)"},
		{"two paths, the second refused", "mv: cannot move '/srv/t/work/a' to '/etc/a': Read-only file system", ns, "denied filesystem write, certain, /etc/a"},
		{"two paths, the first refused", "mv: cannot move '/srv/t/work/.env' to '/srv/t/work/a': Device or resource busy", ns, "denied filesystem write, certain, /srv/t/work/.env"},
		{"a pin is not moved", "mv: cannot move '/srv/t/work/repo' to '/srv/t/work/r2': Device or resource busy", ns, "denied filesystem write, likely, /srv/t/work/repo"},
		{"busy, not moved", "open /srv/t/work/dev: device or resource busy", ns, "failed (likely)"},
		{"host file system under Landlock", "touch: cannot touch '/etc/x': Read-only file system", ll, "failed (likely)"},
		{"refer under Landlock", "ln: failed to create hard link '/srv/t/work/b' => '/srv/t/work/a': Invalid cross-device link", ll, "denied filesystem write, likely, /srv/t/work/b"},
		{"two granted mounts", "rename /srv/t/work/a /tmp/a: invalid cross-device link", ns, "failed (likely)"},

		{"warning, then its own failure", "warning: unable to access '/srv/t/secret/x': Permission denied\nerror: pathspec 'y' did not match", ns, "failed (unknown)"},
		{"warning that proved fatal", "warning: unable to access '/srv/t/secret/.gitconfig': Permission denied\nfatal: unknown error occurred while reading the configuration files", ns,
			"denied filesystem read, certain, /srv/t/secret/.gitconfig"},
		{"shell start-up file", "bash: /srv/t/secret/.bashrc: Permission denied", ns, "failed (unknown)"},
		{"ignored recipe", "touch: cannot touch '/etc/x': Read-only file system (ignored)", ns, "failed (unknown)"},

		{"refused connection within the run", "curl: (7) Failed to connect to 127.0.0.1 port 9 after 0 ms: Couldn't connect to server", loop, "failed (unknown)"},
		{"peer outside under loopback", "curl: (7) Failed to connect to 192.0.2.1 port 9 after 0 ms: Couldn't connect to server", loop, "denied network connect, certain, 192.0.2.1"},
		{"nobody resolves with an open reach", "curl: (6) Could not resolve host: example.com", open, "failed (likely)"},
		{"unreachable with an open reach", "ssh: connect to host 192.0.2.1 port 22: Network is unreachable", open, "failed (likely)"},
		{"apt", "W: Failed to fetch http://example.com/dists/x  Temporary failure resolving 'example.com'", ns, "failed (unknown)"},
		{"apt, fatal", "E: Failed to fetch http://example.com/dists/x  Temporary failure resolving 'example.com'", ns, "denied network resolve, certain, example.com"},
		{"requests", "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: / (Caused by NameResolutionError(\"<urllib3.connection.HTTPSConnection object at 0x7f>: Failed to resolve 'example.com' ([Errno -3] Temporary failure in name resolution)\"))", ns,
			"denied network resolve, certain, example.com"},
		{"browser", "Error: page.goto: net::ERR_NAME_NOT_RESOLVED at https://example.com/", ns, "denied network resolve, likely"},
		{"sudo's own lookup", "sudo: unable to resolve host box: Name or service not known", ns, "failed (unknown)"},
		{"raw socket with an open reach", "ping: socket: Operation not permitted", open, "denied syscall socket, likely"},
		{"low port", "listen tcp 127.0.0.1:80: bind: permission denied", open, "failed (likely)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := summary(Outcome(Result{ExitCode: 1, StderrTail: []byte(tc.line + "\n")}, tc.d)); got != tc.want {
				t.Errorf("%s\n got %q\nwant %q", tc.line, got, tc.want)
			}
		})
	}
}

func TestSnippetKeepsTheWords(t *testing.T) {
	line := strings.Repeat("é", 3000) + ": Read-only file system"
	c := Outcome(Result{ExitCode: 1, StderrTail: []byte(line)}, Namespace(nil, "read-only", "deny"))
	if c.Deciding == nil || len(c.Deciding.Line) > 512 || !strings.HasSuffix(c.Deciding.Line, "Read-only file system") {
		t.Errorf("got %+v", c.Deciding)
	}
}
