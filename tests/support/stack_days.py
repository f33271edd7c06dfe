"""Two days of delivery, cut from the recording of Kafka 4.3, and how the Airflow of the stack runs them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.days import deliver_day
from support.lagoon_stack import LagoonStack
from support.local_airflow import wait_for

FIRST_DAY, SECOND_DAY = "2026-11-18", "2026-11-19"
_DAYS = (FIRST_DAY, SECOND_DAY)
_DAG = "telemetry_daily"
_SECONDS_OF_A_RUN = 1500


@dataclass(frozen=True)
class StackDay:
    """A day that the Airflow of the stack has run."""

    state: str
    tasks: dict[str, tuple[str, int]]
    log: str


def deliver(day: str, landing: Path) -> None:
    """Delivers the groups of one offsets partition, and some of the lag reports."""

    def is_delivered(path: Path) -> bool:
        if path.parent.name == "lag":
            return any(time in path.name for time in ("112800Z", "113229Z"))
        return path.parent.name == "__consumer_offsets-2" and "final" in path.parts

    assert str(deliver_day(_DAYS.index(day), landing, include=is_delivered)) == day


def run_scheduled(stack: LagoonStack) -> StackDay:
    """The run that Airflow makes by its schedule."""
    stack.airflow().unpause(_DAG)
    wait_for(lambda: bool(stack.airflow().runs(_DAG)), seconds=120)
    return _finished(stack, next(iter(stack.airflow().runs(_DAG))))


def run_triggered(
    stack: LagoonStack, day: str, *, meanwhile: Callable[[], object] = lambda: None, **parameters: str
) -> StackDay:
    """`meanwhile` is called when the run has been triggered; `parameters` are those of the DAG."""
    run = stack.airflow().trigger(_DAG, day=day, **parameters)
    meanwhile()
    return _finished(stack, run)


def _finished(stack: LagoonStack, run: str) -> StackDay:
    airflow = stack.airflow()
    wait_for(lambda: airflow.runs(_DAG)[run] in ("success", "failed"), seconds=_SECONDS_OF_A_RUN)
    return StackDay(airflow.runs(_DAG)[run], airflow.tasks(_DAG, run), stack.task_log(run))
