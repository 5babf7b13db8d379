package confine_test

import "confine/policy"

const (
	rootLayer = ", baseline /, certain"
	repo      = "git init -q {ws} && cd {ws} && git add file && git commit -qm one"
	outRepo   = "git init -q {out}/repo && cd {out}/repo && echo x > f && git add f && git commit -qm one && echo y > f"
)

// realFileDenials are the refusals of the mounts in the words of the shell and
// its small tools.
var realFileDenials = []realCase{
	// outside the workspace: EROFS
	{name: "touch", script: "touch {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "touch by a relative path", script: "touch ../out/new", exit: 1, want: "denied filesystem write ../out/new" + rootLayer},
	{name: "touch a name with blanks and quotes", script: `touch "{out}/it's new: now"`, exit: 1, want: "denied filesystem write {out}/it's new: now" + rootLayer},
	{name: "touch with a grant", script: "touch {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer, widened: grant(policy.Write, "{out}")},
	{name: "mkdir", script: "mkdir {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "mkdir -p", script: "mkdir -p {out}/a/b/c", exit: 1, want: "denied filesystem write {out}/a" + rootLayer},
	{name: "rm", script: "rm {out}/file", exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "rm -f", script: "rm -f {out}/file", exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "rmdir", script: "rmdir {out}/dir", exit: 1, want: "denied filesystem write {out}/dir" + rootLayer},
	{name: "cp", script: "cp file {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "mv to the outside", script: "mv file {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "mv from the outside", script: "mv {out}/file new", exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "ln -s", script: "ln -s x {out}/link", exit: 1, want: "denied filesystem write {out}/link" + rootLayer},
	{name: "ln", script: "ln {out}/file link", exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "chmod", script: "chmod 600 {out}/file", exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "tee", script: "echo x | tee {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "dd", script: "dd if=file of={out}/new status=none", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "truncate", script: "truncate -s 0 {out}/file", exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "install", script: "install -m 644 file {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "sed -i", script: "sed -i s/o/O/ {out}/file", exit: 4, want: "denied filesystem write {out}/sedXXXXXX" + rootLayer},
	{name: "redirection of dash", needs: "dash", argv: []string{"dash", "-c", "echo x > {out}/new"}, exit: 2, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "redirection of bash", argv: []string{"bash", "-c", "echo x > {out}/new"}, exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "append of bash", argv: []string{"bash", "-c", "echo x >> {out}/file"}, exit: 1, want: "denied filesystem write {out}/file" + rootLayer},
	{name: "first of many steps", argv: []string{"bash", "-ec", "echo a > new\nmkdir {out}/new\necho b > other"}, exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "read-only mode", given: readOnly, script: "touch new", exit: 1, want: "denied filesystem write new" + rootLayer},
	{name: "read-only mode, mktemp", given: readOnly, script: "mktemp", exit: 1, want: "denied filesystem write /tmp/tmp.XXXXXXXXXX" + rootLayer},
	{name: "the last of two counts", script: "touch {out}/a; touch {out}/b", exit: 1, want: "denied filesystem write {out}/b" + rootLayer},
	{name: "output without an end of line", script: "touch {out}/new || { printf 'giving up' >&2; exit 1; }", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},

	// carve-outs in the workspace
	{name: "read entry", argv: []string{"bash", "-c", "echo x > vendor/new"}, exit: 1, want: "denied filesystem write vendor/new, entry {ws}/vendor, certain"},
	{name: "rename a read entry", script: "mv vendor other", exit: 1, want: "denied filesystem write vendor, entry {ws}/vendor, certain"},
	{name: "remove a read entry", script: "rm -rf vendor", exit: 1, want: "denied filesystem write vendor/lib, entry {ws}/vendor, certain"},
	{name: "hard link into a read entry", script: "ln file vendor/new", exit: 1, want: "denied filesystem write vendor/new, entry {ws}/vendor, certain"},
	{name: "rename over a protected file", setup: repo, script: "mv -f file .git/config", exit: 1, want: "denied filesystem write .git/config, protected {ws}/.git, certain"},
	{name: "rename a protected name", setup: repo, script: "mv .git other", exit: 1, want: "denied filesystem write .git, protected {ws}/.git, certain"},
	{name: "rename the folder of a protected name", setup: "git init -q {ws}/sub", given: grant(policy.Read, "{ws}/sub/.git"), script: "mv sub other", exit: 1,
		want: "denied filesystem write sub, likely"},
	{name: "rename a mask", script: "mv secret other", exit: 1, want: "denied filesystem write secret, entry {ws}/secret, certain"},
	{name: "remove a mask", script: "rm -f token", exit: 1, want: "denied filesystem write token, entry {ws}/token, certain"},

	// masks: EACCES
	{name: "cat in a denied folder", script: "cat secret/key", exit: 1, want: "denied filesystem read secret/key, entry {ws}/secret, certain"},
	{name: "cat a denied file", script: "cat {ws}/token", exit: 1, want: "denied filesystem read {ws}/token, entry {ws}/token, certain"},
	{name: "cat a denied file with a grant", script: "cat token", exit: 1, want: "denied filesystem read token, entry {ws}/token, certain", widened: grant(policy.Read, "{ws}/token")},
	{name: "ls of a denied folder", script: "ls secret", exit: 2, want: "denied filesystem read secret, entry {ws}/secret, certain"},
	{name: "cd to a denied folder", argv: []string{"bash", "-c", "cd secret"}, exit: 1, want: "denied filesystem read secret, entry {ws}/secret, certain"},
	{name: "find through a denied folder", script: "find . -name key", exit: 1, want: "denied filesystem read ./secret, entry {ws}/secret, certain"},
	{name: "grep through a denied folder", script: "grep -rq SECRET secret", exit: 2, want: "denied filesystem read secret, entry {ws}/secret, certain"},
	{name: "wc", script: "wc -l token", exit: 1, want: "denied filesystem read token, entry {ws}/token, certain"},
	{name: "head", script: "head -1 token", exit: 1, want: "denied filesystem read token, entry {ws}/token, certain"},
	{name: "cp from a denied folder", script: "cp secret/key stolen", exit: 1, want: "denied filesystem read secret/key, entry {ws}/secret, certain"},
	{name: "input redirection", argv: []string{"bash", "-c", "cat < token"}, exit: 1, want: "denied filesystem access token, entry {ws}/token, certain"},
	{name: "source", argv: []string{"bash", "-c", ". secret/key || exit 3"}, files: map[string]string{"ws/secret/key": ":\n"}, exit: 3,
		want: "denied filesystem access secret/key, entry {ws}/secret, certain"},
	{name: "credentials of the home folder", script: "cat {home}/.ssh/id_rsa", exit: 1, want: "denied filesystem read {home}/.ssh/id_rsa, hardening {home}/.ssh, certain"},
	{name: "credentials with a grant", script: "cat ~/.ssh/id_rsa", exit: 1, want: "denied filesystem read {home}/.ssh/id_rsa, hardening {home}/.ssh, certain",
		widened: grant(policy.Read, "{home}/.ssh")},
	{name: "write into a denied folder", argv: []string{"bash", "-c", "echo x > secret/new"}, exit: 1, want: "denied filesystem access secret/new, entry {ws}/secret, certain"},

	// a denied base: ENOENT
	{name: "hidden file", given: baselineDeny, script: "cat {out}/file", exit: 1, want: "denied filesystem read {out}/file, baseline /, certain"},
	{name: "hidden folder", given: baselineDeny, script: "ls {out}", exit: 2, want: "denied filesystem read {out}, baseline /, certain"},
	{name: "hidden file with a grant", given: baselineDeny, script: "cat {out}/file", exit: 1, want: "denied filesystem read {out}/file, baseline /, certain",
		widened: grant(policy.Read, "{out}")},
	{name: "hidden parent", given: baselineDeny, argv: []string{"bash", "-c", "echo x > {out}/new"}, exit: 1, want: "denied filesystem access {out}/new, baseline /, certain"},

	// absent protected names: undone, whatever the exit code
	{name: "create a protected name", script: "mkdir .hg", want: "denied filesystem create {ws}/.hg, protected {ws}/.hg, certain"},
	{name: "create a protected name and fail", script: "mkdir .hg; exit 3", exit: 3, want: "denied filesystem create {ws}/.hg, protected {ws}/.hg, certain",
		widened: func(_ *realScene, d *policy.Defaults) { d.Unprotect = append(d.Unprotect, ".hg") }, freely: "failed"},
}

// realToolDenials are the same in the words of compilers, interpreters and
// package managers.
var realToolDenials = []realCase{
	{name: "tar, create", needs: "tar", script: "tar -cf {out}/a.tar file", exit: 2, want: "denied filesystem write {out}/a.tar" + rootLayer},
	{name: "tar, read", needs: "tar", script: "tar -cf a.tar token", exit: 2, want: "denied filesystem access token, entry {ws}/token, certain"},
	{name: "tar, extract", needs: "tar", setup: "cd {ws} && tar -cf a.tar sub", script: "tar -xf a.tar -C {out}", exit: 2, want: "denied filesystem write sub, likely"},
	{name: "unzip", needs: "zip unzip", setup: "cd {ws} && zip -q a.zip file", script: "unzip -oq a.zip -d {out}/new", exit: 2, want: "denied filesystem write {out}/new" + rootLayer},

	{name: "git add", needs: "git", setup: repo, script: "echo y > file; git add file", exit: 128, want: "denied filesystem write {ws}/.git/index.lock, protected {ws}/.git, certain"},
	{name: "git commit", needs: "git", setup: repo, script: "git commit --allow-empty -qm two", exit: 128, want: "denied filesystem write {ws}/.git/index.lock, protected {ws}/.git, certain"},
	{name: "git commit with a grant", needs: "git", setup: repo, script: "git commit --allow-empty -qm two", exit: 128, widened: grant(policy.Write, "{ws}/.git"),
		want: "denied filesystem write {ws}/.git/index.lock, protected {ws}/.git, certain"},
	{name: "git config", needs: "git", setup: repo, script: "git config a.b c", exit: 255, want: "denied filesystem write .git/config, protected {ws}/.git, certain"},
	{name: "git checkout -b", needs: "git", setup: repo, script: "git checkout -qb topic", exit: 128, want: "denied filesystem write {ws}/.git/index.lock, protected {ws}/.git, certain"},
	{name: "git tag", needs: "git", setup: repo, script: "git tag one", exit: 128, want: "denied filesystem write {ws}/.git/refs/tags/one.lock, protected {ws}/.git, certain"},
	{name: "git init", needs: "git", script: "git init -q {out}/new", exit: 128, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "git clone", needs: "git", setup: outRepo, script: "git clone -q {out}/repo {out}/copy", exit: 128, want: "denied filesystem write {out}/copy" + rootLayer},
	{name: "git add outside", needs: "git", setup: outRepo, script: "git -C {out}/repo add f", exit: 128, want: "denied filesystem write {out}/repo/.git/index.lock" + rootLayer},
	{name: "git worktree", needs: "git", setup: repo, script: "git worktree add -q {out}/tree", exit: 255, want: "denied filesystem write {ws}/.git/refs/heads/tree.lock, protected {ws}/.git, certain"},

	{name: "python open", needs: "python3", argv: []string{"python3", "-c", "open('{out}/new', 'w')"}, exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "python open of a denied file", needs: "python3", argv: []string{"python3", "-c", "open('token')"}, exit: 1, want: "denied filesystem access token, entry {ws}/token, certain"},
	{name: "python listdir", needs: "python3", argv: []string{"python3", "-c", "import os; os.listdir('secret')"}, exit: 1, want: "denied filesystem access secret, entry {ws}/secret, certain"},
	{name: "python makedirs", needs: "python3", argv: []string{"python3", "-c", "import os; os.makedirs('{out}/a/b')"}, exit: 1, want: "denied filesystem write {out}/a" + rootLayer},
	{name: "python rename across", needs: "python3", argv: []string{"python3", "-c", "import os; os.rename('file', 'vendor/new')"}, exit: 1, want: "denied filesystem write vendor/new, entry {ws}/vendor, certain"},
	{name: "python rename of a pinned folder", needs: "python3", setup: "git init -q {ws}/sub", given: grant(policy.Read, "{ws}/sub/.git"),
		argv: []string{"python3", "-c", "import os; os.rename('sub', 'other')"}, exit: 1, want: "denied filesystem write sub, likely"},
	{name: "python shutil", needs: "python3", argv: []string{"python3", "-c", "import shutil; shutil.rmtree('{out}/dir')"}, exit: 1, want: "denied filesystem write {out}/dir" + rootLayer},
	{name: "python tempfile without a writable folder", needs: "python3", given: readOnly, argv: []string{"python3", "-c", "import tempfile; tempfile.mkstemp()"}, exit: 1,
		want: "denied filesystem write /tmp" + rootLayer},
	{name: "python hidden file", needs: "python3", given: baselineDeny, argv: []string{"python3", "-c", "open('{out}/file')"}, exit: 1, want: "denied filesystem access {out}/file" + rootLayer},
	{name: "python venv", needs: "python3", argv: []string{"python3", "-m", "venv", "--without-pip", "{out}/venv"}, exit: 1, want: "denied filesystem write {out}/venv" + rootLayer},

	{name: "node writeFileSync", needs: "node", argv: []string{"node", "-e", "fs.writeFileSync('{out}/new', '')"}, exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "node readFileSync", needs: "node", argv: []string{"node", "-e", "fs.readFileSync('token')"}, exit: 1, want: "denied filesystem access token, entry {ws}/token, certain"},
	{name: "node renameSync", needs: "node", argv: []string{"node", "-e", "fs.renameSync('file', 'vendor/new')"}, exit: 1, want: "denied filesystem write vendor/new, entry {ws}/vendor, certain"},
	{name: "node promise", needs: "node", argv: []string{"node", "-e", "fs.promises.mkdir('{out}/new')"}, exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "node readdir", needs: "node", argv: []string{"node", "-e", "fs.readdirSync('secret')"}, exit: 1, want: "denied filesystem read secret, entry {ws}/secret, certain"},
	{name: "npm init", needs: "npm", script: "cd {out}/dir && npm init -y > /dev/null", exit: 226, want: "denied filesystem write {out}/dir/package.json" + rootLayer},
	{name: "npm install", needs: "npm", files: map[string]string{"out/dir/package.json": `{"name":"x","version":"1.0.0"}`, "ws/dep/package.json": `{"name":"dep","version":"1.0.0"}`},
		script: "cd {out}/dir && npm install --offline {ws}/dep", exit: 254, want: "denied filesystem write {out}/dir/node_modules" + rootLayer},

	{name: "gcc", needs: "gcc", files: hello, script: "gcc -o {out}/hello hello.c", exit: 1, want: "denied filesystem write {out}/hello" + rootLayer},
	{name: "gcc -c", needs: "gcc", files: hello, script: "gcc -c -o {out}/hello.o hello.c", exit: 1, want: "denied filesystem write {out}/hello.o" + rootLayer},
	{name: "gcc without a temporary folder", needs: "gcc", given: readOnly, files: hello, script: "gcc hello.c", exit: 134, want: "denied filesystem write ./" + rootLayer},
	{name: "gcc, denied header", needs: "gcc", files: map[string]string{"ws/a.c": "#include \"secret/key\"\n", "ws/secret/key": "int a;\n"}, script: "gcc -c a.c", exit: 1,
		want: "denied filesystem access secret/key, entry {ws}/secret, certain"},
	{name: "make", needs: "make", files: map[string]string{"ws/Makefile": "install:\n\tcp file {out}/new\n"}, script: "make install", exit: 2, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "ar", needs: "ar", script: "ar rc {out}/lib.a file", exit: 1, want: "denied filesystem write {out}/lib.a" + rootLayer},

	{name: "go mod init", needs: "go", script: "cd {out}/dir && go mod init example.org/x", exit: 1, want: "denied filesystem write {out}/dir/go.mod" + rootLayer},
	{name: "go build without its cache", needs: "go", files: goHello, script: "GOCACHE={out}/cache go build -o hello .", exit: 1, outside: "go build -o hello .", want: "denied filesystem write {out}/cache" + rootLayer},
	{name: "go build -o", needs: "go", files: goHello, given: withGoCache, script: "go build -o {out}/hello .", exit: 1, want: "denied filesystem write {out}/hello" + rootLayer},
	{name: "gofmt -w", needs: "gofmt", files: map[string]string{"out/a.go": "package  a\n"}, script: "gofmt -w {out}/a.go", exit: 2, want: "denied filesystem write {out}/a.go.N" + rootLayer},
	{name: "go test that writes outside", needs: "go", given: withGoCache, files: goTest(`if err := os.WriteFile("{out}/new", nil, 0o600); err != nil { println(err.Error()); t.Fatal(err) }`),
		script: "go test . >&2", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},

	{name: "perl", needs: "perl", argv: []string{"perl", "-e", "open(F, '>', '{out}/new') or die \"cannot open {out}/new: $!\""}, exit: 30, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "awk", needs: "awk", argv: []string{"awk", "BEGIN { print 1 > \"{out}/new\" }"}, exit: 2, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "sqlite3", needs: "sqlite3", script: "sqlite3 {out}/db 'create table t(a)'", exit: 1, want: "denied filesystem write {out}/db" + rootLayer},
	{name: "curl -o", needs: "curl", script: "curl --no-progress-meter -o {out}/new file://{ws}/file", exit: 23, want: "denied filesystem write {out}/new" + rootLayer},
	{name: "ssh-keygen", needs: "ssh-keygen", script: "ssh-keygen -q -t ed25519 -N '' -f {out}/key", exit: 1, want: "denied filesystem write {out}/key" + rootLayer},
	{name: "ssh-keygen, denied key", needs: "ssh-keygen", setup: "rm {ws}/token; ssh-keygen -q -t ed25519 -N '' -f {ws}/token", script: "ssh-keygen -y -f {ws}/token", exit: 255,
		want: "denied filesystem read {ws}/token, entry {ws}/token, certain"},
	{name: "java", needs: "java javac", files: map[string]string{"ws/A.java": `class A { public static void main(String[] a) throws Exception { java.nio.file.Files.writeString(java.nio.file.Path.of(a[0]), ""); } }`},
		setup: "cd {ws} && javac A.java", script: "java -XX:TieredStopAtLevel=1 -cp . A {out}/new", exit: 1, want: "denied filesystem write {out}/new" + rootLayer},
}

var (
	hello   = map[string]string{"ws/hello.c": "int main(void) { return 0; }\n"}
	goHello = map[string]string{"ws/go.mod": "module example.org/hello\n\ngo 1.21\n", "ws/hello.go": "package main\n\nfunc main() {}\n"}
)

// goTest is a module with one test.
func goTest(body string) map[string]string {
	return map[string]string{"ws/go.mod": "module example.org/hello\n\ngo 1.21\n",
		"ws/hello_test.go": "package hello\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Args\n\nfunc TestHello(t *testing.T) {\n" + body + "\n}\n"}
}
