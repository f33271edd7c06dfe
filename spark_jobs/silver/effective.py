"""Which commits count as a position."""

# Of a copy without a position in the log nobody knows whether it was in a transaction: it counts.
EFFECTIVE = "coalesce(transaction, 'none') in ('none', 'committed')"
