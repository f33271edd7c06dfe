"""Results of any size: rows are printed as they come, and a table on a terminal is cut."""

import csv
import io
import json
import socket
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from spark_jobs.lake.tables import Lake
from spark_jobs.sql.output import print_rows, rows_to_print
from spark_jobs.sql.rows import stream_rows
from spark_jobs.sql.task_stream import TaskConnections

Run = Callable[[str], DataFrame]

# More rows than any memory or disk holds.
ENDLESS = "select g.true_lag, r.id from gold.lag g cross join range(1000000000000) r"


def active_jobs(lake: Lake) -> list[int]:
    context = lake.spark.sparkContext
    context._jsc.sc().listenerBus().waitUntilEmpty()
    return list(context.statusTracker().getActiveJobsIds())


def test_a_million_rows_arrive_whole_and_in_order(run: Run, lake: Lake) -> None:
    query = (
        "select r.id, g.true_lag, g.status from gold.lag g cross join range(125000) r order by r.id desc, g.true_lag"
    )
    expected = ((125_000 - 1 - number // 8, 10 * (number % 8)) for number in range(1_000_000))
    rows = stream_rows(run(query))
    count = 0
    for row, (number, lag) in zip(rows, expected, strict=True):
        assert row == (number, lag, None if lag > 60 else "ok")
        count += 1
    assert count == 1_000_000
    assert not active_jobs(lake)


def test_the_first_rows_of_a_result_without_end_are_there_and_the_job_stops_with_the_reader(
    run: Run, lake: Lake
) -> None:
    rows = stream_rows(run(ENDLESS))
    first = list(islice(rows, 30_000))
    assert len(set(first)) == 30_000
    assert active_jobs(lake)
    rows.close()
    assert not active_jobs(lake)


def test_only_the_rows_that_are_printed_are_requested(run: Run, lake: Lake) -> None:
    assert len(list(stream_rows(run(ENDLESS), 1_001))) == 1_001
    assert not active_jobs(lake)


def test_all_types_have_the_same_values_in_a_small_and_in_a_large_result(run: Run) -> None:
    columns = """map('k', array(1, null)) as m, named_struct('a', 1, 'b', 'x') as s, timestamp'2026-11-18 12:00:00' as t,
        timestamp_ntz'2026-11-18 12:00:00' as n, date'2026-11-18' as d, 1.50bd as c, x'0f' as b, interval '1' day as i,
        interval '1-2' year to month as y, make_interval(0, 1) as ci, parse_json('{"a": 1}') as v, null as z, true as f,
        double('nan') as q, time'10:00:00' as h, 'a' as same, 'b' as same"""

    def printed(rows: int) -> list[dict[str, object]]:
        output = io.StringIO()
        frame = run(f"select {columns} from range({rows})")
        sys.stdout, stdout = output, sys.stdout
        try:
            print_rows(frame.columns, stream_rows(frame), "csv")
        finally:
            sys.stdout = stdout
        return list(csv.reader(io.StringIO(output.getvalue())))  # type: ignore[arg-type]

    small, large = printed(1), printed(20_000)
    assert len(large) == 20_001
    assert large[:2] == small
    assert small[1][:2] == ['{"k": [1, null]}', '{"a": 1, "b": "x"}']


def test_an_error_in_the_middle_of_a_large_result_is_raised(run: Run, lake: Lake) -> None:
    rows = stream_rows(run("select if(id = 60000, raise_error('broken'), id) from range(0, 100000, 1, 1)"))
    with pytest.raises(PySparkException, match="broken"):
        list(rows)
    assert not active_jobs(lake)


def test_partitions_are_read_in_their_order_when_tasks_connect_in_another(tmp_path: Path) -> None:
    address = str(tmp_path / "rows")
    clients = []

    def send(partition: int) -> None:
        client = socket.socket(socket.AF_UNIX)
        client.connect(address)
        batch = pa.record_batch({"partition": [partition]})
        with client.makefile("wb") as stream:
            stream.write(partition.to_bytes(4))
            if partition != 1:  # A partition without rows.
                with pa.ipc.new_stream(stream, batch.schema) as writer:
                    writer.write_batch(batch)
        client.close()
        clients.append(client)

    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        server.settimeout(0.01)
        job: Future[None] = Future()
        for partition in (3, 2, 4, 0, 1):
            send(partition)
        job.set_result(None)
        batches = TaskConnections(server, job, slots=2).batches()
        assert [batch.to_pydict() for batch in batches] == [{"partition": [number]} for number in (0, 2, 3, 4)]
    assert len(clients) == 5


def numbered_rows(count: int) -> Iterator[tuple[int, str]]:
    return ((number, "x" * (number % 7)) for number in range(count))


def test_a_table_on_a_terminal_is_cut_with_a_note(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    assert rows_to_print("table") == 1_001
    assert rows_to_print("csv") is None
    print_rows(["number", "text"], numbered_rows(1_001), "table")
    printed = capsys.readouterr()
    assert printed.out.split()[-2:] == ["999", "xxxxx"]
    assert printed.err == "Only the first 1,000 rows are shown. --format csv prints all of them.\n"
    print_rows(["number", "text"], numbered_rows(1_000), "table")
    assert capsys.readouterr().err == ""


def test_a_piped_table_has_all_rows_in_columns_as_wide_as_the_first_thousand(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert rows_to_print("table") is None
    rows = [*numbered_rows(2_000), (2_000, "a longer value")]
    print_rows(["number", "text"], iter(rows), "table")
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[:4] == ["  number   text", " " + "─" * 19, "  0", "  1        x"]
    assert lines[-1] == "  2000     a longer value"
    assert len(lines) == 2_003
    assert printed.err == ""


@pytest.mark.parametrize(
    ("output_format", "first", "last"),
    [("csv", "number\n0\n", "1\n"), ("json", '[\n {"number": 0}', ',\n {"number": 1}\n]\n')],
)
def test_a_row_is_written_before_the_next_one_is_known(
    capsys: pytest.CaptureFixture[str], output_format: str, first: str, last: str
) -> None:
    def rows() -> Iterator[tuple[int]]:
        yield (0,)
        assert capsys.readouterr().out == first
        yield (1,)

    print_rows(["number"], rows(), output_format)
    assert capsys.readouterr().out == last


def test_json_of_no_rows_is_an_empty_list(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows(["number"], iter([]), "json")
    assert json.loads(capsys.readouterr().out) == []
