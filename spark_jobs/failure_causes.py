"""Why Spark, Delta or dbt failed, in one sentence with what to do next; their own messages are many lines of several languages."""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import typer

import schemas
from spark_jobs.errors import UserError
from spark_jobs.lake.lake_version import is_older
from spark_jobs.lake.location import local_path
from spark_jobs.settings import Settings
from spark_jobs.store.lease import LEASE_SECONDS, lease_lost
from spark_jobs.store.store_access import in_store
from spark_jobs.store.store_errors import is_about_a_store, store_problem

_FULL = 64 << 20
_RUN_AGAIN = "then run this again: no table is half-written"
_MEMORY = "Raise spark.driver_memory (LAGOON_SPARK_DRIVER_MEMORY), or take fewer days at a time with --from and --to"
# As ConditionalLogStore.java says it.
_LEASE_ENDED = "the lease of the lake has ended"
# Landed files: no other object is read by its name.
_REMOVED = re.compile(r"the (?:object (\w+://.*?)|landed file (/.*?)) is not there")
# Not the modules of the same rooms, which a stack trace names.
_TABLE = re.compile(r"(?<!spark_jobs[/.])\b(bronze|silver|gold|quality)[/.]`?([a-z][a-z_]*)")
_COLUMN = re.compile(r"with name `?([^`'\s]+)`? cannot be resolved")

# A pattern of the message, and what it says about a table.
_TABLE_PROBLEMS = (
    (
        r"DELTA_METADATA_MISMATCH|schema mismatch detected|DELTA_FAILED_TO_MERGE_FIELDS|CANNOT_UP_CAST|INCOMPATIBLE_DATA",
        "has other columns than this version of Lagoon writes",
    ),
    (
        r"DELTA_UNSUPPORTED_FEATURES|InvalidProtocolVersion|DELTA_INVALID_PROTOCOL|unsupported.{0,20}table feature",
        "was written by a newer version of Delta Lake",
    ),
    (
        r"_delta_log|DELTA_LOG_FILE|DELTA_TRUNCATED_TRANSACTION_LOG|DELTA_STATE_RECOVER|DELTA_MISSING_TRANSACTION_LOG"
        r"|DELTA_VERSIONS_NOT_CONTIGUOUS|DELTA_TABLE_NOT_FOUND|DELTA_PATH_DOES_NOT_EXIST|MALFORMED_RECORD|JsonEOFException"
        r"|JsonParseException|DELTA_MISSING_DELTA_TABLE|DELTA_SCHEMA_NOT_SET|DELTA_CHECKPOINT",
        "has a Delta log that is damaged or incomplete",
    ),
    (
        r"\.parquet|FAILED_READ_FILE|DELTA_FILE_NOT_FOUND|PATH_NOT_FOUND|is not a Parquet file|Parquet magic bytes"
        r"|CANNOT_READ_FILE_FOOTER",
        "has a data file that is missing or damaged",
    ),
)


@contextlib.contextmanager
def as_user_errors(settings: Settings) -> Iterator[None]:
    """Raises whatever fails as UserError. An exit code is no failure."""
    try:
        yield
    except (UserError, typer.Exit):
        raise
    except Exception as error:
        raise user_error(error, settings) from error


def user_error(error: Exception, settings: Settings) -> UserError:
    if getattr(error, "format_message", None) is not None:
        raise error  # An error of usage that typer words itself.
    message = _whole_message(error)
    known = known_cause(message, settings)
    if known is not None:
        return known
    return UserError(f"{type(error).__name__}: {_first_sentence(str(error))}", "Run it again with --debug to see where")


def known_cause(message: str, settings: Settings) -> UserError | None:
    """`message` is what Spark, Delta or dbt says, stack traces included."""
    if re.search(r"Concurrent\w*Exception|DELTA_CONCURRENT", message):
        return UserError(
            "another process wrote the same days at the same time", "Wait until it ends, then run this again"
        )
    if removed := _REMOVED.search(message):
        return UserError(
            f"{removed[1] or removed[2]} was removed while it was read", "Run this again, once landing is complete"
        )
    if (of_store := _problem_of_store(message, settings)) is not None:
        return of_store
    if re.search(r"No space left on device|Errno 28|Disk quota exceeded", message):
        return UserError(f"the disk of {_full_disk(message, settings)} is full", f"Free some space, {_RUN_AGAIN}")
    if "Read-only file system" in message:
        return UserError(f"{_path_in(message) or 'a disk'} can only be read", f"Make it writable, {_RUN_AGAIN}")
    if re.search(r"OutOfMemoryError|Java heap space|GC overhead|SparkOutOfMemory", message):
        return UserError("Spark ran out of memory", _MEMORY)
    if re.search(r"Python worker exited unexpectedly|MemoryError|ArrowMemoryError", message):
        return UserError(
            "a Python worker of Spark was ended, most likely because the machine ran out of memory",
            "Give the machine more memory, set spark.master to local[1], or take fewer days at a time with --from and --to",
        )
    if column := _COLUMN.search(message):
        table, lake = _table(message), local_path(settings.lake)
        return UserError(
            f"{table or 'a table of the lake'} has no column {column[1].rsplit('.', 1)[-1]}, so it was written by another "
            "version of Lagoon",
            "`lagoon run` brings the lake to this version" if lake and is_older(lake) else _remedy(table, settings),
        )
    for pattern, problem in _TABLE_PROBLEMS:
        if (found := re.search(pattern, message)) and (table := _table(message, near=found.start())):
            return UserError(f"{table} {problem}", _remedy(table, settings))
    if re.search(
        r"Answer from Java side is empty|Py4JNetworkError|Connection refused|SparkContext was shut down", message
    ):
        return UserError(
            "Spark ended while it was working", f"Look for what ended it, such as too little memory, {_RUN_AGAIN}"
        )
    return None


def _problem_of_store(message: str, settings: Settings) -> UserError | None:
    if _LEASE_ENDED in message:
        return lease_lost(settings.lake, LEASE_SECONDS)
    uri = next((uri for uri in (settings.lake, settings.landing) if in_store(uri)), None)
    # A JVM that has ended refuses connections too.
    if uri is None or not is_about_a_store(message) or "Py4JNetworkError" in message:
        return None
    return store_problem(message, uri, settings.store)


def _remedy(table: str | None, settings: Settings) -> str:
    """How the table is restored, or built again from what the lake or landing still has."""
    if table is None:
        return "Build it again with `lagoon run --from FIRST_DAY --to LAST_DAY`"
    folder = f"{settings.lake.rstrip('/')}/{table.replace('.', '/')}"
    if table.startswith("gold."):
        return f"Delete {folder}, then run `lagoon gold`: it builds the table again"
    if table == "quality.runs":
        return f"Restore {folder} from a copy, or, if landing still has every file, delete {settings.lake} and run `lagoon run`"
    return (
        f"Restore {folder} from a copy, or delete it and run `lagoon run --from FIRST_DAY --to LAST_DAY` with the first and "
        "the last day of delivery: it builds the table again"
        + (", if landing still has every file" if table.startswith("bronze.") else "")
    )


def _table(message: str, near: int = 0) -> str | None:
    """The table that the message names first, or closest to a place."""
    found = [m for m in _TABLE.finditer(message) if m[1] == "gold" or f"{m[1]}.{m[2]}" in schemas.tables()]
    if not found:
        return None
    closest = min(found, key=lambda match: abs(match.start() - near)) if near else found[0]
    return f"{closest[1]}.{closest[2]}"


def _full_disk(message: str, settings: Settings) -> str:
    """The folder whose disk is full: the one that the message names, else the lake or that of temporary files."""
    temporary, lake = Path(tempfile.gettempdir()), local_path(settings.lake)
    candidates = [path for path in (lake, temporary) if path is not None and path.exists()]
    if candidates:
        path = min(candidates, key=lambda path: shutil.disk_usage(path).free)
        if shutil.disk_usage(path).free < _FULL:
            return (
                f"{path} (temporary files; TMPDIR names another folder)" if path == temporary else f"{path} (the lake)"
            )
    return _path_in(message) or "the lake or of temporary files"


def _path_in(message: str) -> str | None:
    found = re.search(r"'(/[^']+)'|(?<![\w:/])(/[\w.=/-]+/[\w.=-]+)", message)
    return (found[1] or found[2]) if found else None


def _whole_message(error: BaseException) -> str:
    """The messages of an error and of its causes, and of the Java exception that it stands for."""
    parts: list[str] = []
    cause: BaseException | None = error
    while cause is not None and len(parts) < 10:
        parts.append(f"{type(cause).__name__}: {cause}")
        cause = cause.__cause__
    return "\n".join(parts)


def _first_sentence(message: str) -> str:
    """Without the places of a stack trace."""
    lines = [line.strip() for line in message.splitlines()]
    of_java = [
        line for line in lines if re.match(r"(: |Caused by: )?(java|scala|org|io)\.[\w.$]+(Exception|Error): ", line)
    ]
    first = (of_java or [line for line in lines if line and not line.startswith(("at ", "File ", "Traceback"))])[
        -1 if of_java else 0
    ]
    return re.sub(r"^(: |Caused by: |\w+: (?=\[))", "", first)[:300]
