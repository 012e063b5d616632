# make setup | demo | test | test-slow | test-browser | fuzz | lint | bench | gallery | messages | lock | clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
export OMP_NUM_THREADS ?= 1

.PHONY: setup demo test test-slow test-browser fuzz lint bench gallery messages lock clean

setup: $(READY)

# uv where it is there, plain pip where not; both take the versions and digests of the lock.
$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "reportgen needs Python 3.11 or newer; say which with: make PYTHON=python3.11 …" >&2; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
		uv venv --quiet --clear --python $(PYTHON) $(VENV) && \
		uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e . ; \
	else \
		$(PYTHON) -m venv --clear $(VENV) && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock && \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . ; \
	fi
	@touch $@

demo: $(READY)
	@$(BIN)/reportgen demo -o reportgen-demo

test: $(READY)
	$(BIN)/python -m pytest -n auto --dist loadfile

# The simulations in full; REPORTGEN_SIM=0.1 runs them at a tenth of their size.
test-slow: $(READY)
	$(BIN)/python -m pytest -m slow -n auto --durations=10

# The page in Chromium: needs node, npm and chromium; npm takes the versions and digests of the lock.
test-browser: $(READY) tests/browser/node_modules/.package-lock.json
	REPORTGEN_BROWSER=required $(BIN)/python -m pytest -m browser tests/browser

tests/browser/node_modules/.package-lock.json: tests/browser/package-lock.json
	@npm ci --silent --prefix tests/browser
	@touch $@

# Arbitrary files for every reader, guided by coverage (Linux); what reaches new code stays in .fuzz/.
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),600) $(TARGETS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	@for script in tests/bench/bench_*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

# Pictures for the README, from the example; needs poppler-utils.
gallery: $(READY)
	$(BIN)/python examples/gallery/make_gallery.py

# Catalogues in line with the code; ROOM=frame for one of them (rooms: tests/support/messages.py).
messages: $(READY)
	@$(BIN)/python -m tests.support.messages $(ROOM)

# Needs uv. A plain requirements export: versions and digests, no index address.
lock:
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-annotate --no-header --quiet -o requirements.lock

clean:
	rm -rf $(VENV) build dist reportgen-demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
