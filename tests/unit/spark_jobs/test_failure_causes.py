"""What Spark, Delta, Java and dbt say when they fail, and the sentence that a user reads instead."""

from dataclasses import replace

import pytest
import typer

from spark_jobs.errors import UserError
from spark_jobs.failure_causes import as_user_errors, known_cause
from spark_jobs.settings import load

SETTINGS = replace(load(environment={}), values={**load(environment={}).values, "lagoon.lake": "/srv/lake"})
TO_BE_REBUILT = "delete it and run `lagoon run --from FIRST_DAY --to LAST_DAY`"


@pytest.mark.parametrize(
    ("message", "problem", "remedy"),
    [
        (
            "An error occurred while calling o99.collect.\n: java.lang.IllegalStateException: [DELTA_TRUNCATED_TRANSACTION_LOG] "
            "/srv/lake/silver/offset_commits/_delta_log/00000000000000000000.json: Unable to reconstruct state\n\tat org.apache.x",
            "silver.offset_commits has a Delta log that is damaged or incomplete.",
            "Restore /srv/lake/silver/offset_commits from a copy, or " + TO_BE_REBUILT,
        ),
        (
            "[FAILED_READ_FILE.FILE_NOT_EXIST] Encountered error while reading file "
            "file:/srv/lake/bronze/offset_records/cluster=eu/delivered_on=2026-01-01/part-0.parquet. SQLSTATE: KD001",
            "bronze.offset_records has a data file that is missing or damaged.",
            "Restore /srv/lake/bronze/offset_records from a copy, or " + TO_BE_REBUILT,
        ),
        (
            "FileNotFoundError: [Errno 2] Failed to open local file '/srv/lake/silver/positions/day=2026-01-01/part-0.parquet'",
            "silver.positions has a data file that is missing or damaged.",
            TO_BE_REBUILT,
        ),
        (
            "OSError: Could not open Parquet input source '/srv/lake/bronze/log_lines/x.parquet': Parquet magic bytes not found",
            "bronze.log_lines has a data file that is missing or damaged.",
            TO_BE_REBUILT,
        ),
        (
            "gold.commit_gaps: Runtime Error\n [DELTA_METADATA_MISMATCH] A schema mismatch detected when writing to the Delta table",
            "gold.commit_gaps has other columns than this version of Lagoon writes.",
            "Delete /srv/lake/gold/commit_gaps, then run `lagoon gold`",
        ),
        (
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] A column, variable, or function parameter with name `rank` cannot be resolved. "
            "Did you mean `day`?; 'Sort ['rank ASC] +- Relation spark_catalog.gold.findings[cluster] parquet",
            "gold.findings has no column rank, so it was written by another version of Lagoon.",
            "Delete /srv/lake/gold/findings, then run `lagoon gold`",
        ),
        (
            "[DELTA_UNSUPPORTED_FEATURES_FOR_READ] Unsupported Delta read feature: table \"/srv/lake/silver/positions\" requires x",
            "silver.positions was written by a newer version of Delta Lake.",
            "Restore",
        ),
        (
            'raise FileNotFoundError(f"the landed file {root}/{path} is not there") from error\n'
            "FileNotFoundError: the landed file /srv/landing/group_logs/cluster=eu/date=2026-01-01/a b.log is not there",
            "/srv/landing/group_logs/cluster=eu/date=2026-01-01/a b.log was removed while it was read.",
            "Run this again, once landing is complete.",
        ),
        ("java.lang.OutOfMemoryError: Java heap space", "Spark ran out of memory.", "Raise spark.driver_memory"),
        ("Python worker exited unexpectedly (crashed)", "the machine ran out of memory.", "spark.master to local[1]"),
        ("ConcurrentAppendException: files were added", "another process wrote the same days", "Wait until it ends"),
        ("Py4JNetworkError: Answer from Java side is empty", "Spark ended while it was working.", "run this again"),
        ("java.io.IOException: No space left on device", "the disk of ", "Free some space"),
        ("OSError: [Errno 30] Read-only file system: '/srv/lake/x'", "/srv/lake/x can only be read.", "Make it writable"),
    ],
)  # fmt: skip
def test_a_failure_is_one_sentence_with_what_to_do_next(message: str, problem: str, remedy: str) -> None:
    error = known_cause(message, SETTINGS)
    assert error is not None
    assert problem in str(error)
    assert remedy in str(error)
    assert "\n" not in str(error)


def test_the_ledger_has_another_remedy_because_nothing_can_be_rebuilt_without_it() -> None:
    error = known_cause("/srv/lake/quality/runs/_delta_log/1.json JsonParseException", SETTINGS)
    assert "if landing still has every file, delete /srv/lake and run `lagoon run`" in str(error)


def unforeseen(error: Exception) -> UserError:
    with pytest.raises(UserError) as raised, as_user_errors(SETTINGS):
        raise error
    return raised.value


def test_a_failure_of_no_known_cause_keeps_its_first_line_and_its_stack_for_debug() -> None:
    error = unforeseen(ValueError("a thing that nobody has foreseen\n  at org.apache.spark.X"))
    assert str(error) == "ValueError: a thing that nobody has foreseen. Run it again with --debug to see where."
    assert isinstance(error.__cause__, ValueError)


def test_an_error_of_java_is_its_own_message_without_the_places_in_its_stack() -> None:
    text = "An error occurred while calling o1.x.\n: java.lang.IllegalArgumentException: no such codec: zstdx\n\tat a.b.C(D.java:1)\n"
    error = unforeseen(RuntimeError(text))
    assert str(error).startswith("RuntimeError: java.lang.IllegalArgumentException: no such codec: zstdx. Run")


def test_a_module_in_a_stack_trace_is_no_table() -> None:
    message = 'File "/srv/spark_jobs/silver/inputs/x.py", line 1\nFile "/srv/spark_jobs/gold/build_gold.py"\nOSError: x.parquet'
    assert known_cause(message, SETTINGS) is None


def test_an_exit_code_is_no_failure() -> None:
    with pytest.raises(typer.Exit), as_user_errors(SETTINGS):
        raise typer.Exit(1)
