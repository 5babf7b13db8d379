#!/bin/bash
# Builds, checks and tests everything: the pure packages once, with the race
# detector; what touches the kernel as root and as an ordinary user. Afterwards
# the host's tree must be as before.
#
# CONFINE_REQUIRE=1 (set where CI=true) makes a test that was skipped as both users a failure.
set -euo pipefail
. "$(dirname "$0")/env.sh"
[ "${CI:-}" != true ] || export CONFINE_REQUIRE="${CONFINE_REQUIRE:-1}"
export HISTFILE=/dev/null LESSHISTFILE=- # of the shells and pagers in terminal tests
began=$SECONDS
scripts/setup.sh test

say "build"
scripts/build.sh
bin/confine version

say "format and vet"
unformatted=$(gofmt -l $(git ls-files -co --exclude-standard '*.go'))
[ -z "$unformatted" ] || { printf 'not formatted:\n%s\n' "$unformatted"; exit 1; }
go vet ./...

# Everything an ordinary user needs to run tests: sources, binaries, the tool.
work=$(mktemp -d /var/tmp/confine-test.XXXXXX)
user=confine-test
created=
cleanup() {
	rm -rf "$work"
	[ -z "$created" ] || userdel -f -r "$user" >/dev/null 2>&1 || true
}
trap cleanup EXIT
chmod 755 "$work"
mkdir "$work/src" "$work/tests" "$work/go"
export GOTMPDIR="$work/go" CONFINE_BIN="$work/src/bin/confine"
git ls-files -co --exclude-standard -z | tar --null --ignore-failed-read -T - -cf - 2>/dev/null | tar -xf - -C "$work/src"
cp -r bin "$work/src/bin"
go build -o "$work/testsum" ./scripts/testsum
if [ "$(id -u)" = 0 ] && ! id "$user" >/dev/null 2>&1; then
	useradd --create-home --shell /bin/bash "$user"
	created=yes
fi

module=$(go list -m)
pure=$(go list ./policy/... ./classify/... ./seccomp/internal/... ./cmd/...)
kernel=()
for package in $(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./...); do
	grep -qx "$package" <<<"$pure" || kernel+=("$package")
done
for package in "${kernel[@]}"; do
	go test -c -tags "$tags" -o "$work/tests/${package//\//.}" "$package"
done
kernel+=("$module/scripts/clitest") # a module of its own: it runs bin/confine
(cd scripts/clitest && go vet ./... && go test -c -o "$work/tests/$module.scripts.clitest" .)

results=$work/results.json
: >"$results"
report() { tee -a "$results" | "$work/testsum" "$@" || true; }

scripts/tree.sh "$work" "/home/$user/.cache" >"$work/before"

unset GOTMPDIR

say "pure packages, with the race detector"
go test -race -json $pure | report || true

# kernel_suites NAME [COMMAND…]: runs the suites under COMMAND, but for those that
# repeat themselves as an ordinary user and have done so.
kernel_suites() {
	local label=$1 package
	shift
	say "kernel suites as $label"
	for package in "${kernel[@]}"; do
		! grep -qF "\"Package\":\"$package\",\"Output\":\"=== again as the ordinary user" "$results" || continue
		(
			cd "$work/src/${package#"$module"}"
			go tool test2json -t -p "$package" "$@" "$work/tests/${package//\//.}" -test.v=test2json -test.timeout=10m </dev/null
		) | report || true
	done
}

if [ "$(id -u)" = 0 ]; then
	chown -R "$user:" "$work/src"
	home=$(getent passwd "$user" | cut -d: -f6)
	path=$(dirname "$(command -v go)"):/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	kernel_suites root
	kernel_suites "the ordinary user $user" setpriv --reuid="$user" --regid="$user" --init-groups \
		env -i HOME="$home" USER="$user" LOGNAME="$user" SHELL=/bin/bash PATH="$path" LANG="${LANG:-C.UTF-8}" \
		HISTFILE="$HISTFILE" LESSHISTFILE="$LESSHISTFILE" CONFINE_BIN="$CONFINE_BIN" ${CI:+CI="$CI"} ${CONFINE_REQUIRE:+CONFINE_REQUIRE="$CONFINE_REQUIRE"}
else
	kernel_suites "the ordinary user $(id -un)"
	if sudo -n true 2>/dev/null; then
		kernel_suites root sudo -n env PATH="$PATH" CONFINE_BIN="$CONFINE_BIN" ${CONFINE_REQUIRE:+CONFINE_REQUIRE="$CONFINE_REQUIRE"}
	else
		echo "the suites did not run as root: sudo asks for a password"
		[ -z "${CONFINE_REQUIRE:-}" ] || echo '{"Action":"fail","Package":"root"}' >>"$results"
	fi
fi

say "what the tests left on the host"
scripts/tree.sh "$work" "/home/$user/.cache" >"$work/after"
litter=0
if diff "$work/before" "$work/after" >"$work/diff"; then
	echo nothing
else
	grep '^[<>]' "$work/diff"
	[ "${CONFINE_TREE:-strict}" = warn ] || litter=1
fi

say "result after $((SECONDS - began)) s"
"$work/testsum" -total <"$results" && [ $litter = 0 ]
