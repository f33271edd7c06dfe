"""A rule: a sentence that is true of good data, and a SQL predicate that is true for a row that breaks it."""

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
    # The document that the rule rests on, and its topic there.
    source: str
    action: Action
    on: JudgedRows = "parsed"
