"""The summary that a reader returns once it has read a file to its end."""

from collections.abc import Generator
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True)
class Receipt:
    """`records` is counted before parsing and independently of the other three; the gate checks that they add up."""

    format: str
    records: int
    understood: int
    not_understood: int = 0
    ignored: int = 0
    details: dict[str, int] = field(default_factory=dict)


Reading = Generator[pa.RecordBatch, None, Receipt]
