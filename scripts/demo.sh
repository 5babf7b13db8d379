#!/bin/bash
# Builds confine and shows it at work: a command that may write to its workspace,
# and one that tries to plant a git hook.
set -euo pipefail
. "$(dirname "$0")/env.sh"
scripts/build.sh
export PATH="$root/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/project"
cd "$work/project"
git init -q .

run() {
	printf '\n$ %s\n' "$1"
	status=0
	eval "$1" 2>&1 || status=$?
	echo "(exit status $status)"
}

echo "What a run in $PWD would be allowed to write:"
confine check --mode workspace-write --access write . .git /etc ~/.profile || true

run "confine --mode workspace-write -- sh -c 'echo built > out.txt && cat out.txt'"
run "confine --mode workspace-write --report ../report.json -- sh -c 'echo evil > .git/hooks/pre-commit'"

printf '\nThe report of the second run says:\n'
grep -oE '"(outcome|reason|hint|exit_code|backend|mode|duration_ms)":("([^"\\]|\\.)*"|[0-9]+)|"deciding":\{[^}]*\}' ../report.json | head -n 7 | sed 's/^/  /'

[ "$(cat out.txt)" = built ]
[ ! -e .git/hooks/pre-commit ]
grep -q '"outcome":"denied"' ../report.json
