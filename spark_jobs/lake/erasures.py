"""What was erased from a lake, without the value: a salted hash that recognises it when it is delivered again."""

import datetime as dt
import re
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pyspark.sql import functions as F

from spark_jobs.lake import ledger
from spark_jobs.lake.ledger import Entry, fingerprint
from spark_jobs.lake.tables import Lake

# The layer under which the ledger has one entry for each erasure.
ERASURE = "erasure"
# In the value of a group record, as kafka-dump-log prints it.
_NAMES_IN_JSON = r'"(?:clientId|clientHost|memberId)"\s*:\s*"([^"]*)"'
_NAME = re.compile(r"[\w.-]+")
# What Kafka and its users append to the name of a group or client to name a client, a member or a pod.
_SUFFIXES = (re.compile(r"-[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"), re.compile(r"-\d+$"))


@dataclass(frozen=True)
class Erasure:
    # group, client_id or client_host.
    kind: str
    day: dt.date
    salt: int
    hashed: int

    def is_of(self, text: str) -> bool:
        return fingerprint((self.salt, text)) == self.hashed


def new_erasure(kind: str, text: str, day: dt.date) -> Erasure:
    salt = secrets.randbits(62)
    return Erasure(kind, day, salt, fingerprint((salt, text)))


def entry_of(erasure: Erasure, at: dt.datetime) -> Entry:
    return Entry(
        *("", ERASURE, erasure.day, erasure.kind, at, at),
        outcome="erased",
        inputs=erasure.hashed,
        result=erasure.salt,
    )


def erasures_in(entries: Iterable[Entry]) -> list[Erasure]:
    return [
        Erasure(entry.table_name, entry.day, entry.result, entry.inputs)
        for entry in entries
        if entry.result is not None and entry.inputs is not None
    ]


def names_in(texts: Iterable[str | None]) -> set[str]:
    """What could be the name of a group, a client or a host: whole texts, the names in them, and the client of a member id."""
    found: set[str] = set()
    for text in texts:
        if text:
            found |= {text, text.lstrip("/"), *_NAME.findall(text)}
    for suffix in _SUFFIXES:
        found |= {suffix.sub("", name).removeprefix("consumer-") for name in found}
    return found


def read_erasures(lake: Lake) -> list[Erasure]:
    return erasures_in(ledger.newest(lake, ERASURE).values())


def erased_in_delivery(lake: Lake, erasures: Sequence[Erasure], table: str, where: str) -> list[Erasure]:
    """The erasures whose value the rows of a delivery contain in their columns of names or in group records."""
    rows = lake.read(table).where(where)
    names = [F.col(name) for name in ("group_id", "client_id", "client_host") if name in rows.columns]
    if "value_json" in rows.columns:
        names.append(F.explode(F.regexp_extract_all("value_json", F.lit(_NAMES_IN_JSON), F.lit(1))))
    texts = {row[0] for name in names for row in rows.select(name).distinct().collect()}
    return erased_again(erasures, texts)


def erased_again(erasures: Iterable[Erasure], texts: Iterable[str | None]) -> list[Erasure]:
    """The erasures whose value is in these texts."""
    names = names_in(texts)
    return [erasure for erasure in erasures if any(map(erasure.is_of, names))]
