#!/bin/bash
# Builds bin/confine: one static binary.
set -euo pipefail
. "$(dirname "$0")/env.sh"
scripts/setup.sh build
revision=$(git rev-parse --short=12 HEAD 2>/dev/null || true)
go build -trimpath -buildvcs=false -tags "$tags" \
	-ldflags "-s -w -buildid= -X main.revision=$revision -linkmode external -extldflags -static" \
	-o bin/confine ./cmd/confine
