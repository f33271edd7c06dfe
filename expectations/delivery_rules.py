"""Rules on the row counts of a whole delivery, and of each slice that was built."""

from expectations.rule import Rule

DELIVERY_RULES = (
    Rule(
        name="delivery_is_mostly_lawful",
        table="delivery",
        broken_when="rejected > max_rejected_share * (accepted + rejected)",
        because="a delivery with many rejected rows is a wrong file, a wrong cluster or a broken tool",
        topic="Deliveries",
        source="Lagoon, docs/operations.md: halted deliveries",
        action="halt",
        remedy="Look at the rows with lagoon quarantine show; correct the files and deliver them again, or raise gate.max_rejected_share",
    ),
    Rule(
        name="nothing_went_missing",
        table="delivery",
        broken_when="parsed <> accepted + rejected + duplicate",
        because="every parsed row is in the table, in quarantine, or a copy of a row that is",
        topic="Deliveries",
        source="Kafka documentation, Design, The Consumer: offline data load, where a failed task starts again without loss or duplicates",
        action="halt",
        remedy="Run the day again; if it halts again, report it with the rows of quality.runs",
    ),
    Rule(
        name="expected_sources_arrived",
        table="delivery",
        broken_when="missing_sources > 0",
        because="the numbers of a day are not complete while an expected source is missing",
        topic="Deliveries",
        source="Kafka documentation, Design, The Consumer: offline data load, where a failed task starts again without loss or duplicates",
        action="halt",
        remedy="Deliver the missing source, or take it out of clusters.NAME.expected_sources in lagoon.toml",
    ),
)
