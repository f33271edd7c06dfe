"""What member ids contain, and how logs list them."""

import re

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_ISSUED_BY_BROKER = re.compile(rf"(?P<prefix>.*)-{_UUID}", re.DOTALL)
# Ids are free text, so that an id in a list ends only with its random part.
_END_IN_LIST = re.compile(rf"-{_UUID}(?:, |$)")


def prefix_of(member_id: str | None) -> str | None:
    """The client id of a dynamic classic member, or the instance id of a static one: a broker appends a random part."""
    match = _ISSUED_BY_BROKER.fullmatch(member_id or "")
    return match["prefix"] if match else None


def split_ids(text: str | None) -> list[str]:
    text = text or ""
    member_ids, start = [], 0
    for end in _END_IN_LIST.finditer(text):
        member_ids.append(text[start : end.end()].removesuffix(", "))
        start = end.end()
    return member_ids or [member_id for member_id in text.split(", ") if member_id]
