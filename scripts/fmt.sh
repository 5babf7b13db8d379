#!/bin/bash
set -euo pipefail
. "$(dirname "$0")/env.sh"
scripts/setup.sh build
gofmt -w $(git ls-files -co --exclude-standard '*.go')
