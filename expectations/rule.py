"""A rule is one sentence that is true of good data, and a predicate over one row that says when it is not."""

from dataclasses import dataclass
from typing import Literal

Action = Literal["warn", "reject", "halt"]


@dataclass(frozen=True)
class Rule:
    """`broken_when` is SQL over the columns of `table`: true is broken, false obeys, null can't be judged."""

    name: str
    table: str
    broken_when: str
    because: str
    source: str
    action: Action
    # Judged on rows before the split, which know what else the delivery said, or on those that were accepted, which know
    # the accepted row before them.
    on: Literal["offered", "accepted"] = "offered"
