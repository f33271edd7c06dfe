"""Two days of delivery, cut from the recording of Kafka 4.3, and how the Airflow of the stack runs them."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from recorded.landing import arrange

from support.lagoon_stack import LagoonStack
from support.local_airflow import wait_for

FIRST_DAY, SECOND_DAY = "2026-11-18", "2026-11-19"
# Times of the lag reports that the first day delivers, and those that the second does.
_REPORT_TIMES = {FIRST_DAY: ("112800Z", "112930Z"), SECOND_DAY: ("113100Z", "113229Z")}
_COPIES = {FIRST_DAY: "at-235s", SECOND_DAY: "final"}


def deliver(landing: Path, day: str, scratch: Path) -> None:
    """Delivers a part of the recording on a day."""

    def is_delivered(path: Path) -> bool:
        if path.parts[0] == "offsets-raw":
            return path.parts[1] == _COPIES[day] and path.parts[2] == "__consumer_offsets-2"
        return path.parts[0] == "lag" and any(time in path.name for time in _REPORT_TIMES[day])

    arrange("kafka-4.3", scratch, include=is_delivered)
    for folder in sorted(scratch.glob("*/cluster=*/date=*")):
        shutil.copytree(folder, landing / folder.parent.relative_to(scratch) / f"date={day}")
    shutil.rmtree(scratch)


@dataclass(frozen=True)
class Day:
    """A day that the Airflow of the stack has run."""

    run: str
    state: str
    tasks: dict[str, tuple[str, int]]
    log: str


def run_day(stack: LagoonStack, day: str) -> Day:
    airflow = stack.airflow()
    airflow.unpause("telemetry_daily")
    run = airflow.trigger("telemetry_daily", day=day)
    wait_for(lambda: airflow.runs("telemetry_daily")[run] in ("success", "failed"), seconds=1200)
    return Day(run, airflow.runs("telemetry_daily")[run], airflow.tasks("telemetry_daily", run), stack.task_log(run))
