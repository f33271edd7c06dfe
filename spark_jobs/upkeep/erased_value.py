"""The value that is erased, and where it is found: as a whole name, in every spelling that a file of the lake may have.

`orders` is found in `groupId=orders`, in the member id `orders-<UUID>` and in `orders-1`, a client or a pod of the group; not in
the name of the other group `orders-billing`.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from spark_jobs.visible_text import visible

_UUID = r"-[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
# What may precede a name besides what no name contains: an escaped line break or byte.
_START = r"(?:(?<![\w.-])|(?<=\\[ntr])|(?<=%[0-9A-Fa-f]{2})|(?<=\\u003[ce]))"
_END = r"(?![\w-])(?!\.[\w-])"
_NAMED = r"(?:group|client|member|host|instance|consumer)(?:[ _.]?id)?\\?[\"']?\s*[=:]?\s*\\?[\"']?/?"
# Columns and fields that never name a group, a client or a host, but may name a topic or a cluster of the same name.
_OTHER_NAMES = frozenset(
    ("cluster", "topic", "topics", "subscribed_topics", "topic_id", "table_name", "rule", "rules", "run_id", "kind")
    + ("layer", "format", "source", "outcome", "action", "event", "severity")
)
_NAMES = re.compile(r"(^|_)(group_id|client_id|client_host|member_id|instance_id)$")


@dataclass(frozen=True)
class ErasedValue:
    # group, client_id or client_host.
    kind: str
    value: str
    # Whether a topic or a cluster has this name too. Free text is then searched only where it says what it names.
    is_other_name: bool = False
    # Other groups, whose names may be those of its instances: `orders-1` is a client or a pod of `orders` unless it is a group.
    other_groups: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """Kafka writes a host as `/10.0.0.1`."""
        return self.value.lstrip("/") if self.kind == "client_host" else self.value

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        text = self.text
        inner = [json.dumps(text, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)]
        twice = [json.dumps(each, ensure_ascii=False)[1:-1] for each in inner]
        shown = [each.replace("<", "\\u003c") for each in (text, *inner)]
        pages = [html.escape(each, quote=quoted) for each in (text, visible(text)) for quoted in (True, False)]
        urls = [quote(text, safe=safe) for safe in ("", "/", " ")]
        found = {
            text,
            visible(text),
            *inner,
            *twice,
            *shown,
            *pages,
            *(each.replace("$", "&#36;") for each in pages),
            *urls,
        }
        return tuple(sorted(found, key=lambda each: (-len(each), each)))

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return self._pattern(self._anywhere())

    @cached_property
    def _pattern_in_text(self) -> re.Pattern[str]:
        return self._pattern(_NAMED + self._anywhere()) if self.is_other_name else self.pattern

    def _anywhere(self) -> str:
        name = "(?:" + "|".join(map(re.escape, self.spellings)) + ")"
        # Kafka makes the client id `consumer-<group>-<number>` and the member id `<client id>-<UUID>`.
        if self.kind == "group":
            prefix = f"{self.text}-"
            numbers = [group.removeprefix(prefix) for group in self.other_groups if group.startswith(prefix)]
            others = rf"(?!(?:{'|'.join(map(re.escape, numbers))}){_END})" if numbers else ""
            name = rf"(?:consumer-)?{name}(?:-{others}\d+)?"
        return rf"(?:{_START}{name}(?:{_END}|{_UUID}))"

    def _pattern(self, pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE if pattern.startswith(_NAMED) else 0)

    def is_in(self, text: str) -> bool:
        return any(each in text for each in self.spellings) and self._pattern_in_text.search(text) is not None

    def rows(self, table: pa.Table) -> np.ndarray:
        """For each row whether it contains the value."""
        found = np.zeros(len(table), bool)
        for name in table.column_names:
            if name not in _OTHER_NAMES:
                for start, chunk in _chunks(table[name]):
                    found[start : start + len(chunk)] |= self._in(chunk, name)
        return found

    def _in(self, values: pa.Array, name: str) -> np.ndarray:
        kind = values.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            return self._in_texts(values, name)
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            texts = [None if each is None else each.decode("utf-8", "replace") for each in values.to_pylist()]
            return self._in_texts(pa.array(texts, pa.string()), name)
        if pa.types.is_map(kind):
            entries = pa.struct([("key", kind.key_type), ("value", kind.item_type)])
            return self._in(pa.array([_pairs(each) for each in values.to_pylist()], pa.list_(entries)), name)
        found = np.zeros(len(values), bool)
        if pa.types.is_struct(kind):
            for number in range(kind.num_fields):
                if kind.field(number).name not in _OTHER_NAMES:
                    found |= self._in(pc.struct_field(values, number), kind.field(number).name)
        elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
            inside = self._in(pc.list_flatten(values), name)
            found[pc.list_parent_indices(values).to_numpy(zero_copy_only=False)[inside]] = True
        return found

    def _in_texts(self, values: pa.Array, name: str) -> np.ndarray:
        found = np.zeros(len(values), bool)
        pattern = self.pattern if _NAMES.search(name) else self._pattern_in_text
        candidates = found.copy()
        for spelling in self.spellings:
            hit = pc.fill_null(pc.match_substring(values, spelling), False)
            candidates |= hit.to_numpy(zero_copy_only=False)
        for number in np.flatnonzero(candidates):
            found[number] = pattern.search(values[int(number)].as_py()) is not None
        return found


def _chunks(column: pa.ChunkedArray) -> Iterator[tuple[int, pa.Array]]:
    start = 0
    for chunk in column.chunks:
        yield start, chunk
        start += len(chunk)


def _pairs(entries: list[tuple[object, object]] | None) -> list[dict[str, object]] | None:
    return None if entries is None else [{"key": key, "value": value} for key, value in entries]
