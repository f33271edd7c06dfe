"""The day as one HTML file."""

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from support.declared_tables import declared_tables
from typer.testing import CliRunner

from spark_jobs.cli import app
from spark_jobs.dashboard.day_file import day_file_path
from spark_jobs.quick.column_types import ColumnType
from spark_jobs.report.print_report import report_text, write_day_files
from spark_jobs.settings import Settings, load

DAY = dt.date(2026, 11, 18)
GROUPS = 200
_ARROW = {
    **{"string": pa.string(), "int": pa.int32(), "bigint": pa.int64(), "double": pa.float64(), "short": pa.int16()},
    **{"boolean": pa.bool_(), "date": pa.date32(), "timestamp": pa.timestamp("us", "UTC"), "binary": pa.binary()},
}


def arrow_type(of: ColumnType) -> pa.DataType:
    match of:
        case ("array", element):
            return pa.list_(arrow_type(element))
        case ("map", key, value):
            return pa.map_(arrow_type(key), arrow_type(value))
        case ("struct", fields):
            return pa.struct([(name, arrow_type(kind)) for name, kind in fields])
    return _ARROW[str(of)]


def value(name: str, of: ColumnType, number: int) -> object:
    known = {
        "cluster": "eu",
        "day": DAY,
        "group_id": f"group-{number}</script><!--",
        "severity": "warning",
        "kind": "advance",
    }
    if name in known:
        return known[name]
    if isinstance(of, tuple):
        return None
    samples = {"string": f"a text of some length, number {number}", "boolean": True, "date": DAY, "binary": b"x"}
    time = dt.datetime(2026, 11, 18, 1 + number % 20, tzinfo=dt.UTC)
    return time if of == "timestamp" else samples.get(str(of), number)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """A lake with a row for each of 200 groups in every declared table of gold and quality."""
    folder = tmp_path_factory.mktemp("file") / "lake"
    declared = declared_tables()
    for name in declared.names:
        columns = declared.open(name).columns
        rows = [{each.name: value(each.name, each.type, number) for each in columns} for number in range(GROUPS)]
        schema = pa.schema([(each.name, arrow_type(each.type)) for each in columns])
        write_deltalake(folder / name.replace(".", "/"), pa.Table.from_pylist(rows, schema))
    return load(lake=str(folder), environment={})


def test_a_day_of_200_groups_has_less_than_three_megabytes(settings: Settings) -> None:
    text = report_text(settings, frozenset(), "html")
    assert len(text.encode()) < 3_000_000
    assert "group-199" in text


def test_no_name_can_end_the_data_of_the_file(settings: Settings) -> None:
    text = report_text(settings, frozenset(), "html")
    assert text.count("</script>") == 8
    assert "<!--" not in text.split('id="report-data">')[1].split("</script>")[0]
    assert "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-" in text


def test_a_run_writes_the_day_into_the_folder_reports_of_the_lake(settings: Settings) -> None:
    lake = Path(settings.lake)
    written = write_day_files(settings, {("eu", DAY)})
    assert written == [str(lake / "reports" / "2026-11-18-eu.html")]
    assert list(map(str, (lake / "reports").iterdir())) == written
    assert day_file_path("../e u", DAY) == "reports/2026-11-18-..%2Fe%20u.html"


def test_the_report_is_written_to_a_file_in_each_format(settings: Settings, tmp_path: Path) -> None:
    for output in ("text", "json", "html"):
        out = tmp_path / f"report.{output}"
        done = CliRunner().invoke(app, ["report", "--format", output, "--out", str(out), "--lake", settings.lake])
        assert done.exit_code == 0, done.output
        assert done.stdout == ""
        assert "group-1" in out.read_text("utf-8")
