"""`lagoon upkeep` and `lagoon erase`: what is kept of a lake, and what is forgotten."""

import datetime as dt
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from spark_jobs.command_options import Config, Lake, Landing
from spark_jobs.errors import UsageError

if TYPE_CHECKING:
    from spark_jobs.settings import Settings
    from spark_jobs.store.lease import Lease

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and change nothing.")]


def upkeep(dry_run: DryRun = False, landing: Landing = None, lake: Lake = None, config: Config = None) -> None:
    """Delete what the settings no longer keep and files of old versions, and merge small files. Says first what goes."""
    from spark_jobs.alerts.alert_store import hold_alerts_lock
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.write_lock import hold_write_lock
    from spark_jobs.progress import Progress
    from spark_jobs.run_log import open_log
    from spark_jobs.settings import load
    from spark_jobs.upkeep.keep_lake import keep_lake

    settings, now = load(file=config, landing=landing, lake=lake), dt.datetime.now(dt.UTC)
    _require_lake(settings)
    output = Progress().output
    with as_user_errors(settings):
        if dry_run:
            keep_lake(settings, output, now=now, dry_run=True)
            return
        with (
            hold_write_lock(settings.lake, settings.store) as lease,
            hold_alerts_lock(settings) as alerts_lease,
            open_log(settings, sys.argv[1:]),
        ):
            if lease is not None:
                # What is old in a store is so by its own clock. A clock that is ahead would delete too much.
                now = min(now, lease.store_time())
            keep_lake(settings, output, now=now, dry_run=False, require_lock=_require_both(lease, alerts_lease))


def erase(
    group: Annotated[str | None, typer.Option(help="A consumer group.", metavar="GROUP")] = None,
    client_id: Annotated[str | None, typer.Option(help="A client id.", metavar="ID")] = None,
    client_host: Annotated[str | None, typer.Option(help="A host of clients.", metavar="HOST")] = None,
    dry_run: DryRun = False,
    landing: Landing = None,
    lake: Lake = None,
    config: Config = None,
) -> None:
    """Remove one group, client or host from every table, file and old version of the lake, and record that it was done."""
    from spark_jobs.alerts.alert_store import hold_alerts_lock
    from spark_jobs.failure_causes import as_user_errors
    from spark_jobs.lake.write_lock import hold_write_lock
    from spark_jobs.progress import Progress
    from spark_jobs.settings import load
    from spark_jobs.upkeep.erase_lake import erase_lake
    from spark_jobs.upkeep.erased_value import ErasedValue

    named_options = {"group": group, "client_id": client_id, "client_host": client_host}
    named = {kind: value for kind, value in named_options.items() if value is not None}
    if len(named) != 1:
        raise UsageError("erase takes one of --group, --client-id and --client-host", "Name what to erase")
    [(kind, value)] = named.items()
    if not value.strip("/"):
        raise UsageError(f"--{kind.replace('_', '-')} is empty", "Name what to erase")
    settings = load(file=config, landing=landing, lake=lake)
    _require_lake(settings)
    progress = Progress()
    # Neither the words of this call nor what it prints are logged: they contain the value.
    with as_user_errors(settings):
        if dry_run:
            erase_lake(settings, ErasedValue(kind, value), progress, dry_run=True)
            return
        with (
            hold_write_lock(settings.lake, settings.store) as lease,
            hold_alerts_lock(settings) as alerts_lease,
        ):
            require_lock = _require_both(lease, alerts_lease)
            erase_lake(settings, ErasedValue(kind, value), progress, dry_run=False, require_lock=require_lock)


def _require_both(lease: "Lease | None", alerts_lease: "Lease | None") -> Callable[[], None]:
    """Raises UserError if a lease of the lake in an object store is lost."""

    def require() -> None:
        for each in (lease, alerts_lease):
            if each is not None:
                each.require()

    return require


def _require_lake(settings: "Settings") -> None:
    """Before the lock, which would create the folder."""
    from spark_jobs.lake.lake_version import require_lake

    require_lake(settings.lake, settings.store)
