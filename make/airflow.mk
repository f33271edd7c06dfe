# Airflow has an environment of its own, apart from Spark's: they share no code, and their pins need not agree.
UV ?= uv
AIRFLOW_PYTHON := .venv-airflow/bin/python

.PHONY: airflow airflow-setup

airflow: airflow-setup  ## start a local Airflow with the daily DAG (default AIRFLOW_PORT=8080); Ctrl-C stops it
	@exec $(AIRFLOW_PYTHON) -W 'ignore:XDG_RUNTIME_DIR' make/local_airflow.py

airflow-setup: .venv-airflow/installed  ## install Airflow's own environment, once

.venv-airflow/installed: requirements/airflow.txt
	@command -v $(UV) >/dev/null || { echo "uv is missing: pip install uv, then again."; exit 3; }
	$(UV) venv --quiet --allow-existing --python '>=3.11,<3.15' .venv-airflow
	$(UV) pip sync --quiet --python $(AIRFLOW_PYTHON) --require-hashes requirements/airflow.txt
	@touch $@
