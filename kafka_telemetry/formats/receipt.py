"""What a reader says about one file when it has read it to the end."""

from collections.abc import Generator
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True)
class Receipt:
    """`records` is counted before parsing, apart from the other three; the gate checks that they add up."""

    format: str
    records: int
    understood: int
    not_understood: int = 0
    ignored: int = 0
    details: dict[str, int] = field(default_factory=dict)


Reading = Generator[pa.RecordBatch, None, Receipt]
