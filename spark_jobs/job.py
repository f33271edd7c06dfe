"""One call of a command that writes: its settings, its lake and what it has done so far."""

import datetime as dt
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from spark_jobs.lake.catalog import open_to_write
from spark_jobs.lake.ledger import Run
from spark_jobs.lake.location import absolute_uri, local_path
from spark_jobs.lake.tables import Lake
from spark_jobs.lake.write_lock import hold_write_lock
from spark_jobs.landing import Landing, list_landing
from spark_jobs.progress import Progress
from spark_jobs.settings import Settings
from spark_jobs.store.lease import Lease
from spark_jobs.store.object_folder import ObjectFolder
from spark_jobs.store.stored_docs import prepare_docs, publish_docs

if TYPE_CHECKING:
    from expectations import gate
    from expectations.data_docs import Samples
    from expectations.rule import RuleResult

_DOCS = "data_docs"


@dataclass(frozen=True)
class DeliveryDays:
    """Days of delivery that a user chose; None takes whatever is new."""

    chosen: frozenset[dt.date] | None = None

    @staticmethod
    def between(first: dt.date | None, last: dt.date | None) -> "DeliveryDays":
        if first is None or last is None:
            return DeliveryDays()
        return DeliveryDays(frozenset(first + dt.timedelta(number) for number in range((last - first).days + 1)))

    @property
    def until(self) -> dt.date | None:
        return max(self.chosen) if self.chosen else None

    @property
    def forced(self) -> frozenset[dt.date]:
        return self.chosen or frozenset()


@dataclass
class Job:
    settings: Settings
    progress: Progress
    # Of a lake in an object store.
    lease: Lease | None = None
    # Whether data was halted or a check failed: the command then exits with 1.
    failed: bool = False
    # Whether the lineage server could not be reached.
    lineage_failed: bool = False
    # Whether there is little to do, so that Spark should start fast rather than run fast.
    small: bool = False
    # The deliveries that this job ingested: clusters and days of delivery.
    ingested: set[tuple[str, dt.date]] = field(default_factory=set)
    _background: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))
    _validator: "Future[gate.Validator] | None" = None

    @cached_property
    def run(self) -> Run:
        return Run.begin(self.lake.clock)

    def list_landing(self) -> Landing:
        return list_landing(self.settings.landing, follow_links=self.settings.follow_links, access=self.settings.store)

    @cached_property
    def lake(self) -> Lake:
        from spark_jobs.spark import session

        with self.progress.step("Spark", "starting"):
            spark = session.start_spark(self.settings, small=self.small)
            return open_to_write(spark, self.settings.lake, self.settings.store, self.lease)

    def import_validator_soon(self) -> None:
        """Imports Great Expectations in the background: it takes as long as starting Spark, so both happen at once."""
        if self._validator is None:
            self._validator = self._background.submit(self.new_validator)

    def validator(self) -> "gate.Validator":
        return self._validator.result() if self._validator else self.new_validator()

    def new_validator(self) -> "gate.Validator":
        """One that wrote Data Docs can't validate any more."""
        from expectations import gate

        return gate.Validator(str(self.docs_folder))

    @cached_property
    def docs_folder(self) -> Path:
        """Where Data Docs are written: in the lake, or, if that is in a store, in a folder of which they are copied."""
        lake = local_path(self.settings.lake)
        return lake.absolute() / _DOCS if lake is not None else Path(tempfile.mkdtemp(prefix="lagoon-docs-"))

    def write_docs(self, validator: "gate.Validator", results: Iterable["RuleResult"], samples: "Samples") -> None:
        written = list(results)
        if local_path(self.settings.lake) is not None or not written:
            validator.write_docs(written, samples)
            return
        stored = ObjectFolder(f"{absolute_uri(self.settings.lake)}/{_DOCS}", self.settings.store)
        prepare_docs(self.docs_folder, stored)
        validator.write_docs(written, samples)
        publish_docs(self.docs_folder, stored)


@contextmanager
def open_job(settings: Settings, progress: Progress) -> Iterator[Job]:
    """Opens a job that is the only one to write the lake until the context closes."""
    with hold_write_lock(settings.lake, settings.store) as lease:
        yield Job(settings, progress, lease=lease)
