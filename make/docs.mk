.PHONY: docs

docs:  ## write dbt's documentation of the gold tables as one page (default LAKE=./lake)
	@.venv/bin/python make/gold_docs.py $(or $(LAKE),./lake)

.PHONY: rules-docs

rules-docs:  ## write docs/rules.md from the rules in expectations/
	@.venv/bin/python make/rules_docs.py
