"""
### Lagoon, once a week: keep the lake small

`lagoon upkeep` deletes days that the settings no longer keep, merges small files and removes the files of old versions. It says
first what goes: the log of the task has every step with its size. `lagoon upkeep --dry-run` says the same and changes nothing.

**Schedule.** `CronDataIntervalTimetable("0 12 * * 0", UTC)`: Sundays at noon, when the run of the day is long over. There is
nothing to catch up (`catchup=False`): one run does what earlier ones missed.

**One writer.** The command refuses to start while another process writes the lake (exit code 3, and is retried), and runs refuse to
start while it works. With the pool of `telemetry_daily` (`LAGOON_POOL`, one slot) they wait for each other.

| exit code of the command | meaning | the task |
| --- | --- | --- |
| 0 | done | succeeds |
| 2 | wrong call or settings | fails at once: a person has to change something |
| 3, or killed, or timed out | could not run | retries twice; what a killed one left undone the next one does |
"""

from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, CronDataIntervalTimetable
from lagoon_tasks import FILTERS, LAGOON, OPTIONS, POOL, LagoonCommand, alert_of_failure, default_args, params

with DAG(
    dag_id="lake_upkeep",
    description="Deletes what is no longer kept, merges small files, removes old versions",
    doc_md=__doc__,
    schedule=CronDataIntervalTimetable("0 12 * * 0", timezone="UTC"),
    start_date=datetime(2020, 1, 1, tzinfo=UTC),
    catchup=False,
    max_active_runs=1,
    tags=["lagoon", "kafka", "weekly"],
    params=params(),
    default_args=default_args(),
    user_defined_filters=FILTERS,
):
    LagoonCommand(
        task_id="upkeep",
        bash_command=f"{LAGOON} upkeep{OPTIONS}",
        execution_timeout=timedelta(hours=2),
        pool=POOL,
        on_failure_callback=alert_of_failure,
        doc_md="""Keeps the lake small: see the notes of the DAG.

- **exit 2**: a setting of `[upkeep]` is wrong: the log names it.
- **exit 3**: a run is writing the lake. Clear the task when the run is over.
""",
    )
