"""Finds the template of each message and captures its fields, one pattern at a time.

A message is only tried against the templates that begin with its first word. A scope such as `[GroupId {group_id}] ` in
front of it is cut off first, at the earliest bracket that a known message follows; if that does not match, at the last
one, since the group id may contain brackets too.

Most messages are matched by the compiled twin, `template_match_fast`. The patterns match what it leaves over: templates
that it can't handle, and messages of which it is not sure.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.captures import Captures
from kafka_telemetry.formats.logs.message_template import MessageTemplate
from kafka_telemetry.formats.logs.template_match_fast import compile_templates, match_fast
from kafka_telemetry.formats.text_bytes import substrings_of_rows

TemplateNumbers = npt.NDArray[np.int32]
NO_TEMPLATE = -1
_SCOPE = re.compile(r"^\[Group(?:Id)?[ =]\{group_id\}\] ")
_LONGEST_FIRST_WORD = 32


class _Candidate(NamedTuple):
    number: int
    template: MessageTemplate


class _Messages(NamedTuple):
    """Messages with their rows in `matched` and `captures`, which receive the result."""

    texts: pa.StringArray
    rows: Integers
    matched: TemplateNumbers
    captures: Captures

    def at(self, positions: Integers) -> pa.StringArray:
        return self.texts.take(pa.array(positions))

    def set_template(self, positions: Integers, number: int) -> None:
        self.matched[self.rows[positions]] = number

    def capture(self, name: str, positions: Integers, values: pa.Array) -> None:
        self.captures.add(name, self.rows[positions], values)


class TemplateMatcher:
    def __init__(self, templates: Sequence[MessageTemplate]) -> None:
        self.templates = tuple(templates)
        candidates = [_Candidate(number, template) for number, template in enumerate(self.templates)]
        self._fast = [candidate for candidate in candidates if candidate.template.can_match_fast]
        self._compiled = compile_templates([template for _, template in self._fast])
        scoped = [
            _Candidate(number, _without_scope(template)) for number, template in candidates if _has_scope(template)
        ]
        self._scoped = _by_first_word(scoped)
        self._unscoped = _by_first_word([candidate for candidate in candidates if not _has_scope(candidate.template)])
        self._scope_patterns = _scope_patterns([template for _, template in scoped]) if scoped else ()

    @property
    def leading_texts(self) -> str:
        """The leading texts of all templates, as alternatives of a pattern."""
        return _leading_texts(self.templates)

    def match(self, texts: pa.StringArray, rows: Integers, matched: TemplateNumbers, captures: Captures) -> Integers:
        """Writes the template number of each text to its row of `matched`. Returns the positions of the other texts."""
        messages = _Messages(texts, rows, matched, captures)
        return self._match_patterns(messages, self._match_fast(messages))

    def match_with_patterns(
        self, texts: pa.StringArray, rows: Integers, matched: TemplateNumbers, captures: Captures
    ) -> Integers:
        """Does the same without the compiled matcher."""
        return self._match_patterns(_Messages(texts, rows, matched, captures), np.arange(len(texts)))

    def _match_fast(self, messages: _Messages) -> Integers:
        if not len(messages.texts):
            return np.empty(0, np.int64)
        found = match_fast(self._compiled, messages.texts)
        order = np.argsort(found.template, kind="stable")
        numbers, starts = np.unique(found.template[order], return_index=True)
        unmatched = [np.empty(0, np.int64)]
        for number, positions in zip(numbers, np.split(order, starts[1:]), strict=True):
            if number < 0:
                unmatched.append(positions)
                continue
            candidate = self._fast[number]
            begins, ends = found.begins, found.ends
            if _has_scope(candidate.template):
                # The compiled matcher takes a member's scope for a part of the group id.
                group_id = substrings_of_rows(messages.texts, positions, begins[positions, 0], ends[positions, 0])
                has_member = mask(pc.match_substring(group_id, "][MemberId "))
                unmatched.append(positions[has_member])
                positions = positions[~has_member]
            messages.set_template(positions, candidate.number)
            for place, name in enumerate(candidate.template.fields):
                values = substrings_of_rows(messages.texts, positions, begins[positions, place], ends[positions, place])
                messages.capture(name, positions, values)
        return np.sort(np.concatenate(unmatched))

    def _match_patterns(self, messages: _Messages, positions: Integers) -> Integers:
        for pattern in self._scope_patterns:
            positions = self._match_in_scope(pattern, messages, positions)
        return _match_by_first_word(self._unscoped, messages, positions)

    def _match_in_scope(self, scope_pattern: str, messages: _Messages, positions: Integers) -> Integers:
        in_scope = positions[mask(pc.starts_with(messages.at(positions), "[Group"))]
        if not len(in_scope):
            return positions
        scopes = pc.extract_regex(messages.at(in_scope), scope_pattern)
        in_scope, scopes = in_scope[mask(scopes.is_valid())], scopes.drop_null()
        bodies = messages._replace(texts=pc.struct_field(scopes, "body"), rows=messages.rows[in_scope])
        unmatched = _match_by_first_word(self._scoped, bodies, np.arange(len(in_scope)))
        matched = np.delete(np.arange(len(in_scope)), unmatched)
        for name in ("group_id", "member_id"):
            value = pc.struct_field(scopes, name).take(pa.array(matched))
            bodies.capture(name, matched, pc.if_else(pc.equal(value, ""), None, value))
        return np.setdiff1d(positions, in_scope[matched])


def _has_scope(template: MessageTemplate) -> bool:
    return _SCOPE.match(template.text) is not None


def _without_scope(template: MessageTemplate) -> MessageTemplate:
    return MessageTemplate(template.event, _SCOPE.sub("", template.text), field_patterns=template.field_patterns)


def _scope_patterns(bodies: Iterable[MessageTemplate]) -> tuple[str, str]:
    opening = r"^\[Group(?:Id)?[ =]"
    member = r"(?:\[MemberId (?P<member_id>.*?)\])?"
    body = rf" (?P<body>(?:{_leading_texts(bodies)})(?s:.*))$"
    return opening + r"(?P<group_id>.*?)\]" + member + body, opening + r"(?P<group_id>.*)\]" + member + body


def _leading_texts(templates: Iterable[MessageTemplate]) -> str:
    return "|".join(sorted({re.escape(template.leading_text) for template in templates if template.leading_text}))


def _by_first_word(candidates: Iterable[_Candidate]) -> Mapping[str, Sequence[_Candidate]]:
    out = defaultdict(list)
    for candidate in candidates:
        out[candidate.template.first_word].append(candidate)
    return out


def _match_by_first_word(
    by_first_word: Mapping[str, Sequence[_Candidate]], messages: _Messages, positions: Integers
) -> Integers:
    """Returns the positions of the messages that match no template."""
    if not len(positions):
        return positions
    beginnings = pc.utf8_slice_codeunits(messages.at(positions), 0, _LONGEST_FIRST_WORD)
    words = pc.replace_substring_regex(beginnings, r"(?s)\s.*$", "").dictionary_encode()
    word_of = words.indices.to_numpy()
    unmatched = [
        _match_candidates(by_first_word.get(word, ()), messages, positions[word_of == number])
        for number, word in enumerate(words.dictionary.to_pylist())
    ]
    return _match_candidates(by_first_word.get("", ()), messages, np.sort(np.concatenate(unmatched)))


def _match_candidates(candidates: Iterable[_Candidate], messages: _Messages, positions: Integers) -> Integers:
    for candidate in candidates:
        if not len(positions):
            break
        template = candidate.template
        texts = messages.at(positions)
        is_likely = mask(
            pc.and_(pc.starts_with(texts, template.leading_text), pc.ends_with(texts, template.trailing_text))
        )
        if template.longest_inner_text and is_likely.any():
            likely = texts.filter(pa.array(is_likely))
            is_likely[is_likely] = mask(pc.match_substring(likely, template.longest_inner_text))
        unmatched = positions[is_likely]
        for pattern in (template.simple_pattern, template.pattern):
            if len(unmatched):
                unmatched = _match_pattern(pattern, candidate, messages, unmatched)
        positions = np.concatenate([positions[~is_likely], unmatched])
    return positions


def _match_pattern(pattern: str, candidate: _Candidate, messages: _Messages, positions: Integers) -> Integers:
    texts = messages.at(positions)
    fields = candidate.template.fields
    if not fields:
        fits = mask(pc.match_substring_regex(texts, pattern))
    else:
        found = pc.extract_regex(texts, pattern)
        fits = mask(found.is_valid())
        if fits.any():
            found = found.drop_null()
            for name in fields:
                messages.capture(name, positions[fits], pc.struct_field(found, name))
    messages.set_template(positions[fits], candidate.number)
    return positions[~fits]
