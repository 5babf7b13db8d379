#!/bin/bash
# Installs the binary, its manual page and completions below PREFIX (/usr/local).
set -euo pipefail
. "$(dirname "$0")/env.sh"
to=${DESTDIR:-}${PREFIX:-/usr/local}
install -D -m 755 bin/confine "$to/bin/confine"
page() { install -D -m 644 /dev/stdin "$to/share/$1"; }
bin/confine man | page man/man1/confine.1
bin/confine completion bash | page bash-completion/completions/confine
bin/confine completion zsh | page zsh/site-functions/_confine
bin/confine completion fish | page fish/vendor_completions.d/confine.fish
echo "installed $to/bin/confine"
