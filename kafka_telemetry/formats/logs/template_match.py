"""Which template a message obeys and what its fields hold: columns in, columns out, one pattern at a time.

A message is looked up by its first word and meets only the few templates that begin with it. A scope such as
`[GroupId {group_id}] ` in front of the words is cut off first, at the earliest place where known words follow it;
where that leads nowhere, at the last, since the id in it may hold brackets too.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import Rows, mask
from kafka_telemetry.formats.logs.message_template import LIST_FIELDS, OPTIONAL_FIELDS, Template
from kafka_telemetry.formats.logs.template_match_fast import program, run
from kafka_telemetry.formats.text_bytes import substrings_of_rows

Found = npt.NDArray[np.int32]
NO_TEMPLATE = -1
_NONE = pa.array(["None", "null", "Optional.empty", "OptionalInt.empty", "<nil>", "not provided", ""])
_SCOPE = re.compile(r"^\[Group(?:Id)?[ =]\{group_id\}\] ")


@dataclass
class Captures:
    """What was captured, field by field, as (rows, values); what is captured later counts."""

    found: dict[str, list[tuple[Rows, pa.Array]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, rows: Rows, values: pa.Array) -> None:
        self.found[name].append((rows, _tidied(name, values)))

    def column(self, name: str, length: int) -> pa.Array:
        if name not in self.found:
            return pa.nulls(length, pa.string())
        rows, values = self._of(name, length)
        at = np.full(length, NO_TEMPLATE, dtype=np.int64)
        at[rows] = np.arange(len(rows))
        return values.take(pa.array(at, mask=at == NO_TEMPLATE))

    def _of(self, name: str, length: int) -> tuple[Rows, pa.Array]:
        """Each row that has the field, once, and what counts there."""
        parts = self.found[name]
        rows = np.concatenate([rows for rows, _ in parts])
        values = pa.concat_arrays([values for _, values in parts])
        place = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
        if len(parts) > 1:
            last = np.empty(length, dtype=np.int64)
            last[rows[place]] = place
            place = place[last[rows[place]] == place]
        if len(place) == len(rows):
            return rows, values
        return rows[place], values.take(pa.array(place))

    def maps(self, but: Iterable[str], length: int) -> pa.MapArray:
        """All other fields, by name, in one map a row."""
        fields = sorted(self.found.keys() - set(but))
        rows, names, values = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [pa.array([], pa.string())]
        for number, field_name in enumerate(fields):
            here, value = self._of(field_name, length)
            rows.append(here)
            names.append(np.full(len(here), number, dtype=np.int64))
            values.append(value)
        row, name = np.concatenate(rows), np.concatenate(names)
        order = pa.array(np.argsort(row, kind="stable"))
        offsets = np.zeros(length + 1, dtype=np.int32)
        np.cumsum(np.bincount(row, minlength=length), out=offsets[1:])
        keys = pa.array(fields or [""], pa.string()).take(pa.array(name)).take(order)
        return pa.MapArray.from_arrays(pa.array(offsets), keys, pa.concat_arrays(values).take(order))


def _begins(values: pa.Array, *openings: str) -> bool:
    return any(pc.any(pc.starts_with(values, opening)).as_py() for opening in openings)


def _tidied(name: str, values: pa.Array) -> pa.Array:
    if name in OPTIONAL_FIELDS:
        if _begins(values, "Some(", "Optional"):
            values = pc.replace_substring_regex(
                values, r"(?s)^(?:Some\((.*)\)|Optional\[(.*)\]|OptionalInt\[(.*)\])$", r"\1\2\3"
            )
        return pc.if_else(pc.is_in(values, _NONE), None, values)
    if name in LIST_FIELDS and _begins(values, "[", "Set(", "HashSet("):
        return pc.replace_substring_regex(values, r"(?s)^(?:\[(.*)\]|(?:Hash)?Set\((.*)\))$", r"\1\2")
    return values


class Table:
    def __init__(self, templates: Sequence[Template]) -> None:
        self.templates = tuple(templates)
        self._plain = [(number, one) for number, one in enumerate(self.templates) if one.is_plain]
        self._program = program(self._plain)
        self._by_word: dict[str, list[tuple[int, Template]]] = defaultdict(list)
        scoped: list[tuple[int, Template]] = []
        for number, template in enumerate(self.templates):
            if scope := _SCOPE.match(template.wording):
                bare = Template(template.event, template.wording[scope.end() :], narrow=template.narrow)
                scoped.append((number, bare))
            else:
                self._by_word[template.first_word].append((number, template))
        self._scoped: dict[str, list[tuple[int, Template]]] = defaultdict(list)
        for number, template in scoped:
            self._scoped[template.first_word].append((number, template))
        known = rf" (?P<body>(?:{_alternatives(template for _, template in scoped)})(?s:.*))$"
        opening = r"^\[Group(?:Id)?[ =]"
        member = r"(?:\[MemberId (?P<member_id>.*?)\])?"
        self._scopes = (
            opening + r"(?P<group_id>.*?)\]" + member + known,
            opening + r"(?P<group_id>.*)\]" + member + known,
        ) if scoped else ()  # fmt: skip

    @property
    def known_words(self) -> str:
        """How a message that a wording knows may begin, as alternatives of a pattern."""
        return _alternatives(self.templates)

    def match(self, bodies: pa.StringArray, rows: Rows, found: Found, captures: Captures) -> Rows:
        """Notes in `found` the template of each row that obeys one; returns the places in `bodies` of the others."""
        places = self._match_plain(bodies, rows, found, captures)
        for scope in self._scopes:
            places = self._match_scoped(scope, bodies, places, rows, found, captures)
        return _match_words(self._by_word, bodies, places, rows, found, captures)

    def _match_plain(self, bodies: pa.StringArray, rows: Rows, found: Found, captures: Captures) -> Rows:
        if not len(bodies):
            return np.empty(0, np.int64)
        quick, begins, ends = run(self._program, bodies)
        order = np.argsort(quick, kind="stable")
        numbers, firsts = np.unique(quick[order], return_index=True)
        left = [np.empty(0, np.int64)]
        for number, here in zip(numbers, np.split(order, firsts[1:]), strict=True):
            if number < 0:
                left.append(here)
                continue
            whole_number, template = self._plain[number]
            if _SCOPE.match(template.wording):
                # The quick way takes a member's scope for more of the group's name.
                two = mask(
                    pc.match_substring(substrings_of_rows(bodies, here, begins[here, 0], ends[here, 0]), "][MemberId ")
                )
                left.append(here[two])
                here = here[~two]
            found[rows[here]] = whole_number
            for place, name in enumerate(template.fields):
                captures.add(name, rows[here], substrings_of_rows(bodies, here, begins[here, place], ends[here, place]))
        return np.sort(np.concatenate(left))

    def _match_scoped(
        self, scope: str, bodies: pa.StringArray, places: Rows, rows: Rows, found: Found, captures: Captures
    ) -> Rows:
        opened = pc.starts_with(bodies.take(pa.array(places)), "[Group").to_numpy(zero_copy_only=False)
        inside = places[opened]
        if not len(inside):
            return places
        cut = pc.extract_regex(bodies.take(pa.array(inside)), scope)
        fits = cut.is_valid().to_numpy(zero_copy_only=False)
        inside, cut = inside[fits], cut.drop_null()
        left = _match_words(
            self._scoped, pc.struct_field(cut, "body"), np.arange(len(inside)), rows[inside], found, captures
        )
        done = np.delete(np.arange(len(inside)), left)
        for name in ("group_id", "member_id"):
            value = pc.struct_field(cut, name).take(pa.array(done))
            captures.add(name, rows[inside[done]], pc.if_else(pc.equal(value, ""), None, value))
        return np.setdiff1d(places, inside[done])


def _alternatives(templates: Iterable[Template]) -> str:
    return "|".join(sorted({re.escape(template.lead) for template in templates if template.lead}))


def _match_words(
    by_word: dict[str, list[tuple[int, Template]]],
    bodies: pa.StringArray,
    places: Rows,
    rows: Rows,
    found: Found,
    captures: Captures,
) -> Rows:
    if not len(places):
        return places
    here = bodies.take(pa.array(places))
    words = pc.replace_substring_regex(pc.utf8_slice_codeunits(here, 0, 32), r"(?s)\s.*$", "").dictionary_encode()
    word_of = words.indices.to_numpy()
    left = []
    for number, word in enumerate(words.dictionary.to_pylist()):
        mine = places[word_of == number]
        left.append(_match_templates(by_word.get(word, []), bodies, mine, rows, found, captures))
    rest = np.sort(np.concatenate(left))
    return _match_templates(by_word.get("", []), bodies, rest, rows, found, captures)


def _match_templates(
    templates: Sequence[tuple[int, Template]],
    bodies: pa.StringArray,
    places: Rows,
    rows: Rows,
    found: Found,
    captures: Captures,
) -> Rows:
    for number, template in templates:
        if not len(places):
            break
        here = bodies.take(pa.array(places))
        framed = mask(pc.and_(pc.starts_with(here, template.lead), pc.ends_with(here, template.tail)))
        if template.inner and framed.any():
            framed[framed] = mask(pc.match_substring(here.filter(pa.array(framed)), template.inner))
        tried, others = places[framed], places[~framed]
        for pattern in (template.plain_pattern, template.pattern):
            if len(tried):
                tried = _match_pattern(number, template, pattern, bodies, tried, rows, found, captures)
        places = np.concatenate([others, tried])
    return places


def _match_pattern(
    number: int,
    template: Template,
    pattern: str,
    bodies: pa.StringArray,
    places: Rows,
    rows: Rows,
    found: Found,
    captures: Captures,
) -> Rows:
    here = bodies.take(pa.array(places))
    if not template.fields:
        fits = mask(pc.match_substring_regex(here, pattern))
    else:
        fields = pc.extract_regex(here, pattern)
        fits = mask(fields.is_valid())
        if fits.any():
            fields = fields.drop_null()
            for name in template.fields:
                captures.add(name, rows[places[fits]], pc.struct_field(fields, name))
    found[rows[places[fits]]] = number
    return places[~fits]
