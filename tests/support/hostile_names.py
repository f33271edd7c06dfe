"""A small delivery whose every name acts somewhere: in a terminal, in markup, in SQL, in a path, in a template, in a shell."""

from pathlib import Path
from typing import Any

from kafka_telemetry.formats.segments.record_encoding import encode_key, encode_value
from kafka_telemetry.formats.segments.segment_writer import Batch, Record, encode_segment

DAY = "2026-11-18"
# 11:28 UTC of that day.
_START_MS = 1_795_001_280_000
# Where it acts -> the name.
GROUPS = {
    "sql": "o'brien",
    "sql comment": "'; drop table gold.lag; -- /*",
    "backslash": "back\\slash\\",
    "path": "../../../etc/passwd",
    "pattern": "\\E(*[",
    "percent": "100%00%2e%2e",
    "terminal": "a\x1b[31mred\x1b]0;owned\x07\x1b[2J\x9b31m",
    "line": "line1\nFORGED everything is fine\r\nFORGED twice",
    "line of Unicode": "line1\u2028FORGED\u2029FORGED\x85FORGED",
    "direction": "invoice\u202egnp.exe\u2066\u200f",
    "nothing to see": "bil\u200bling\ufeff",
    "markup": "[/nope][bold]:x:[red]root:x:0[link=http://example.org]",
    "template": "${env:HOME} {{ env_var('HOME') }} {% raw %} {0} %s %(x)s",
    "shell": '$(touch owned) `touch owned` "; touch owned; !! $HOME',
    "spreadsheet": "=cmd|' /C calc'!A0",
    "page": "<script>alert(1)</script>",
    "emoji": "🙂👨\u200d👩\u200d👧",
    "zero": "nul\x00byte",
    "long": "long-" + "x" * 10_000,
    "blank": " ",
}
# Of several names each, since every cluster takes seconds. A folder has neither a slash nor a zero byte.
CLUSTERS = tuple(
    " ".join(GROUPS[kind] for kind in kinds).replace("/", "|")
    for kinds in (
        ("sql",),
        ("sql comment", "backslash", "pattern", "percent", "shell"),
        ("terminal", "line", "direction", "nothing to see", "emoji"),
        ("markup", "template"),
    )
)
# Its name in the lake's folders would have more than 255 bytes.
LONG_CLUSTER = "'" * 120
# What no output for people may contain, whatever telemetry says.
ACTING = ("\x1b]0;", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u2066", "\u2028", "\u2029", "\x85", "\u200b", "\x00")
FORGED = "FORGED"


def deliver(landing: Path) -> None:
    for cluster in (*CLUSTERS, LONG_CLUSTER):
        # A file has a partition's segment; its folder is named like a group.
        folder = landing / "offset_dumps" / f"cluster={cluster}" / f"date={DAY}" / cluster / "__consumer_offsets-0"
        folder.mkdir(parents=True)
        (folder / "00000000000000000000.log").write_bytes(_segment(GROUPS.values()))
    for name in CLUSTERS:
        log = landing / "group_logs" / "cluster=o'brien" / f"date={DAY}" / name / f"{name}.log"
        log.parent.mkdir(parents=True)
        log.write_text("".join(map(_log_lines, GROUPS.values())), "utf-8", newline="")
    lag = landing / "lag_metrics" / "cluster=o'brien" / f"date={DAY}"
    for name in CLUSTERS:
        file = lag / name / f"describe-{name}-20261118T113000Z.txt"
        file.parent.mkdir(parents=True)
        file.write_text(_described(GROUPS.values()), "utf-8", newline="")
    (landing / "group_logs" / "cluster=o'brien" / "date=[red]\x1b[2J").mkdir()
    (landing / "group_logs" / "cluster=o'brien" / "date=[red]\x1b[2J" / "a\nFORGED.log").write_text("x")


def _segment(groups: Any) -> bytes:
    """Of each group six generations within a minute, which is a storm, and commits that go back on four partitions."""
    records: list[Record] = []
    for group in groups:
        for generation in range(1, 7):
            records.append(_record(len(records), 2, {"group": group}, 3, _group(group, generation)))
        for partition in range(4):
            for offset in (5000, 3000):
                key = {"group": group, "topic": "orders", "partition": partition}
                value = {"offset": offset, "leaderEpoch": 1, "metadata": group, "commitTimestamp": _at(len(records))}
                records.append(_record(len(records), 1, key, 3, value))
        records.append(_record(len(records), 1, key | {"topic": group[:249]}, 3, value))
    return encode_segment([Batch([record]) for record in records])


def _record(number: int, key_type: int, key: dict[str, Any], version: int, value: dict[str, Any]) -> Record:
    return Record(number, _at(number), encode_key(key_type, key), encode_value(key_type, version, value))


def _at(number: int) -> int:
    return _START_MS + 100 * number


def _group(name: str, generation: int) -> dict[str, Any]:
    members = [
        {
            "memberId": f"{name}-{number}",
            "groupInstanceId": name if number == 0 else None,
            "clientId": name,
            "clientHost": name,
            "sessionTimeout": 45_000,
            "rebalanceTimeout": 300_000,
            "subscription": {"topics": [name[:249]], "userData": None, "ownedPartitions": []},
            "assignment": {
                "assignedPartitions": [{"topic": name[:249], "partitions": [2 * number, 2 * number + 1]}],
                "userData": None,
            },
        }
        for number in range(1 + generation % 2)
    ]
    return {
        "protocolType": "consumer",
        "generation": generation,
        "protocol": name,
        "leader": members[0]["memberId"],
        "currentStateTimestamp": _START_MS,
        "members": members,
    }


def _log_lines(group: str) -> str:
    coordinator = "[2026-11-18 11:28:30,123] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=0]"
    logger = "(org.apache.kafka.coordinator.group.GroupMetadataManager)"
    return (
        f"{coordinator} [GroupId {group}] Member {group} joins the consumer group using the consumer protocol. {logger}\n"
        f"{coordinator} [GroupId {group}] Something new of {group}. {logger}\n"
    )


def _described(groups: Any) -> str:
    head = "\nGROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    return head + "".join(f"{name} {name} 0 250 2095 1845 {name} /{name} {name}\n" for name in groups)
