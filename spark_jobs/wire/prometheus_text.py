"""Prometheus text exposition and OpenMetrics: what an exporter answers at /metrics.

Samples of a metric stand together and have the same labels in the same order, so one expression reads them all at once.
Where it doesn't match them all (escaped quotes, other labels), they are read one by one.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, repeat
from typing import BinaryIO, NamedTuple

from spark_jobs.wire.lag_file_name import UnusableNameError, taken_at
from spark_jobs.wire.lag_reading import rejected_file, unknown_lines
from spark_jobs.wire.metric_names import DEFAULT, NAMED_BY_LABEL, Meaning, MetricNames
from spark_jobs.wire.metric_samples import (
    ROLES,
    Identity,
    NotASeriesError,
    Samples,
    identity_of,
    meaning_of,
    readings,
    roles_of,
    without_underscore_twins,
)
from spark_jobs.wire.receipt import Reading, Receipt
from spark_jobs.wire.tool_output import lines_of

_NAME = re.compile(r"[a-zA-Z_:][\w:]*", re.ASCII)
_VALUE = r'"(?:[^"\\]|\\.)*"'
_NUMBER = r"[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|[iI]nf(?:inity)?|[nN]a[nN])"
_LABEL = re.compile(rf"([a-zA-Z_]\w*)[ \t]*=[ \t]*({_VALUE})")
_SAMPLE = re.compile(
    r"([a-zA-Z_:][\w:]*)[ \t]*"
    rf"(?:\{{[ \t]*((?:[a-zA-Z_]\w*[ \t]*=[ \t]*{_VALUE}[ \t]*(?:,[ \t]*|(?=\}})))*)\}})?"
    rf"[ \t]*({_NUMBER})(?:[ \t]+({_NUMBER}))?[ \t]*(?:#.*)?"
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_COMMENT = re.compile(r"# (?:HELP|TYPE|UNIT) [a-zA-Z_:]|# EOF$")


class Sample(NamedTuple):
    name: str
    labels: dict[str, str]
    value: float
    time: str | None  # as written: milliseconds, in OpenMetrics seconds


def looks_like(line: str) -> bool:
    return _COMMENT.match(line) is not None or ("{" in line and _SAMPLE.fullmatch(line) is not None)


def sample(line: str) -> Sample | None:
    found = _SAMPLE.fullmatch(line)
    if found is None:
        return None
    name, labels, value, time = found.groups()
    told = {label: _unescaped(text[1:-1]) for label, text in _LABEL.findall(labels or "")}
    return Sample(name, told, float(value), time)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: "\n" if found[1] == "n" else found[1], text) if "\\" in text else text


class _Clock(NamedTuple):
    """The time of samples in microseconds: their own, else that in the file's name."""

    file_name: str
    in_seconds: bool

    def of_file(self) -> int:
        return round(taken_at(self.file_name).timestamp()) * 1_000_000

    def of(self, written: Sequence[str | None]) -> list[int]:
        if not any(written):
            return [self.of_file()] * len(written)
        unit = 1_000_000 if self.in_seconds else 1_000
        return [round(float(time) * unit) if time else self.of_file() for time in written]


def read(file: BinaryIO, name: str, metric_names: MetricNames = DEFAULT) -> Reading:
    lines = lines_of(file.read())
    records = sum(line[:1] not in ("", "#") and not line.isspace() for line in lines)
    clock = _Clock(name, in_seconds="# EOF" in lines[-3:])
    samples: list[Samples] = []
    strange: list[tuple[int, str]] = []
    ignored = number = 0
    try:
        for head, run in groupby(line.partition("{")[0].partition(" ")[0] for line in lines):
            start, number = number, number + sum(1 for _ in run)
            if head.startswith("#"):
                continue
            if _NAME.fullmatch(head) is None:
                strange += [(at, line) for at, line in enumerate(lines[start:number], start + 1) if line.strip()]
            elif NAMED_BY_LABEL.fullmatch(head) or metric_names.meaning(head):
                block = _Block(head, lines[start:number], start + 1, metric_names, clock)
                if alike := block.alike():
                    samples.append(alike)
                else:
                    one_by_one, not_understood, others = block.one_by_one()
                    samples += one_by_one
                    strange += not_understood
                    ignored += others
            else:
                ignored += number - start
    except UnusableNameError as why:
        yield from rejected_file(str(why), None)
        return Receipt("prometheus_text", records, 0, not_understood=records, details={"rejected_file": 1})

    samples, twins = without_underscore_twins(samples)
    yield from readings(samples)
    yield from unknown_lines(strange, None)
    understood = sum(len(one.values) for one in samples)
    details = {"underscore_twins": twins} if twins else {}
    return Receipt("prometheus_text", records, understood, len(strange), ignored + twins, details)


class _Block(NamedTuple):
    """Lines that follow one another and have the same metric name."""

    name: str
    lines: list[str]
    first: int
    metric_names: MetricNames
    clock: _Clock

    def alike(self) -> Samples | None:
        """All samples at once, if they have the labels of the first and nothing is escaped."""
        meaning = self.metric_names.meaning(self.name)
        first = sample(self.lines[0])
        if meaning is None or meaning.quantity == "info" or first is None:
            return None
        try:
            roles = roles_of(first.labels, meaning, self.metric_names)
        except NotASeriesError:
            return None
        role_of = {label: role for role, label in roles.items()}
        labels = ",".join(f'{label}="{_plain(role_of.get(label))}"' for label in first.labels)
        matches = re.findall(rf"^{self.name}\{{{labels},?\}} (\S+)(?: (\S+))?$", "\n".join(self.lines), re.MULTILINE)
        if len(matches) != len(self.lines):
            return None
        *told, values, times = zip(*matches, strict=True)
        column_of = dict(zip((role_of[label] for label in first.labels if label in role_of), told, strict=True))
        identities: list[Identity] = list(zip(*(column_of.get(role, repeat("")) for role in ROLES), strict=False))
        try:
            numbers = [float(value) for value in values]
        except ValueError:
            return None
        positions = range(self.first, self.first + len(self.lines))
        return Samples(meaning, identities, self.clock.of(times), numbers, positions, {})

    def one_by_one(self) -> tuple[list[Samples], list[tuple[int, str]], int]:
        taken: dict[Meaning, list[tuple[Identity, int, float, int]]] = defaultdict(list)
        samples: list[Samples] = []
        strange: list[tuple[int, str]] = []
        ignored = 0
        for number, line in enumerate(self.lines, self.first):
            told = sample(line)
            meaning = told and meaning_of(self.name, told.labels, self.metric_names)
            if told is None:
                strange.append((number, line))
            elif meaning is None:
                ignored += 1
            else:
                try:
                    identity = identity_of(told.labels, roles_of(told.labels, meaning, self.metric_names))
                except NotASeriesError:
                    strange.append((number, line))
                    continue
                time = self.clock.of([told.time])[0]
                if meaning.quantity == "info":
                    samples.append(Samples(meaning, [identity], [time], [told.value], [number], told.labels))
                else:
                    taken[meaning].append((identity, time, told.value, number))
        for meaning, rows in taken.items():
            identities, times, values, numbers = zip(*rows, strict=True)
            samples.append(Samples(meaning, identities, times, values, numbers, {}))
        return samples, strange, ignored


def _plain(role: str | None) -> str:
    """A label value with nothing escaped."""
    return {None: r'[^"\\\n]*', "partition": r"(\d{1,9})"}.get(role, r'([^"\\\n]*)')
