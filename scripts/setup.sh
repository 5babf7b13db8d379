#!/bin/bash
# Installs what is missing: setup.sh build, or setup.sh test. Prints nothing and
# changes nothing where everything is there.
set -euo pipefail
. "$(dirname "$0")/env.sh"

missing=()
# need PACKAGE COMMAND-OR-FILE…: one of the commands or files stands for the package.
need() {
	local package=$1 have
	shift
	for have in "$@"; do
		if [ "${have#/}" != "$have" ] && [ -e "$have" ] || command -v "$have" >/dev/null; then return; fi
	done
	missing+=("$package")
}

need gcc gcc
need libc6-dev /usr/include/stdlib.h
need libseccomp-dev /usr/include/seccomp.h
need git git
need ca-certificates /etc/ssl/certs/ca-certificates.crt
command -v go >/dev/null || missing+=(golang-go)
if [ "${1:-build}" = test ]; then
	need bubblewrap /usr/bin/bwrap
	need tmux /usr/bin/tmux
	need python3 /usr/bin/python3
	need nodejs /usr/bin/node /usr/local/bin/node
	need npm /usr/bin/npm /usr/local/bin/npm
	need vim /usr/bin/vim
	need procps /usr/bin/ps
	need iproute2 /usr/sbin/ip /sbin/ip /usr/bin/ip
	need curl /usr/bin/curl
	need util-linux setpriv
	need passwd useradd
fi

if [ ${#missing[@]} -gt 0 ]; then
	sudo=
	if [ "$(id -u)" != 0 ]; then
		sudo=sudo
		if ! command -v sudo >/dev/null; then
			echo "setup: install these packages as root, then try again: ${missing[*]}" >&2
			exit 1
		fi
	fi
	if ! command -v apt-get >/dev/null; then
		echo "setup: this is no Debian or Ubuntu; install what these packages hold, then try again: ${missing[*]}" >&2
		exit 1
	fi
	echo "setup: installing ${missing[*]}"
	log=$(mktemp)
	if ! { $sudo apt-get update && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
		cat "$log" >&2
		rm -f "$log"
		echo "setup: the packages could not be installed" >&2
		exit 1
	fi
	rm -f "$log"
fi

# Go: the version that go.mod names. From 1.21 on the go command fetches it by
# itself; an older one can at least fetch it as the module that it is.
go version >/dev/null 2>&1 && exit 0
toolchain="v0.0.1-go1.26.8.linux-$(dpkg --print-architecture 2>/dev/null || echo amd64)"
echo "setup: $(cd / && go version 2>&1 | head -n 1) is too old; fetching $toolchain"
mkdir -p .tools/fetch
(
	cd .tools/fetch
	printf 'module fetch\n' >go.mod
	GOFLAGS=-modcacherw GOMODCACHE="$PWD/mod" go mod download "golang.org/toolchain@$toolchain"
)
rm -rf .tools/go
mv ".tools/fetch/mod/golang.org/toolchain@$toolchain" .tools/go
rm -rf .tools/fetch
chmod -R u+w .tools/go
chmod +x .tools/go/bin/* .tools/go/pkg/tool/*/*
hash -r
go version
