"""What must be true of a whole delivery, and of a slice that was made: judged on their counts."""

from expectations.rule import Rule

DELIVERY_RULES = (
    Rule(
        name="delivery_is_mostly_lawful",
        table="delivery",
        broken_when="rejected > max_rejected_share * (accepted + rejected)",
        because="a delivery of which much is unlawful is itself unlawful: a wrong file, a wrong cluster, a broken tool",
        source="C1, C2 position",
        action="halt",
    ),
    Rule(
        name="nothing_went_missing",
        table="delivery",
        broken_when="offered <> accepted + rejected + duplicate",
        because="every row that a reader offered is in the table, in quarantine, or a copy of one that is",
        source="C3 offline load",
        action="halt",
    ),
    Rule(
        name="expected_sources_arrived",
        table="delivery",
        broken_when="missing_sources > 0",
        because="numbers of a day on which a source is silent are not numbers of that day",
        source="C3 offline load",
        action="halt",
    ),
)
