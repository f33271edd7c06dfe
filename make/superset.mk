# Superset has an environment of its own, as in deploy/superset/Dockerfile.
.PHONY: superset-setup

superset-setup: .venv-superset/installed  ## install Superset's own environment, once, for its tests

.venv-superset/installed: requirements/superset.txt
	@$(UV) --version >/dev/null 2>&1 || { echo "uv is missing: make setup, then again."; exit 3; }
	$(UV) venv --quiet --allow-existing --python '>=3.11,<3.13' .venv-superset
	$(UV) pip sync --quiet --python .venv-superset/bin/python --require-hashes requirements/superset.txt
	@touch $@
