.PHONY: docs

docs:  ## write dbt's documentation of the gold tables as one page (default LAKE=./lake)
	@.venv/bin/python make/gold_docs.py $(or $(LAKE),./lake)
