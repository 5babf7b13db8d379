#!/bin/bash
# Runs every fuzz target for FUZZTIME each (default 30s).
set -euo pipefail
. "$(dirname "$0")/env.sh"
scripts/setup.sh build
for package in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
		say "$package $target"
		nice go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-30s}" "$package"
	done
done
