"""The output formats of `lagoon sql`."""

import csv
import datetime as dt
import io
import json
import sys
from decimal import Decimal

import pytest

from spark_jobs.errors import UsageError
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


def test_a_name_with_a_carriage_return_forges_no_row_in_csv(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["a", "b"], [("x\ry", 1)], "csv")
    assert list(csv.reader(io.StringIO(capsys.readouterr().out, newline=""))) == [["a", "b"], ["x\ry", "1"]]


def test_json_refuses_two_columns_of_one_name_and_keeps_all_digits(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="two columns are called a"):
        print_rows(["a", "a"], [(1, 2)], "json")
    print_rows(["a", "b"], [(Decimal("0.12345678901234567890"), Decimal("0.5"))], "json")
    assert json.loads(capsys.readouterr().out) == [{"a": "0.12345678901234567890", "b": 0.5}]


def test_a_table_prints_values_and_names_with_square_brackets_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["[/b]"], [("[red]eu[/red]",), ("[/]",)], "table")
    assert capsys.readouterr().out.split()[0] == "[/b]"
    print_rows(["group_id"], [("[red]eu[/red]",), ("[/]",)], "table")
    assert capsys.readouterr().out.split()[-2:] == ["[red]eu[/red]", "[/]"]


ROW = {"group_id": "billing", "member_id": "m" * 30, "client_id": "c" * 30, "reason": "left " * 8, "at": "2026"}


def use_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    # Without styles.
    for name, value in {"TERM": "dumb", "LINES": "40", "COLUMNS": str(columns)}.items():
        monkeypatch.setenv(name, value)


def test_rows_too_wide_for_the_terminal_are_printed_as_blocks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch, 40)
    print_rows(list(ROW), [tuple(ROW.values()), ("a", None, "[/b]", "x", "y")], "table")
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        " row 1",
        "   group_id  billing",
        f"   member_id {'m' * 27}",
        f"             {'m' * 3}",
        f"   client_id {'c' * 27}",
        f"             {'c' * 3}",
        "   reason    left left left left left",
        "             left left left",
        "   at        2026",
        " row 2",
        "   group_id  a",
        "   member_id",
        "   client_id [/b]",
        "   reason    x",
        "   at        y",
    ]


def test_rows_that_fit_when_long_texts_are_wrapped_are_a_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    use_terminal(monkeypatch, 120)
    print_rows(list(ROW), [tuple(ROW.values())], "table")
    printed = capsys.readouterr().out
    assert "row 1" not in printed
    assert printed.split()[: len(ROW)] == list(ROW)
    assert max(map(len, printed.splitlines())) <= 120
