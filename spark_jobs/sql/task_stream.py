"""Streams a DataFrame from its tasks to this process: each task sends its partition through a socket, a record batch at a
time, and waits while nobody reads. So a result may be larger than memory and disk, and its first rows arrive early."""

import functools
import io
import shutil
import socket
import tempfile
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
from pyspark import SparkContext, TaskContext
from pyspark.sql import DataFrame

_JOB_GROUP = "lagoon sql"
_SECONDS_TO_ACCEPT = 0.1
_HEADER_BYTES = 4

_Stream = io.BufferedReader | io.BufferedRandom


def stream_batches(frame: DataFrame) -> Iterator[pa.RecordBatch]:
    """The record batches of the frame in its order. Tasks have to run on this machine."""
    context = frame.sparkSession.sparkContext
    folder = tempfile.mkdtemp(prefix="lagoon-sql-")
    address = str(Path(folder) / "rows")
    with socket.socket(socket.AF_UNIX) as server, ThreadPoolExecutor(1) as pool:
        server.bind(address)
        server.listen()
        server.settimeout(_SECONDS_TO_ACCEPT)
        connections = TaskConnections(server, pool.submit(_run_job, frame, address), _slots(context))
        try:
            yield from connections.batches()
        finally:
            connections.close()
            context.cancelJobGroup(_JOB_GROUP)
            shutil.rmtree(folder)


def _run_job(frame: DataFrame, address: str) -> None:
    frame.sparkSession.sparkContext.setJobGroup(_JOB_GROUP, _JOB_GROUP, interruptOnCancel=True)
    frame.mapInArrow(functools.partial(_send_partition, address=address), frame.schema).collect()


def _send_partition(batches: Iterator[pa.RecordBatch], address: str) -> Iterator[pa.RecordBatch]:
    """Runs in a task. Sends the number of the partition, then its rows as an Arrow stream."""
    context = TaskContext.get()
    assert context is not None
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        with connection.makefile("wb") as stream:
            stream.write(context.partitionId().to_bytes(_HEADER_BYTES))
            first = next(batches, None)
            if first is not None:
                with pa.ipc.new_stream(stream, first.schema) as writer:
                    writer.write_batch(first)
                    for batch in batches:
                        writer.write_batch(batch)
    yield from ()


class TaskConnections:
    """Connections of tasks, which arrive in any order, read in the order of their partitions."""

    def __init__(self, server: socket.socket, job: Future[None], slots: int) -> None:
        self._server = server
        self._job = job
        self._slots = slots
        self._next = 0
        self._waiting: dict[int, _Stream] = {}
        self._read_ahead: dict[int, _Stream] = {}

    def batches(self) -> Iterator[pa.RecordBatch]:
        while True:
            stream = self._waiting.pop(self._next, None) or self._read_ahead.pop(self._next, None)
            if stream is not None:
                with stream:
                    yield from self._batches_of(stream)
                self._next += 1
            elif not self._accept():
                break
        self._job.result()

    def close(self) -> None:
        for stream in (*self._waiting.values(), *self._read_ahead.values()):
            stream.close()

    def _accept(self) -> bool:
        """Waits a moment for a connection. False if the job has ended and all connections are accepted."""
        ended = self._job.done()
        try:
            connection, _ = self._server.accept()
        except TimeoutError:
            return not ended
        with connection:
            stream = connection.makefile("rb")
        header = stream.read(_HEADER_BYTES)
        if len(header) == _HEADER_BYTES:  # Less from a task that failed.
            self._waiting[int.from_bytes(header)] = stream
        if len(self._waiting) == self._slots and self._next not in self._waiting:
            self._read_first_ahead()
        return True

    def _read_first_ahead(self) -> None:
        """All tasks wait for the next partition, which has no task yet: makes room for it."""
        partition = min(self._waiting)
        file = self._read_ahead[partition] = tempfile.TemporaryFile()  # noqa: SIM115 - closed when read
        with self._waiting.pop(partition) as stream:
            shutil.copyfileobj(stream, file)
        file.seek(0)

    def _batches_of(self, stream: _Stream) -> Iterator[pa.RecordBatch]:
        try:
            if not stream.peek(1):
                return
            with pa.ipc.open_stream(stream) as reader:
                yield from reader
        except (pa.ArrowInvalid, OSError):
            # The stream of a task that failed ends early. Its error says why.
            self._job.result()
            raise


def _slots(context: SparkContext) -> int:
    """How many tasks run at the same time."""
    scheduler = context._jsc.sc()
    return int(scheduler.maxNumConcurrentTasks(scheduler.resourceProfileManager().defaultResourceProfile()))
