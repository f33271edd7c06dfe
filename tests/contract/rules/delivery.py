"""Counts of deliveries and slices that obey a rule, break it, or can't be judged by it."""

VALID_ROW = {
    "parsed": 100,
    "accepted": 80,
    "rejected": 5,
    "duplicate": 15,
    "missing_sources": 0,
    "max_rejected_share": 0.1,
}

COLUMNS = (
    "parsed bigint, accepted bigint, rejected bigint, duplicate bigint, missing_sources int, max_rejected_share double"
)

CASES: dict[str, tuple[list[dict[str, object]], list[dict[str, object]], list[dict[str, object]]]] = {
    "delivery_is_mostly_lawful": (
        [{"rejected": 20}],
        [{"accepted": 90, "rejected": 10}, {"accepted": 0, "rejected": 0}],
        [{"max_rejected_share": None}],
    ),
    "nothing_went_missing": ([{"parsed": 101}, {"duplicate": 16}], [{"parsed": 100}], [{"parsed": None}]),
    "expected_sources_arrived": ([{"missing_sources": 1}], [{"missing_sources": 0}], [{"missing_sources": None}]),
}
