# What a person types. Everything installs itself into .venv on first use.

# Whatever a person's PYTHONPATH has would precede .venv.
unexport PYTHONPATH

PYTHON   ?= python3.11
VENV     := .venv
BIN      := $(VENV)/bin
STAMP    := $(VENV)/.installed
TOOLS    := $(VENV)/.tools
MULTICAST := build/multicast/.built
CLASSES  := build/spark.jsa
PLT      := build/elixir.plt
GO       := build/.go-libraries
# for two cores: tests wait for sockets and for Spark, too
JOBS     ?= 5
CONFORM_JOBS ?= 12

PYTEST   = -n $(JOBS) --dist loadgroup --no-loadscope-reorder
QUICK    := $(addprefix tests/, wire command cli journal client codegen/source codegen/passes codegen/evolution broker/core \
	broker/journal broker/devices broker/topics conformance/captures conformance/common conformance/model conformance/wire \
	conformance/codec conformance/reports pipeline/journal)

PROSE    := codegen reference_broker conformance pipeline benchmarks tests examples docs protocol README.md CONTRIBUTING.md CHANGELOG.md

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo "Parts of make soak:"
	@awk -F '[]["]' '/^\[/{part = $$2} /^about/{printf "  PART=%-13s %s\n", part, $$2}' tests/soak.toml

$(STAMP): pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once; about a minute)"
	@command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) not found; install Python 3.11 or set PYTHON=..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable '.[broker,bridge,conformance,pipeline,dev,bench,demo]'
	@touch $@

$(TOOLS): $(STAMP) tools/install tools/node/package-lock.json
	@echo "Looking for the tools of eight languages; what is missing is installed (once; some minutes)"
	@tools/install
	@touch $@

.PHONY: setup
setup: $(STAMP) ## Install the Python side into .venv: broker, clients, generator, suite

.PHONY: tools
tools: $(TOOLS) $(MULTICAST) $(CLASSES) $(PLT) $(GO) adapters ## Install the tools of eight languages, and build the ZeroMQ implementations that tests use

.PHONY: adapters
adapters: $(TOOLS) ## Build the implementations of ZeroMQ that the suite judges into build/adapters
	@tools/adapters

$(MULTICAST): tools/multicast $(wildcard conformance/adapters/pyzmq/*) | $(TOOLS)
	@echo "Building pyzmq on the system's libzmq (once; a minute)"
	@tools/multicast

$(CLASSES): tools/spark-classes | $(TOOLS)
	@echo "Writing Spark's Java classes to a file from which they load quickly (once; half a minute)"
	@mkdir -p build
	@$(BIN)/python tools/spark-classes >build/spark-classes.log 2>&1 || { tail -n 40 build/spark-classes.log >&2; exit 1; }

$(PLT): tools/dialyzer-plt | $(TOOLS)
	@echo "Teaching Dialyzer the code of Erlang and Elixir (once; some minutes)"
	@mkdir -p build
	@tools/dialyzer-plt >build/dialyzer-plt.log 2>&1 || { tail -n 40 build/dialyzer-plt.log >&2; exit 1; }

$(GO): tools/go-libraries examples/clients/go/go.mod benchmarks/codec_go/go.mod | $(TOOLS)
	@echo "Compiling Go's standard library for the race detector, the fuzzer and the linters (once; a minute)"
	@mkdir -p build
	@timeout 1200 tools/go-libraries >build/go-libraries.log 2>&1 || { tail -n 40 build/go-libraries.log >&2; exit 1; }
	@touch $@

.PHONY: multicast
multicast: $(MULTICAST) ## Set up build/multicast/bin/zeps, the command with NORM and PGM

.PHONY: demo
demo: $(STAMP) ## Run the main job: broker, publishers, subscribers, a crash, and the suite's verdict
	@$(BIN)/python examples/demo.py

.PHONY: test
test: export PYTHONHASHSEED = 0
test: $(TOOLS) $(MULTICAST) $(CLASSES) $(PLT) $(GO) adapters ## Run all tests, campaigns in small and with fixed seeds
	$(BIN)/python -m pytest $(PYTEST) --budget

.PHONY: quick
quick: export PYTHONHASHSEED = 0
quick: export ZEPS_CAMPAIGN = quick
quick: $(STAMP) ## Run what takes no process and no compiler, campaigns at a tenth: a minute, while editing
	$(BIN)/python -m pytest $(PYTEST) -q -m 'not slow' $(QUICK)

.PHONY: soak
soak: $(TOOLS) $(MULTICAST) $(CLASSES) ## Run the campaigns at full size, continuing where it stopped: make soak PART=broker, SEED=17
	$(BIN)/python tests/soak.py --jobs $(JOBS) $(PART) $(if $(SEED),--seed $(SEED))

.PHONY: simulate
simulate: $(STAMP) ## Run the simulator: make simulate SEED=17, or SEED=0:100
	$(BIN)/python -m zeps_broker.sim --seeds $(or $(SEED),0:100)

.PHONY: generate
generate: $(TOOLS) ## Regenerate everything that comes from protocol/, and the catalogue of cases
	$(BIN)/zeps-codegen generate
	$(BIN)/zeps-conform list --markdown > generated/docs/conformance-cases.md

.PHONY: format
format: $(STAMP) ## Format the code that people write
	$(BIN)/ruff format codegen reference_broker conformance pipeline benchmarks tests examples
	$(BIN)/ruff check --fix codegen reference_broker conformance pipeline benchmarks tests examples

.PHONY: check
check: $(TOOLS) ## Formatting, lint, prose, types, import contracts, models, and that generated files are what they come from
	$(BIN)/ruff format --check codegen generated/python reference_broker conformance pipeline benchmarks tests examples
	$(BIN)/ruff check codegen generated/python reference_broker conformance pipeline benchmarks tests examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	build/bin/vale --output=line $(PROSE)
	$(BIN)/zeps-codegen check
	$(BIN)/zeps-codegen generate --check
	$(BIN)/zeps-codegen generate
	$(BIN)/zeps-conform list --markdown > generated/docs/conformance-cases.md
	@changed=$$(git status --porcelain -- generated); test -z "$$changed" || { echo "error: regenerating changed: $$changed" >&2; exit 1; }

.PHONY: site
site: export NO_MKDOCS_2_WARNING = 1
site: $(TOOLS) ## Build the documentation site into build/site, which a browser reads without a server
	@tools/site
	@$(BIN)/mkdocs build --quiet --strict
	@echo "Open build/site/index.html"

.PHONY: bench
bench: $(TOOLS) ## Measure against the peers, side by side; results land in benchmarks/results/
	tools/install --benchmarks
	cd benchmarks && failed=; for each in codec_python codec_c codec_cpp codec_rust codec_go codec_java codec_typescript \
		decode_costs broker_fanout broker_peers broker_replay replay_memory forwarder forwarder_tree pipeline_read \
		pipeline_audit; do ../$(BIN)/python $$each.py || failed="$$failed $$each"; done; \
		test -z "$$failed" || { echo "error: a bar is missed in:$$failed" >&2; exit 1; }

.PHONY: bench-compare
bench-compare: $(TOOLS) ## Compare with an earlier version, in turn: make bench-compare BASE=<name in benchmarks/bases.toml>
	tools/install --benchmarks
	$(BIN)/python benchmarks/bench_compare.py $(BASE) $(foreach name,$(ONLY),--only $(name))

.PHONY: conform
conform: adapters ## Judge PUB, SUB, proxies and clients of many implementations side by side; build/conform/pages
	rm -rf build/conform/kept
	$(BIN)/zeps-conform matrix conformance/implementations/*.toml --jobs $(CONFORM_JOBS) --baselines conformance/baselines \
		--pages build/conform/pages --json build/conform/matrix.json --keep build/conform/kept \
		$(if $(wildcard build/conform/matrix.json),--against build/conform/matrix.json)

.PHONY: durability
durability: $(TOOLS) ## Measure what brokers confirm and lose, into benchmarks/results/durability; then the tables of docs/durability.md
	tools/install --benchmarks
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --editable '.[durability]'
	for each in zeps nats redis mosquitto rabbitmq; do $(BIN)/zeps-conform durability --start conformance/durability/$$each.toml \
		--pause 3 --json benchmarks/results/durability/$$each.json; done
	$(BIN)/python tools/durability-tables

.PHONY: clean
clean: ## Remove what the build made, and the environment
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
