"""The story of a group's day and how `lagoon explain` prints it, compared with the journal of its applications."""

import datetime as dt
import io
import re

import pytest
from pyspark.sql import functions as F
from rich.console import Console
from support.recorded_logs import groups_in_truth, journal

from spark_jobs.errors import UsageError
from spark_jobs.lake.tables import Lake
from spark_jobs.report.explain import print_story
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.settings import load


def story(lake: Lake, group: str) -> list[tuple[str, str]]:
    """The kinds and sentences of a group's story in time order."""
    rows = lake.read("gold.group_story").where((F.col("group_id") == group) & F.col("happened_at").isNotNull())
    return [(row.kind, row.sentence) for row in rows.orderBy("happened_at", "turn").collect()]


def printed_story(lake: Lake, group: str, *, day: dt.date | None = None, cluster: str | None = None) -> str:
    console = Console(width=200, record=True, file=io.StringIO())
    print_story(LakeReader(load(lake=lake.uri, environment={})), group, day, cluster, console)
    return console.export_text()


def test_the_story_has_the_regressions_of_the_journal_in_its_order(gold_lake: Lake) -> None:
    expected = [
        (regression["partition"], str(regression["from"]), str(regression["to"]))
        for regression in groups_in_truth("kafka-4.3")["ledger-export"]["regressions"]
    ]
    sentences = [sentence for kind, sentence in story(gold_lake, "ledger-export") if kind == "regression"]
    pattern = r"The committed offset on (\S+) moved back from (\d+) to (\d+) by a late retry"
    found = [re.match(pattern, sentence) for sentence in sentences]
    assert len(expected) == 4
    assert [match and match.groups() for match in found] == expected


def test_the_story_has_the_members_that_joined_and_left_and_the_rebalances_in_the_order_of_the_journal(
    gold_lake: Lake,
) -> None:
    # One of two members exceeds its poll interval, leaves and returns.
    entries = [entry for entry in journal("kafka-4.3") if entry["group"] == "rates-report"]
    stopped = next(entry["client"] for entry in entries if entry["event"] == "slow")
    starts = list(dict.fromkeys(entry["client"] for entry in entries if entry["event"] == "assigned"))
    closes = [entry["client"] for entry in entries if entry["event"] == "close"]
    assert (len(starts), len(closes)) == (2, 2)
    without_details = [
        (kind, re.sub(r"( from|, \d+\.\d s after|: ).*", "", sentence))
        for kind, sentence in story(gold_lake, "rates-report")
    ]
    assert without_details == [
        ("member_joined", f"{starts[0]} joined"),
        ("rebalance", f"Rebalance to generation 2 because {starts[0]} joined"),
        ("member_joined", f"{starts[1]} joined"),
        ("rebalance", f"Rebalance to generation 3 because {starts[1]} joined"),
        ("member_went", f"{stopped} left because it did not poll in time"),
        ("rebalance", f"Rebalance to generation 4 because {stopped} did not poll in time"),
        ("read_start", "rates-2 is read again"),
        ("member_joined", f"{stopped} joined"),
        ("rebalance", f"Rebalance to generation 5 because {stopped} joined"),
        ("member_went", f"{closes[0]} left"),
        ("rebalance", f"Rebalance to generation 6 because {closes[0]} left"),
        ("member_went", f"{closes[1]} left"),
        ("emptied", "The group is empty"),
        ("lag_peak", "Largest lag of the day"),
    ]


def test_explain_prints_the_story_its_evidence_and_what_to_change(gold_lake: Lake) -> None:
    lines = printed_story(gold_lake, "ledger-export").splitlines()
    story_lines = [line for line in lines if re.match(r"\d\d:\d\d:\d\d\.\d{3} ", line)]
    assert lines[1].startswith("2026-11-18  recorded  ledger-export   at the end of the day: classic, empty, 0 members")
    assert [line.split(" ", 2)[2] for line in story_lines] == [text for _, text in story(gold_lake, "ledger-export")]
    assert lines[lines.index(story_lines[-1]) + 1].strip() != ""
    advice = lines.index("What to change")
    assert lines[advice + 1].startswith(
        " → Do not retry commitAsync yourself: number the commits, drop an older one once"
    )
    assert "Expected: 1,801 fewer records reprocessed at the next start" in " ".join(
        line.strip() for line in lines[advice:]
    )


def test_an_unknown_group_is_an_error_that_names_the_nearest_groups_days_or_clusters(gold_lake: Lake) -> None:
    with pytest.raises(UsageError, match=r"gold knows no group 'ledger-exprt'\. Use ledger-export") as error:
        printed_story(gold_lake, "ledger-exprt")
    assert error.value.exit_code == 2
    with pytest.raises(UsageError, match=r"gold has nothing of ledger-export on 2026-11-17\. Use --day 2026-11-18\."):
        printed_story(gold_lake, "ledger-export", day=dt.date(2026, 11, 17))
    with pytest.raises(UsageError, match=r"other has no group 'ledger-export'\. Name its cluster: recorded\."):
        printed_story(gold_lake, "ledger-export", cluster="other")
