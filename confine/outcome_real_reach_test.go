package confine_test

import "confine/policy"

// realNetworkDenials are the refusals of a narrowed reach. Names below
// .invalid never exist, so their control fails as well, but is no denial.
var realNetworkDenials = []realCase{
	{name: "curl", needs: "curl", script: "curl -sS http://{addr}/", exit: 7, want: "denied network connect 127.0.0.1, network deny, certain"},
	{name: "curl with a grant", needs: "curl", script: "curl -sS http://{addr}/", exit: 7, want: "denied network connect 127.0.0.1, network deny, certain", widened: allowAll},
	{name: "curl of localhost", needs: "curl", script: "curl -sS http://localhost:{port}/", exit: 7, want: "denied network connect localhost, network deny, certain"},
	{name: "curl of a name", needs: "curl", script: "curl -sS http://confine.invalid/", exit: 6, want: "denied network resolve confine.invalid, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "curl with reach loopback", needs: "curl", given: loopback, script: "curl -sS --connect-timeout 1 http://192.0.2.1/", exit: 7, want: "denied network connect 192.0.2.1, network loopback, certain",
		widened: allowAll, freely: "*"},
	{name: "wget", needs: "wget", script: "wget -t 1 -O /dev/null http://{addr}/", exit: 4, want: "denied network connect 127.0.0.1, network deny, certain"},
	{name: "wget, terse", needs: "wget", script: "wget -nv -t 1 -O /dev/null http://{addr}/", exit: 4, want: "denied network connect ENETUNREACH, network deny, likely"},
	{name: "wget of a name", needs: "wget", script: "wget -nv -t 1 -O /dev/null http://confine.invalid/", exit: 4, want: "denied network resolve confine.invalid, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "git ls-remote", needs: "git", script: "git ls-remote http://{addr}/repo", exit: 128, want: "denied network connect 127.0.0.1, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "git clone of a name", needs: "git", script: "git clone -q http://confine.invalid/repo new", exit: 128, want: "denied network resolve confine.invalid, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "git over ssh", needs: "git ssh", script: "git ls-remote ssh://git@127.0.0.1:{closed}/repo", exit: 128, want: "denied network connect 127.0.0.1, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "ssh", needs: "ssh", script: "ssh -p {closed} -o BatchMode=yes 127.0.0.1 true", exit: 255, want: "denied network connect 127.0.0.1, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "ssh of a name", needs: "ssh", script: "ssh -o BatchMode=yes confine.invalid true", exit: 255, want: "denied network resolve confine.invalid, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "node http", needs: "node", argv: []string{"node", "-e", "http.get('http://{addr}/', r => r.resume())"}, exit: 1, want: "denied network connect 127.0.0.1, network deny, certain"},
	{name: "node fetch", needs: "node", argv: []string{"node", "-e", "fetch('http://{addr}/')"}, exit: 1, want: "denied network connect 127.0.0.1, network deny, certain"},
	{name: "node fetch of a name", needs: "node", argv: []string{"node", "-e", "fetch('http://confine.invalid/')"}, exit: 1, want: "denied network resolve confine.invalid, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "npm view", needs: "npm", script: "npm view --registry http://{addr}/ left-pad", exit: 1, want: "denied network connect 127.0.0.1, network deny, certain",
		widened: allowAll, freely: "success"},
	{name: "npm install of a name", needs: "npm", files: map[string]string{"ws/package.json": `{"name":"x","version":"1.0.0"}`}, script: "npm install --registry http://confine.invalid/ left-pad", exit: 1,
		want: "denied network resolve confine.invalid, network deny, certain", widened: allowAll, freely: "failed"},
	{name: "python urllib", needs: "python3", argv: []string{"python3", "-c", "import urllib.request as u; u.urlopen('http://{addr}/')"}, exit: 1, want: "denied network connect ENETUNREACH, network deny, likely"},
	{name: "python urllib of a name", needs: "python3", argv: []string{"python3", "-c", "import urllib.request as u; u.urlopen('http://confine.invalid/')"}, exit: 1,
		want: "denied network resolve EAI_AGAIN, network deny, likely", widened: allowAll, freely: "failed"},
	{name: "python socket", needs: "python3", argv: []string{"python3", "-c", "import socket; socket.create_connection(('127.0.0.1', {port}))"}, exit: 1,
		want: "denied network connect ENETUNREACH, network deny, likely"},
	{name: "go mod download", needs: "go", files: goHello, script: "GONOSUMDB='*' GOPROXY=http://{addr} go mod download example.org/other@v1.0.0", exit: 1,
		want: "denied network connect 127.0.0.1, network deny, certain", widened: allowAll, freely: "failed"},
	{name: "go get of a name", needs: "go", files: goHello, script: "GOPROXY=http://confine.invalid go get example.org/other@v1.0.0", exit: 1,
		want: "denied network connect confine.invalid, network deny, certain", widened: allowAll, freely: "failed"},
	{name: "bash /dev/tcp", argv: []string{"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/{port}"}, exit: 1, want: "denied network connect 127.0.0.1, network deny, certain"},
	{name: "perl socket", needs: "perl", argv: []string{"perl", "-MIO::Socket::INET", "-e", "IO::Socket::INET->new('{addr}') or die \"connect to {addr}: $@\""}, exit: 101,
		want: "denied network connect ENETUNREACH, network deny, likely"},
	{name: "psql", needs: "psql", script: "psql -h 127.0.0.1 -p {closed} -c 'select 1'", exit: 2, want: "denied network connect 127.0.0.1, network deny, certain",
		widened: allowAll, freely: "failed"},
	{name: "pip", needs: "pip3", script: "pip3 download --no-cache-dir --retries 1 --disable-pip-version-check -i https://confine.invalid/simple left-pad", exit: 1,
		want: "denied network resolve EAI_AGAIN, network deny, likely", widened: allowAll, freely: "failed"},
}

// realCallDenials are the refusals of the filter and of the dropped privileges.
var realCallDenials = []realCase{
	{name: "unshare", needs: "unshare", script: "unshare -r true", exit: 1, want: "denied syscall system call EPERM, likely"},
	{name: "mount", needs: "gcc unshare", files: program(`syscall(SYS_mount, "none", "sub", "tmpfs", 0, 0) < 0 ? (perror("mount"), 1) : 0`), setup: compile, script: "./prog", exit: 1,
		want: "denied syscall system call EPERM, likely", outside: "unshare -rm ./prog"},
	{name: "chroot", needs: "chroot unshare", script: "chroot . true", exit: 125, want: "denied syscall system call EPERM, likely", outside: "unshare -r chroot / true"},
	{name: "mknod", needs: "mknod", script: "mknod disk b 8 0", exit: 1, want: "denied syscall system call EPERM, likely", controlAs: "root"},
	{name: "sudo", needs: "sudo", script: "sudo -n true", exit: 1, want: "denied process gain privileges , likely", controlAs: "root"},
	{name: "python AF_VSOCK", needs: "python3", argv: []string{"python3", "-c", "import socket; socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)"}, exit: 1,
		want: "denied syscall socket EAFNOSUPPORT, likely"},
	{name: "call that is not there", needs: "gcc", files: program(`syscall(SYS_io_uring_setup, 1, (char[128]){0}) < 0 ? (perror("io_uring_setup"), 1) : 0`), setup: compile, argv: []string{"./prog"}, exit: 1,
		want: "denied syscall system call ENOSYS, likely"},
	{name: "x32 call", needs: "gcc", files: program("(syscall(0x40000000 | 39), 0)"), setup: compile, argv: []string{"./prog"}, exit: 128 + 31, amd64: true,
		want: "denied syscall system call SIGSYS, certain"},
	{name: "i386 call", amd64: true, needs: "gcc", files: program(`({ long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); r <= 0; })`), setup: compile, argv: []string{"./prog"}, exit: 128 + 31,
		want: "denied syscall system call SIGSYS, certain"},
	{name: "i386 call below a shell", amd64: true, needs: "gcc", files: program(`({ long r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20) : "memory"); r <= 0; })`), setup: compile,
		argv: []string{"bash", "-c", "./prog; exit $?"}, exit: 128 + 31, want: "denied syscall system call SIGSYS, likely"},
	{name: "denied by the policy", needs: "nice", given: denyCalls("setpriority"), script: "renice -n 5 -p $$", exit: 1, want: "denied process process control EPERM, likely"},
	{name: "unix socket of a service", needs: "python3", script: "python3 client.py {out}/service", files: map[string]string{
		"ws/client.py": "import socket, sys\nsocket.socket(socket.AF_UNIX).connect(sys.argv[1])\n",
		"ws/server.py": "import os, socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\ns.listen()\nif os.fork() == 0:\n    os.close(1); os.close(2); import time; time.sleep(20)\n"},
		setup: "python3 {ws}/server.py {out}/service", exit: 1, want: "denied filesystem connect EACCES, likely"},
}

const compile = "gcc -o {ws}/prog {ws}/prog.c"

// program is a C program that exits with the value of an expression.
func program(expression string) map[string]string {
	return map[string]string{"ws/prog.c": "#define _GNU_SOURCE\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/syscall.h>\n#include <unistd.h>\nint main(void) { return " + expression + "; }\n"}
}

func denyCalls(names ...string) func(*realScene, *policy.Defaults) {
	return func(_ *realScene, d *policy.Defaults) { d.Seccomp.Deny = append(d.Seccomp.Deny, names...) }
}
