"""Which tables and columns come from which: sent to an OpenLineage server, if one is set."""
