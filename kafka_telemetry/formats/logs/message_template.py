"""How the wording of a log line, written with {fields}, becomes a pattern that captures them.

Ids are free text, so nothing in them delimits them: a field takes what stands between the fixed words on both of its
sides, and only numbers, states and the like are narrower. Two blanks in a wording stand for any run of blanks.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum, auto
from functools import cached_property

UUID = r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
# A coordinator ends the ids that it hands out with a UUID; a KIP-848 member's own id is one in 22 characters.
_MEMBER = rf"(?:.*?-{UUID}|[A-Za-z0-9_-]{{22}}|.*?)"
_NUMBER = r"-?[0-9]+"
_STATE = r"[A-Za-z_-]+"
_NARROW = {
    **dict.fromkeys(("member_id", "old_member_id", "new_member_id", "current_member_id", "owner_member_id"), _MEMBER),
    **dict.fromkeys(
        (
            "member_count", "static_count", "epoch", "previous_epoch", "old_epoch",
            "session_timeout_ms", "rebalance_timeout_ms", "duration_ms", "scheduler_ms", "offset_count", "group_count",
            "record_count", "byte_count", "max_size", "size", "broker_id", "metadata_hash", "topic_count", "offset",
            "retry_ms", "disconnected_ms", "exceeded_ms", "max_poll_interval_ms", "producer_id", "partition",
            "coordinator_epoch", "node_id", "port", "current_generation",
        ),
        _NUMBER,
    ),
    **dict.fromkeys(("generation", "offsets_partition"), "-?[0-9]{1,10}"),
    **dict.fromkeys(
        ("state", "during_state", "from_state", "to_state", "protocol_kind", "group_kind", "old_group_kind"), _STATE
    ),
    "disconnected": _STATE,
    "client_host": r"[^,]*?",
}  # fmt: skip
# Scala prints an option as Some(x) or None, Java as x or null, a client as Optional[x] or Optional.empty.
OPTIONAL_FIELDS = frozenset({"instance_id", "reset_to", "coordinator_epoch", "protocol", "client_reason"})
# 4.1 and later put brackets around a list of partitions, the lines before do not.
# Scala puts Set( ) or HashSet( ) around one of members.
LIST_FIELDS = frozenset({"partitions", "assigned", "owned", "added", "revoked", "removed", "member_ids"})

_FIELD = re.compile(r"\{([a-z_]+)\}")


class FieldKind(IntEnum):
    """The values that a field accepts, as far as the compiled matcher can check them; OTHER is left to the pattern."""

    NONE = auto()
    NUMBER = auto()
    STATE = auto()
    MEMBER = auto()
    TEXT = auto()
    OTHER = auto()


_KINDS = {
    _NUMBER: FieldKind.NUMBER,
    "-?[0-9]{1,10}": FieldKind.NUMBER,
    _STATE: FieldKind.STATE,
    _MEMBER: FieldKind.MEMBER,
}


@dataclass(frozen=True)
class Template:
    """An empty event marks a line that is known and deliberately not kept."""

    event: str
    wording: str
    reason: str | None = None
    narrow: dict[str, str] = field(default_factory=dict, hash=False)

    @cached_property
    def fields(self) -> tuple[str, ...]:
        return tuple(_FIELD.findall(self.wording))

    @cached_property
    def lead(self) -> str:
        """The fixed words that such a line begins with."""
        return _FIELD.split(self.wording, maxsplit=1)[0].split("  ")[0].rstrip()

    @cached_property
    def tail(self) -> str:
        """The fixed words that it ends with."""
        return _FIELD.split(self.wording.rstrip())[-1].split("  ")[-1]

    @cached_property
    def inner(self) -> str:
        """The longest of the fixed words between, which tell quickly that a message is another one."""
        pieces = [part.strip() for words in _FIELD.split(self.wording.rstrip())[::2] for part in words.split("  ")]
        return max(pieces[1:-1], key=len, default="")

    @cached_property
    def first_word(self) -> str:
        """Empty where a field is part of it."""
        word, *more = self.wording.split(" ", 1)
        return "" if _FIELD.search(word) or not (more or word == self.wording) else word

    @cached_property
    def pieces(self) -> tuple[tuple[str, str], ...]:
        """Each field with the fixed words behind it, after the words that all begins with."""
        lead, *rest = _FIELD.split(self.wording.rstrip())
        return (("", lead), *zip(rest[::2], rest[1::2], strict=True))

    @property
    def is_plain(self) -> bool:
        """One line that begins with fixed words and whose fields have fixed words between them."""
        between = all(words for _, words in self.pieces[:-1])
        return between and bool(self.first_word) and "  " not in self.wording

    def kind_of(self, name: str) -> FieldKind:
        narrow = self._narrowed(name)
        return FieldKind.TEXT if narrow in (".*?", "[^,]*?") else _KINDS.get(narrow, FieldKind.OTHER)

    @cached_property
    def pattern(self) -> str:
        return self._compiled(lambda name, _: self._narrowed(name))

    @cached_property
    def plain_pattern(self) -> str:
        """For fields that do not hold what follows them: what it finds the other finds too, at more cost."""
        return self._compiled(
            lambda name, after: self._narrowed(name) if not after or self._is_narrow(name) else _up_to(after)
        )

    def _compiled(self, field_pattern: Callable[[str, str], str]) -> str:
        pieces = _FIELD.split(self.wording.rstrip())
        out = ["(?s)^"]
        for place, piece in enumerate(pieces):
            if place % 2:
                out.append(f"(?P<{piece}>{field_pattern(piece, pieces[place + 1][:2])})")
            else:
                out.append(r"\s+".join(re.escape(part) for part in piece.split("  ")))
        # An empty list or reason at the end leaves only its trailing blank, which is not there any more.
        if len(pieces) > 1 and not pieces[-1] and out[-3].endswith(r"\ "):
            out[-3] = out[-3].removesuffix(r"\ ")
            out[-2:] = [rf"(?:\ {out[-2]})?"]
        return "".join(out) + "$"

    def _is_narrow(self, name: str) -> bool:
        return name in self.narrow or _NARROW.get(name, _MEMBER) != _MEMBER

    def _narrowed(self, name: str) -> str:
        return self.narrow.get(name) or _NARROW.get(name, ".*?")


def _up_to(after: str) -> str:
    """A run of blanks may be a line's end."""
    return r"\S*" if after == "  " else f"[^{re.escape(after[0])}]*"


def ignored(*wordings: str) -> tuple[Template, ...]:
    return tuple(Template("", wording) for wording in wordings)
