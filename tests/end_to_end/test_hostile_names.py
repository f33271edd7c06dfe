"""Every command over a lake whose every name acts somewhere: nothing acts, nothing fails, and programs get the names exactly."""

import csv
import io
import json
import re
import stat
from pathlib import Path

import pytest
from support import hostile_names
from support.hostile_names import ACTING, CLUSTERS, DAY, FORGED, GROUPS
from support.terminals import Command, Printed, in_a_pipe, on_a_terminal

from spark_jobs.visible_text import visible

pytestmark = pytest.mark.slow

LAKE = "o'brien's\\lake [red]"
FOLDERS = ("--landing", "landing", "--lake", LAKE)
WIDE = 20_000
# Names that SQL, a terminal and markup act on.
EXPLAINED = ("sql", "terminal", "markup")
MEMBERS = "select cluster, group_id, member_id, client_id, client_host, instance_id from silver.group_members"
COMMANDS = {
    "run": Command(("run", "-v", *FOLDERS)),
    "report": Command(("report", "-q", *FOLDERS), WIDE),
    "narrow report": Command(("report", *FOLDERS), 80),
    **{
        f"explain {kind}": Command(("explain", "--cluster", CLUSTERS[2], *FOLDERS, "--", GROUPS[kind]), WIDE)
        for kind in EXPLAINED
    },
    "explain unknown": Command(("explain", *FOLDERS, "--", "[/no]\x1b[2J\nFORGED"), WIDE),
    "table": Command(("sql", MEMBERS, *FOLDERS), WIDE),
    "blocks": Command(("sql", MEMBERS, *FOLDERS), 80),
    "wrong sql": Command(("sql", "select `[/no]\x1b[2J\nFORGED` from gold.lag", *FOLDERS), WIDE),
    **{layer: Command((layer, *FOLDERS)) for layer in ("bronze", "silver", "gold", "doctor")},
    "run again": Command(("run", "--day", DAY, *FOLDERS)),
}
CODES = {"explain unknown": 2, "wrong sql": 2, "doctor": 3}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    hostile_names.deliver(folder / "landing")
    return folder


@pytest.fixture(scope="module")
def printed(folder: Path) -> dict[str, Printed]:
    """What each command printed on a terminal."""
    return dict(zip(COMMANDS, on_a_terminal(list(COMMANDS.values()), folder), strict=False))


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_fails_and_no_name_acts_in_what_it_prints(printed: dict[str, Printed], command: str) -> None:
    text = printed[command].without_styles()
    assert printed[command].code == CODES.get(command, 0), text
    assert text.strip()
    assert [char for char in (*ACTING, "\x1b") if char in text] == []
    assert [line for line in text.splitlines() if line.lstrip().startswith(FORGED)] == []
    assert "Traceback" not in text


def test_every_cluster_was_ingested_except_the_one_that_no_folder_can_hold(
    printed: dict[str, Printed], folder: Path
) -> None:
    assert printed["run"].code == 0
    log = (folder / LAKE / "logs" / "lagoon.log").read_text("utf-8")
    assert all(f" {DAY} {visible(cluster)} offset_dumps: 1 file, " in log for cluster in CLUSTERS)
    assert "whose cluster has too long a name for a folder of the lake" in log


def test_nothing_in_a_name_was_executed(printed: dict[str, Printed], folder: Path) -> None:
    assert printed
    assert list(folder.rglob("owned")) == []
    assert sorted(path.name for path in folder.iterdir()) == ["landing", LAKE]


def test_no_name_forges_a_line_of_the_log_which_is_for_its_user_alone(
    printed: dict[str, Printed], folder: Path
) -> None:
    assert printed
    log = folder / LAKE / "logs" / "lagoon.log"
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    lines = log.read_text("utf-8").split("\n")[:-1]
    assert len(lines) > 50
    assert [line for line in lines if not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \d+ ", line)] == []
    assert [char for char in ACTING if char in "\n".join(lines)] == []


def test_a_report_shows_names_as_they_are_and_escapes_what_would_act(printed: dict[str, Printed]) -> None:
    text = printed["report"].without_styles()
    assert all(f"{DAY}  {visible(cluster)}   {len(GROUPS)} groups" in text for cluster in CLUSTERS)
    assert len([name for name in GROUPS.values() if visible(name) in text]) >= 10


@pytest.mark.parametrize("kind", EXPLAINED)
def test_a_group_is_explained_by_its_exact_name(printed: dict[str, Printed], kind: str) -> None:
    heading = f"{DAY}  {visible(CLUSTERS[2])}  {visible(GROUPS[kind])}   at the end of the day"
    assert heading in printed[f"explain {kind}"].without_styles()


def test_an_error_that_quotes_a_name_is_one_line(printed: dict[str, Printed]) -> None:
    assert [printed[command].text.count("\n") for command in ("explain unknown", "wrong sql")] == [1, 1]


def test_rows_are_a_table_where_they_fit_and_blocks_elsewhere(printed: dict[str, Printed]) -> None:
    assert " row 1\n" not in printed["table"].without_styles()
    assert " row 1\n" in printed["blocks"].without_styles()


def test_json_and_csv_have_every_name_exactly(printed: dict[str, Printed], folder: Path) -> None:
    assert printed
    query = "select distinct cluster, group_id from gold.group_health"
    formats = [Command(("sql", query, "--format", name, *FOLDERS)) for name in ("json", "csv")]
    as_json, as_csv = in_a_pipe(formats, folder)
    expected = {(cluster, group) for cluster in CLUSTERS for group in GROUPS.values()}
    assert {(row["cluster"], row["group_id"]) for row in json.loads(as_json.text)} == expected
    assert {tuple(row) for row in list(csv.reader(io.StringIO(as_csv.text, newline="")))[1:]} == expected
