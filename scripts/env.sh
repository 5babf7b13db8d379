# Sourced by the other scripts: goes to the repository's folder and finds Go.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
export PATH="$root/.tools/go/bin:$PATH:/usr/local/go/bin:/usr/sbin:/sbin"
export CGO_ENABLED=1 GOTOOLCHAIN="${GOTOOLCHAIN:-auto}"
tags=netgo,osusergo

# say prints a headline.
say() { printf '\n== %s\n' "$*"; }
