.PHONY: screenshots

screenshots:  ## take a picture of every page of the dashboards (default LAKE=build/lake GROUP=cart-recommendations)
	@.venv/bin/python make/screenshots.py $(or $(LAKE),build/lake) $(or $(GROUP),cart-recommendations)
