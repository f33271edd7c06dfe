"""The output formats of `lagoon sql`."""

import datetime as dt
import json
from decimal import Decimal

import pytest

from spark_jobs.sql.output import print_rows


def test_json_has_every_column_and_writes_times_in_utc(capsys: pytest.CaptureFixture[str]) -> None:
    values = (
        *(None, True, 3, 1.5, float("nan"), Decimal("7"), b"\x01\xff", ["a", None], {"k": 1}),
        *(dt.date(2026, 11, 18), dt.datetime(2026, 11, 18, 12, 30, 0, 5)),
    )
    print_rows([f"c{number}" for number in range(len(values))], [values], "json")
    [row] = json.loads(capsys.readouterr().out)
    assert list(row.values()) == [
        *(None, True, 3, 1.5, None, 7, "01ff", ["a", None], {"k": 1}),
        *("2026-11-18", "2026-11-18T12:30:00.000005Z"),
    ]


def test_csv_is_empty_where_a_value_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["a", "b", "c"], [(None, 'say "x", y', ["z"])], "csv")
    assert capsys.readouterr().out == 'a,b,c\n,"say ""x"", y","[""z""]"\n'


def test_a_table_prints_values_and_names_with_square_brackets_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["[/b]"], [("[red]eu[/red]",), ("[/]",)], "table")
    assert capsys.readouterr().out.split()[0] == "[/b]"
    print_rows(["group_id"], [("[red]eu[/red]",), ("[/]",)], "table")
    assert capsys.readouterr().out.split()[-2:] == ["[red]eu[/red]", "[/]"]
