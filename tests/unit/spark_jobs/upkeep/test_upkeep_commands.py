"""The commands `lagoon upkeep` and `lagoon erase`: what they refuse, before anything is changed."""

import datetime as dt
from pathlib import Path

import pytest
from support.lake_of_days import contents, write_day

from spark_jobs.errors import UsageError, UserError
from spark_jobs.lake.write_lock import hold_write_lock
from spark_jobs.upkeep.upkeep_commands import erase, upkeep


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    write_day(tmp_path / "lake", "eu", dt.date(2026, 1, 1))
    return tmp_path / "lake"


def test_beside_a_run_both_refuse_in_one_sentence_and_change_nothing(lake: Path) -> None:
    before = contents(lake)
    with hold_write_lock(str(lake)):
        for command in (lambda: upkeep(lake=str(lake)), lambda: erase(group="orders", lake=str(lake))):
            with pytest.raises(UserError, match="is being written by process") as refused:
                command()
            assert refused.value.exit_code == 3
    assert contents(lake) == before


def test_a_dry_run_needs_no_lock(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with hold_write_lock(str(lake)):
        upkeep(dry_run=True, lake=str(lake))
        erase(group="orders", dry_run=True, lake=str(lake))
    assert "bronze.log_lines: 1 row" in capsys.readouterr().out


@pytest.mark.parametrize("options", [{}, {"group": "a", "client_id": "b"}, {"client_host": "/"}, {"group": ""}])
def test_erase_takes_exactly_one_name(lake: Path, options: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="Name what to erase"):
        erase(lake=str(lake), **options)


def test_no_lake_is_made_where_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no lake at"):
        upkeep(lake=str(tmp_path / "nothing"))
    assert not (tmp_path / "nothing").exists()
