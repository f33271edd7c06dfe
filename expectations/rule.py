"""A rule: a sentence that is true of good data, and a SQL predicate that is true for a row that breaks it."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Literal

Action = Literal["warn", "reject", "halt"]
# Rules on parsed rows decide which rows are accepted, and may use everything that the delivery says about a row. Rules on
# accepted rows run on the finished table, where a row knows the accepted row before it.
JudgedRows = Literal["parsed", "accepted"]


@dataclass(frozen=True)
class Rule:
    """`broken_when` is SQL over the columns of `table`: true if a row breaks the rule, null if it can't be judged."""

    name: str
    table: str
    broken_when: str
    # One sentence, shown in Great Expectations' Data Docs and, if the rule halts a delivery, to the user.
    because: str
    # What it is about, in the words of Kafka users.
    topic: str
    # The document that the rule rests on, and its topic there.
    source: str
    action: Action
    # What to do about a row that breaks it, as an order.
    remedy: str
    on: JudgedRows = "parsed"

    @property
    def sql(self) -> str:
        """The predicate on one line."""
        return " ".join(self.broken_when.split())

    @property
    def fingerprint(self) -> str:
        """Is another one when the rule judges otherwise, and not when only its explanation changes."""
        return hashlib.sha256(f"{self.table}\n{self.on}\n{self.sql}".encode()).hexdigest()[:12]


@dataclass(frozen=True)
class RuleResult:
    """How many rows of a slice a rule could judge, and how many break it, as the split counts them."""

    cluster: str
    day: dt.date
    table: str
    rule: Rule
    checked: int
    broken: int
