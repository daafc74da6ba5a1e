# The two commands of the README, and what CI runs. Each sets up all it needs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= 3
SECONDS ?= 600
RUNS ?= 3
RAW ?= docs/measurements/failover.json
# Programs that tests need and PyPI does not have, and the packages they are in.
SYSTEM := pgbouncer:pgbouncer age:age caddy:caddy nginx:nginx-light openssl:openssl systemd-analyze:systemd chromium:chromium
CLUSTER := pgbouncer:pgbouncer etcd:etcd-server haproxy:haproxy

.PHONY: run test fuzz failover failover-test failover-parts system coverage check fmt lock docs package image clean

run: $(VENV)/.installed ## set everything up and act out a small community, offline; in a terminal it is then served to ask
	@$(BIN)/confide demo
	@if [ -t 1 ]; then $(BIN)/confide serve --demo; fi

test: $(VENV)/.dev-installed system ## set everything up and run every test
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -n $(WORKERS) --dist load

fuzz: $(VENV)/.dev-installed ## tests that draw their cases, with random seeds: SECONDS=600; SEED=… TESTS=… repeat a failure
	WORKERS=$(WORKERS) $(BIN)/python tools/fuzz.py $(SECONDS) $(SEED) $(TESTS)

failover: failover-parts ## kill the leader of a cluster on loopback under load: RUNS=3; what was lost, doubled or leaked
	PYTHONHASHSEED=0 $(BIN)/python -m benchmarks.failover --runs $(RUNS) --raw $(RAW)

failover-test: failover-parts ## the same once and shortly, as a test; what was lost, doubled or leaked fails it, a slow machine does not
	PYTHONHASHSEED=0 $(BIN)/python -m pytest -m failover tests/failover -rs

failover-parts: $(VENV)/.dev-installed $(VENV)/patroni ## Patroni, etcd, haproxy and PgBouncer; fails where they cannot be installed
	@$(MAKE) --no-print-directory system SYSTEM="$(CLUSTER)"
	@for one in $(CLUSTER); do PATH="$$PATH:/usr/sbin" command -v "$${one%%:*}" >/dev/null || exit 1; done

# In an environment of its own: nothing else needs its dependencies. It is run as another account
# than root, so by a Python that every account may read.
$(VENV)/patroni:
	$(or $(wildcard /usr/bin/python3),$(PYTHON)) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check 'patroni[etcd3]==4.1.5' 'psycopg2-binary==2.9.13' || { rm -rf $@; exit 1; }

system: ## what is missing of SYSTEM; where it cannot be installed, the tests that need it say so
	@missing=""; for one in $(SYSTEM); do \
	  PATH="$$PATH:/usr/sbin" command -v "$${one%%:*}" >/dev/null || missing="$$missing $${one#*:}"; done; \
	if [ -z "$$missing" ]; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $$missing >/dev/null; then :; \
	else echo "Install these with your system's package manager, for the tests that need them:$$missing"; fi

coverage: $(VENV)/.dev-installed ## every branch of the rule, by tests that need no database
	$(BIN)/python -m pytest tests/privacy tests/scenarios -m "not database" --cov=confide.privacy --cov-branch --cov-fail-under=100

check: $(VENV)/.dev-installed ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

fmt: $(VENV)/.dev-installed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev-installed ## build the documentation into build/site, offline; a warning or a broken link fails
	$(BIN)/python tools/site.py

package: $(VENV)/.dev-installed ## build sdist and wheel, and try the wheel in an empty environment
	$(BIN)/python tools/try_wheel.py

image: ## build the image with buildah, without Docker, and run the demonstration in it; needs root. IMAGE_OPTIONS go to buildah
	tools/try_image.sh $(IMAGE_OPTIONS)

lock: $(VENV)/.dev-installed ## pin what was tested
	$(BIN)/python tools/lock.py

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "confide needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python pyproject.toml requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --editable .
	@touch $@

$(VENV)/.dev-installed: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.lock --group dev
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache
