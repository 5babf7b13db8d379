# Every target is a script of scripts/; run "make test" on a fresh machine and it
# installs what it needs.
.PHONY: build test bench lint fmt fuzz demo man install clean

build:
	@scripts/build.sh

test:
	@scripts/test.sh

bench: build
	@go run ./scripts/bench

lint:
	@scripts/lint.sh

fmt:
	@scripts/fmt.sh

fuzz:
	@scripts/fuzz.sh

demo:
	@scripts/demo.sh

man: build
	@bin/confine man > bin/confine.1

install: build
	@scripts/install.sh

clean:
	@rm -rf bin .tools
