"""Reads and writes quality.alerts and quality.silences, one process at a time."""

import contextlib
import fcntl
import os
from collections.abc import Iterator, Sequence

from spark_jobs.alerts import alert as alerts
from spark_jobs.alerts import silences
from spark_jobs.alerts.acknowledged import Acknowledged
from spark_jobs.alerts.alert import Alert
from spark_jobs.alerts.silences import Silence
from spark_jobs.errors import UserError
from spark_jobs.lake.location import local_path
from spark_jobs.lake.small_tables import SmallTables, open_small_tables
from spark_jobs.settings import Settings
from spark_jobs.store.lease import Lease, wait_for_lease
from spark_jobs.store.object_folder import ObjectFolder

_LOCK = ".alerts.lock"


class AlertStore:
    def __init__(self, settings: Settings) -> None:
        self._tables: SmallTables = open_small_tables(settings)
        self.acknowledged = Acknowledged(local_path(settings.lake))

    def alerts(self) -> list[Alert]:
        return self.acknowledged.added_to(self._written())

    def settle(self) -> None:
        """Writes what channels acknowledged while an earlier process was killed. Nobody may be sending."""
        written = self._written()
        if (settled := self.acknowledged.added_to(written)) != written:
            self.write_alerts(settled)
        self.acknowledged.clear()

    def _written(self) -> list[Alert]:
        return [alerts.decoded(row) for row in self._tables.read(alerts.TABLE)]

    def write_alerts(self, rows: Sequence[Alert]) -> None:
        self._tables.replace(alerts.TABLE, [alerts.encoded(alert) for alert in rows])

    def silences(self) -> list[Silence]:
        return [silences.decoded_silence(row) for row in self._tables.read(silences.TABLE)]

    def write_silences(self, rows: Sequence[Silence]) -> None:
        self._tables.replace(silences.TABLE, [silences.encoded_silence(silence) for silence in rows])


def read_alerts(settings: Settings) -> AlertStore:
    """To read only, so it waits for nobody and needs no permission to write."""
    return AlertStore(settings)


@contextlib.contextmanager
def open_alerts(settings: Settings) -> Iterator[AlertStore]:
    """Waits for another process that has them open. It is not the lock of the lake: silences don't wait for a run."""
    with hold_alerts_lock(settings):
        store = AlertStore(settings)
        store.settle()
        yield store


@contextlib.contextmanager
def hold_alerts_lock(settings: Settings) -> Iterator[Lease | None]:
    """For whoever changes the tables of alerts. Waits. Yields the lease of a lake in an object store."""
    lake = local_path(settings.lake)
    if lake is None:
        lease = wait_for_lease(ObjectFolder(settings.lake, settings.store), _LOCK)
        try:
            yield lease
        finally:
            lease.release()
        return
    try:
        handle = os.open(lake / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UserError(
            f"the lake {lake} can't be written ({error.strerror})",
            "Correct the folder's permissions or choose another --lake",
        ) from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield None
    finally:
        os.close(handle)
