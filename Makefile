.PHONY: install test slow browser nightly installed torture lint format texts samples recording lock audit sbom demo app

install:
	pip install -e ".[dev]"

test:
	pytest

slow:
	pytest -m slow

browser:
	pytest -m browser

# Before a release: CI runs a part of the slow and the browser tests, so that it stays quick.
nightly: export HYPOTHESIS_PROFILE = nightly
nightly: test slow browser installed

installed:
	python -m tests.benchmarks.installed

torture:
	python -m tests.benchmarks.fault_points
	python -m tests.benchmarks.damage
	python -m tests.benchmarks.closed_home
	python -m tests.benchmarks.model_faults
	python -m tests.benchmarks.two_processes
	python -m tests.benchmarks.interleavings
	python -m tests.benchmarks.grid_kills

lint:
	ruff check .
	mypy

format:
	ruff format .
	ruff check --fix .

texts:
	python -m tests.support.messages

recording:
	python -m tests.benchmarks.reading.record

samples:
	python -m tests.support.sample_vectors

# These need `pip install uv pip-audit cyclonedx-bom`.
lock:
	uv pip compile pyproject.toml --quiet --extra dev --extra train --generate-hashes --universal --python-version 3.11 \
		--no-emit-index-url --custom-compile-command "make lock" -o requirements.lock
	python -m tests.support.licences

audit:
	pip-audit --requirement requirements.lock --require-hashes --disable-pip

sbom:
	cyclonedx-py requirements requirements.lock -o sbom.json

demo:
	rabbithole demo

app:
	rabbithole serve
