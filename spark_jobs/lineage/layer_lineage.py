"""A step of `lagoon run` that sends what it reads and writes to an OpenLineage server, if `lineage.url` is set."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec

from spark_jobs.job import Job

P = ParamSpec("P")


def sends_lineage(layer: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """For a function whose first argument is the job. A server that can't be reached fails no run: it is said once, and the rest is not sent."""

    def decorate(step: Callable[P, None]) -> Callable[P, None]:
        @wraps(step)
        def with_lineage(*arguments: P.args, **options: P.kwargs) -> None:
            job = arguments[0]
            assert isinstance(job, Job)
            if not job.settings.text("lineage.url") or job.lineage_failed:
                return step(*arguments, **options)
            from spark_jobs.lineage.server import LineageServer
            from spark_jobs.lineage.written_tables import written_tables

            server = LineageServer(job.settings, layer)
            _send(job, server.start)
            try:
                step(*arguments, **options)
            except BaseException as error:
                message = str(error) or type(error).__name__
                _send(job, lambda: server.fail(message))
                raise

            def send_tables() -> None:
                for table in written_tables(job, layer):
                    server.table(table)
                server.complete()

            _send(job, send_tables)
            return None

        return with_lineage

    return decorate


def _send(job: Job, send: Callable[[], None]) -> None:
    if job.lineage_failed:
        return
    try:
        send()
    except Exception as error:  # Whatever the client or the server does, the tables are complete.
        job.lineage_failed = True
        job.progress.warn(
            f"Lineage could not be sent to {job.settings.text('lineage.url')} ({type(error).__name__}). The tables are not "
            "affected; it is sent again with the next run."
        )
