#!/bin/bash
# Lists the host's tree where tests could leave something behind: kind, mode,
# owner, and for files size and time of change. Left out are caches, what builds
# and the Java runtime keep in /tmp, and the folders named as arguments.
set -euo pipefail
. "$(dirname "$0")/env.sh"
skip=(-name __pycache__ -o -path '/tmp/go-build*' -o -path '/tmp/hsperfdata_*' -o -path '*/.config/go' -o -path "$(go env GOCACHE)" -o -path "$(go env GOMODCACHE)" -o -path "$root/.git" -o -path "$root/.tools")
for folder in "$@"; do skip+=(-o -path "$folder"); done
find /etc /home /root /usr/local /opt /srv /tmp /var/tmp /dev/shm "$root" -xdev \( "${skip[@]}" \) -prune -o \
	\( -type d -printf '%p %y %m %U:%G\n' -o -printf '%p %y %m %U:%G %s %T@\n' \) 2>/dev/null | LC_ALL=C sort -u -T "${1:-/tmp}" || true
