"""Parses the times of log lines: with a zone, in the zone of the cluster, in epoch time, or a clock time alone."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Integers
from kafka_telemetry.formats.time_range import null_unless_storable

INSTANT = pa.timestamp("us", tz="UTC")
_NAIVE = pa.timestamp("us")
_CALENDAR = (
    r"^(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T ](?P<clock>\d\d:\d\d:\d\d)"
    r"(?:[.,](?P<fraction>\d{1,6})\d*)? ?(?P<zone>Z|[+-]\d\d:?\d\d)?$"
)
_EPOCH = r"^(?P<seconds>\d{10})\.?(?P<fraction>\d{0,6})\d*$"
_CLOCK = r"^(?P<clock>\d\d:\d\d:\d\d)(?:[.,](?P<fraction>\d{1,6})\d*)?$"
# The format DATE of log4j.
_NAMED_MONTH = r"^(\d\d) ({month})[a-z]* (\d{4})"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_US = 86_400_000_000


def parse_instants(times: pa.StringArray, timezone: str) -> pa.Array:
    """Returns null for times in no known format, and for those that no table can hold. An hour that occurs twice in a zone is taken for the first of the two."""
    try:  # the format of nearly every layout
        naive = pc.replace_substring(times, ",", ".").cast(_NAIVE)
        return null_unless_storable(_in_zone(naive, timezone))
    except pa.ArrowInvalid:
        return null_unless_storable(_parse_in_any_format(times, timezone))


def _parse_in_any_format(times: pa.StringArray, timezone: str) -> pa.Array:
    found = pc.extract_regex(_with_month_numbers(times), _CALENDAR)
    part = {field.name: pc.struct_field(found, field.name) for field in found.type}
    day = pc.binary_join_element_wise(part["year"], part["month"], part["day"], "-")
    naive = _parse_naive_times(pc.binary_join_element_wise(day, _clock(part["clock"], part["fraction"]), " "))
    local = _in_zone(naive, timezone)
    zoned = pc.subtract(naive, _offset(part["zone"])).cast(INSTANT)
    calendar = pc.if_else(pc.equal(part["zone"], ""), local, zoned)
    epoch = pc.extract_regex(times, _EPOCH)
    if epoch.null_count == len(epoch):
        return calendar
    fraction = pc.utf8_rpad(pc.struct_field(epoch, "fraction"), 6, "0")
    micros = pc.binary_join_element_wise(pc.struct_field(epoch, "seconds"), fraction, "").cast(pa.int64())
    return pc.coalesce(calendar, micros.cast(_NAIVE).cast(INSTANT))


def _with_month_numbers(times: pa.StringArray) -> pa.StringArray:
    for number, month in enumerate(_MONTHS, 1):
        named = _NAMED_MONTH.replace("{month}", month)
        if pc.any(pc.match_substring_regex(times, named)).as_py():
            times = pc.replace_substring_regex(times, named, rf"\3-{number:02}-\1")
    return times


def parse_clock_times(times: pa.StringArray) -> pa.Array:
    """Returns microseconds since midnight."""
    found = pc.extract_regex(times, _CLOCK)
    clock = _clock(pc.struct_field(found, "clock"), pc.struct_field(found, "fraction"))
    return _parse_naive_times(pc.binary_join_element_wise("1970-01-01", clock, " ")).cast(pa.int64())


def instants_of_clock_times(
    since_midnight: pa.Array, midnights_until_last_line: Integers, last_day: date, timezone: str
) -> pa.Array:
    first_day = (last_day - date(1970, 1, 1)).days
    days = pa.array((first_day - midnights_until_last_line) * _DAY_US)
    naive = pc.add(since_midnight, days).cast(_NAIVE)
    return null_unless_storable(_in_zone(naive, timezone))


def last_local_day(clock_seconds: int, delivered_on: date, timezone: str) -> date:
    """Returns the last local day on which this clock time was before the end of the day of delivery, a UTC day."""
    zone = ZoneInfo(timezone)
    midnight_after = datetime.combine(delivered_on + timedelta(days=1), time(), tzinfo=UTC)
    day = delivered_on + timedelta(days=1)
    clock = (datetime(1970, 1, 1) + timedelta(seconds=clock_seconds)).time()
    while datetime.combine(day, clock, tzinfo=zone) >= midnight_after:
        day -= timedelta(days=1)
    return day


def _in_zone(naive: pa.Array, timezone: str) -> pa.Array:
    return pc.assume_timezone(naive, timezone, ambiguous="earliest", nonexistent="earliest").cast(INSTANT)


def _clock(clock: pa.Array, fraction: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(clock, pc.utf8_rpad(fraction, 6, "0"), ".")


def _parse_naive_times(texts: pa.Array) -> pa.Array:
    try:
        return texts.cast(_NAIVE)
    except pa.ArrowInvalid:  # a day or an hour that does not exist becomes null
        return pa.array([_parse_naive_time(text) for text in texts.to_pylist()], _NAIVE)


def _parse_naive_time(text: str | None) -> datetime | None:
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None


def _offset(zone: pa.Array) -> pa.Array:
    found = pc.extract_regex(zone, r"^(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)$")
    hours = pc.struct_field(found, "hours").cast(pa.int64())
    minutes = pc.struct_field(found, "minutes").cast(pa.int64())
    micros = pc.multiply(pc.add(pc.multiply(hours, 60), minutes), 60_000_000)
    signed = pc.if_else(pc.equal(pc.struct_field(found, "sign"), "-"), pc.negate(micros), micros)
    return pc.fill_null(signed, 0).cast(pa.duration("us"))
