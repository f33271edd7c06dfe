"""The story of a group's day, against what its applications wrote in their journal."""

import datetime as dt
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
import zstandard
from pyspark.sql import functions as F
from rich.console import Console

from spark_jobs.errors import UsageError
from spark_jobs.gold.build_gold import BuiltGold
from spark_jobs.gold.dbt_runner import DbtRunner
from spark_jobs.job import Job
from spark_jobs.lake.tables import Lake
from spark_jobs.report.explain import print_story

RECORDING = Path(__file__).parent.parent / "recorded" / "kafka-4.3"
DAY = dt.date(2026, 11, 18)


@pytest.fixture(scope="module")
def lake(recorded_gold: tuple[Job, BuiltGold]) -> Lake:
    DbtRunner(recorded_gold[0].lake, recorded_gold[0].settings).register_tables()
    return recorded_gold[0].lake


@pytest.fixture(scope="module")
def journal() -> list[dict[str, Any]]:
    packed = io.BytesIO((RECORDING / "truth.jsonl.zst").read_bytes())
    return [json.loads(line) for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8")]


def story(lake: Lake, group: str) -> list[tuple[str, str]]:
    rows = lake.read("gold.group_story").where((F.col("group_id") == group) & F.col("happened_at").isNotNull())
    return [(row.kind, row.sentence) for row in rows.orderBy("happened_at", "turn").collect()]


def told(lake: Lake, group: str, **asked: Any) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    print_story(lake, group, asked.get("day"), asked.get("cluster"), console)
    return console.export_text()


def test_what_came_twice_is_told_in_the_order_of_the_journal(lake: Lake) -> None:
    truth = json.loads((RECORDING / "truth.json").read_text("utf-8"))["groups"]["ledger-export"]
    fell = [(one["partition"], str(one["from"]), str(one["to"])) for one in truth["regressions"]]
    sentences = [sentence for kind, sentence in story(lake, "ledger-export") if kind == "regression"]
    found = [re.match(r"The position on (\S+) fell from (\d+) to (\d+), by the late retry", one) for one in sentences]
    assert len(fell) == 4
    assert [match and match.groups() for match in found] == fell


def test_who_joined_and_left_and_why_it_rebalanced_is_told_in_the_order_of_the_journal(
    lake: Lake, journal: list[dict[str, Any]]
) -> None:
    # One member of two stops for longer than its poll interval, and comes back.
    of_group = [entry for entry in journal if entry["group"] == "rates-report"]
    stopped = next(entry["client"] for entry in of_group if entry["event"] == "slow")
    starts = list(dict.fromkeys(entry["client"] for entry in of_group if entry["event"] == "assigned"))
    closes = [entry["client"] for entry in of_group if entry["event"] == "close"]
    assert (len(starts), len(closes)) == (2, 2)
    assert [(kind, re.sub(r"( from|, \d+\.\d s after|: ).*", "", sentence)) for kind, sentence in story(lake, "rates-report")] == [
        ("member_joined", f"{starts[0]} joined"),
        ("rebalance", f"Rebalance to generation 2, since {starts[0]} joined"),
        ("member_joined", f"{starts[1]} joined"),
        ("rebalance", f"Rebalance to generation 3, since {starts[1]} joined"),
        ("member_went", f"{stopped} left, since it did not poll in time"),
        ("rebalance", f"Rebalance to generation 4, since {stopped} did not poll in time"),
        ("member_joined", f"{stopped} joined"),
        ("rebalance", f"Rebalance to generation 5, since {stopped} joined"),
        ("member_went", f"{closes[0]} left"),
        ("rebalance", f"Rebalance to generation 6, since {closes[0]} left"),
        ("member_went", f"{closes[1]} left"),
        ("emptied", "The group is empty"),
        ("lag_peak", "Farthest behind that day"),
    ]  # fmt: skip


def test_what_is_printed_is_the_story_its_evidence_and_what_to_change(lake: Lake) -> None:
    lines = told(lake, "ledger-export").splitlines()
    happenings = [line for line in lines if re.match(r"\d\d:\d\d:\d\d\.\d{3} ", line)]
    assert lines[1].startswith("2026-11-18  recorded  ledger-export   at the end of the day: classic, empty, 0 members")
    assert [line.split(" ", 2)[2] for line in happenings] == [sentence for _, sentence in story(lake, "ledger-export")]
    assert lines[lines.index(happenings[-1]) + 1].strip() != ""
    advice = lines.index("What to change")
    assert lines[advice + 1] == (
        " → Never retry commitAsync by itself: number the commits, and drop an older one when a newer one has been sent"
    )
    assert "Expected: On a day like this 4,946 records fewer to process twice" in " ".join(
        line.strip() for line in lines[advice:]
    )


def test_a_group_that_is_not_known_is_told_by_the_nearest_names(lake: Lake) -> None:
    with pytest.raises(UsageError, match=r"gold knows no group 'ledger-exprt'\. Use ledger-export") as error:
        told(lake, "ledger-exprt")
    assert error.value.exit_code == 2
    with pytest.raises(UsageError, match=r"gold has nothing of ledger-export on 2026-11-17\. Use --day 2026-11-18\."):
        told(lake, "ledger-export", day=dt.date(2026, 11, 17))
    with pytest.raises(UsageError, match=r"other has no group 'ledger-export'\. Name its cluster: recorded\."):
        told(lake, "ledger-export", cluster="other")
