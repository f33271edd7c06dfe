"""The findings that `lagoon report` prints."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from rich.console import Console

from spark_jobs.progress import Progress
from spark_jobs.report.findings import print_findings
from spark_jobs.report.lake_reader import LakeReader
from spark_jobs.settings import load

DAY = dt.date(2026, 11, 18)
CLUSTERS = ["o'brien", "back\\slash", "eu"]
FINDING = {
    "day": DAY,
    "group_id": "billing",
    "kind": "rebalance_storm",
    "subject": "billing",
    "severity": "warning",
    "title": "billing rebalanced often",
    "evidence": "18 rebalances",
    "cost": "2.5 partition-minutes without reading",
    "recommendation": "Set group.instance.id",
    "expected_effect": "Fewer rebalances",
    "rank": 9,
}
# Six partitions and two groups of one kind, and one that says the same as another.
REGRESSIONS = [
    {
        **FINDING,
        "group_id": group,
        "kind": "redelivery",
        "subject": f"orders-{partition}",
        "title": f"{group} went back on orders-{partition}",
        "cost": f"{number} records",
        "recommendation": "Do not retry",
        "rank": number,
    }
    for number, (group, partition) in enumerate([*(("ledger", partition) for partition in range(6)), ("audit", 0)], 1)
]
HEALTH = {"day": DAY, "group_id": "billing", "topics": 1, "redelivered": 0}


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> LakeReader:
    uri = str(tmp_path_factory.mktemp("report") / "lake")
    for table, row in (("findings", FINDING), ("group_health", HEALTH)):
        rows = pa.Table.from_pylist([{"cluster": cluster, **row} for cluster in CLUSTERS])
        write_deltalake(f"{uri}/gold/{table}", rows)
    many = pa.Table.from_pylist([{"cluster": "many", **row} for row in [*REGRESSIONS, FINDING]])
    write_deltalake(f"{uri}/gold/findings", many, mode="append")
    write_deltalake(f"{uri}/gold/group_health", pa.Table.from_pylist([{"cluster": "many", **HEALTH}]), mode="append")
    trust = [{"cluster": "many", "day": DAY, "sentence": "Can be trusted: all is there"}]
    write_deltalake(f"{uri}/gold/day_trust", pa.Table.from_pylist(trust))
    return LakeReader(load(lake=uri, environment={}))


def test_findings_are_printed_whatever_characters_the_name_of_the_cluster_has(
    reader: LakeReader, tmp_path: Path
) -> None:
    with (tmp_path / "printed.txt").open("w+") as printed:
        print_findings(
            reader, {(cluster, DAY) for cluster in CLUSTERS}, Progress(Console(file=printed), Console(file=printed))
        )
        printed.seek(0)
        lines = printed.read().splitlines()
    headings = [line for line in lines if line.startswith(str(DAY))]
    assert headings == [f"{DAY}  {cluster}   1 group, 1 warning" for cluster in sorted(CLUSTERS)]
    assert sum("billing rebalanced often" in line for line in lines) == len(CLUSTERS)


def test_findings_of_one_kind_and_group_are_one_entry_and_equal_advice_is_printed_once(
    reader: LakeReader, tmp_path: Path
) -> None:
    with (tmp_path / "printed.txt").open("w+") as printed:
        print_findings(reader, {("many", DAY)}, Progress(Console(file=printed), Console(file=printed)))
        printed.seek(0)
        lines = printed.read().splitlines()
    assert lines[1 : lines.index("Where to look next:") - 1] == [
        f"{DAY}  many   1 group, 8 warning",
        "   Can be trusted: all is there",
        " ● ledger went back on orders-0",
        "     1 records",
        "     Also orders-1, orders-2, orders-3, orders-4 and 1 more",
        " ● audit went back on orders-0",
        "     7 records",
        "     → Do not retry",
        " ● billing rebalanced often",
        "     2.5 partition-minutes without reading",
        "     → Set group.instance.id",
    ]
