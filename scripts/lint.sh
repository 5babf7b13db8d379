#!/bin/bash
# Everything that reads the source and runs nothing of it.
set -euo pipefail
. "$(dirname "$0")/env.sh"
scripts/setup.sh build

say "format"
unformatted=$(gofmt -l $(git ls-files -co --exclude-standard '*.go'))
if [ -n "$unformatted" ]; then
	printf 'run "make fmt":\n%s\n' "$unformatted" >&2
	exit 1
fi

say "vet"
go vet ./...
GOOS=darwin CGO_ENABLED=0 go vet ./policy ./classify # pure: no system behind them

say "build without cgo what does without it"
CGO_ENABLED=0 go build ./policy ./classify ./seccomp ./fence

say "warnings of the launcher"
for source in confine/internal/launch/*.c; do
	gcc -std=gnu11 -Wall -Wextra -Werror -O2 -fsyntax-only "$source"
done

say "staticcheck"
go tool -modfile=scripts/tools/go.mod staticcheck ./...
