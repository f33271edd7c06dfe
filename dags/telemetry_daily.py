"""
### Lagoon, once a UTC day

`bronze → build → report → alert` for the day of delivery that has just ended; `build` is silver, validated, and then gold. Every task is a command: copy it from the
task's *Rendered Templates* and run it in the project's folder.

**Schedule.** `CronDataIntervalTimetable("0 0 * * *", UTC)`: the data interval of a run is one UTC day D, `00:00` to
`00:00`, and the run starts when D is over. D is the *day of delivery*, so by then it is complete, except for files that are
still being copied: they have grown when the next run looks, and are parsed again then. A run ingests D **and every earlier
delivery or late file that the lake does not hold yet**, so there is nothing to catch up (`catchup=False`): after three days
without a run, one run ingests all three.

**History.** With `LAGOON_FIRST_DAY` there is a run for each day since then (`catchup`), with `LAGOON_LAST_DAY` none after it.
`airflow backfill create --dag-id telemetry_daily --from-date D --to-date D` processes days again, both ends included.

**One writer.** `max_active_runs=1`, and the tasks run one after another: one process at a time writes a lake. A backfill
has a limit of its own, 10 runs at once unless `--max-active-runs 1` is given; give the tasks a pool with one slot
(`airflow pools set lagoon 1 lake; export LAGOON_POOL=lagoon`), and they wait for each other. Without it nothing is lost
either: a command that finds the lake locked exits with 3 and is retried.

**Another day or lake.** Trigger with parameters (*Trigger*, or `airflow dags trigger telemetry_daily --conf
'{"day": "2026-07-14"}'`). Without `day`, a manually triggered run processes the day of its data interval, or yesterday if
it has none. Processing a day again builds the same tables.

| exit code of the command | meaning | the task |
| --- | --- | --- |
| 0 | done | succeeds |
| 1 | done, but data was halted or a check failed | fails at once: the same data would fail again |
| 2 | wrong call or settings | fails at once: a person has to change something |
| 3, or killed, or timed out | could not run | retries twice, after about 5 and 10 minutes |

**A failed layer does not stop the next one.** A halted cluster must not delay the others, and each layer uses what the
layer before has published as a whole. `layer_failed` then fails the run, so that it is shown as failed. Start with the first
failed task: its log ends in one sentence that says what to do. After the fix, clear that task with everything downstream
of it.
"""

import os
from datetime import UTC, datetime, timedelta

from airflow.sdk import DAG, Asset, CronDataIntervalTimetable, TriggerRule
from lagoon_tasks import FILTERS, LagoonCommand, default_args, late_run, layer, params

GOLD = Asset("lagoon_gold", uri="lagoon://lake/gold")
FIRST_DAY = os.environ.get("LAGOON_FIRST_DAY")
LAST_DAY = os.environ.get("LAGOON_LAST_DAY")


def midnight(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


with DAG(
    dag_id="telemetry_daily",
    description="Consumer telemetry of one day of delivery: landing → bronze → silver and gold → report → alert",
    doc_md=__doc__,
    schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"),
    start_date=midnight(FIRST_DAY or "2020-01-01"),
    end_date=midnight(LAST_DAY) if LAST_DAY else None,
    catchup=bool(FIRST_DAY),
    max_active_runs=1,
    deadline=late_run(),
    tags=["lagoon", "kafka", "daily"],
    params=params(),
    default_args=default_args(),
    user_defined_filters=FILTERS,
):
    # All sources in one command: a task for each would start Spark three times, to write one lake one after another.
    bronze = layer(
        "bronze",
        timedelta(hours=3),
        """Parses the files of the day, and late files of earlier days, into `bronze.*`.

- **exit 1**: a file was rejected or could be parsed only in part. The log names it; all other files were ingested.
  Correct the file and deliver it again: it is known by its content, so nothing has to be removed.
- **exit 2**: the settings file was not found, or a setting is wrong: the log names it.
- **exit 3**: no landing folder, no Java, no disk space, or another run on this lake. `lagoon doctor` reports which, and
  what to do.
- **timed out**: many new files, for example a first run over months. Run `lagoon run` by hand once, then clear the task.
- Only one source: `lagoon bronze --source group_logs --day D` (`offset_dumps`, `lag_metrics`).
""",
        trigger_rule=TriggerRule.ALL_SUCCESS,
    )
    # Silver and gold in one command: Spark starts once, and gold finds a JVM that has already compiled what it needs.
    build = layer(
        "build",
        timedelta(hours=7),
        """Rebuilds the event days that the deliveries have rows of, validates each row (`silver.*`, `quality.*`), and builds
`gold.*` of them with dbt.

- **exit 1**: a delivery was halted. The rules that it breaks: `lagoon sql "select rule, table_name, cluster, broken,
  action from quality.rule_results where not passed and day = 'D'"`; the rows: `quality.rejected_rows`. A halted cluster
  keeps its gold as it was, and all others are built. Runs of later days name it in their log and succeed. Correct the
  delivery, then clear this task with everything downstream.
- **exit 1**, and the log names a dbt test: either the model in `dbt_project/models/gold` or its input is wrong. Look at the
  results of silver first.
- **exit 2**: see bronze.
- **exit 3**: see bronze. If a model failed, the log contains its name and Spark's error. After a kill there is nothing to clean
  up: a day is published as a whole or not at all.
- Only one of the two: `lagoon silver --day D`, `lagoon gold --day D`.
""",
        outlets=[GOLD],
    )
    report = layer(
        "report",
        timedelta(minutes=30),
        """Prints the day's findings into this task's log, and writes the day as an HTML file into `<lake>/reports/`.

- **exit 1**: the findings leave out data that was halted: the log of `build` names it.
- **exit 2** and **exit 3**: see bronze. The tables are complete: only the report failed.
""",
    )
    alert = layer(
        "alert",
        timedelta(minutes=15),
        """Sends what is new, worse or over to the channels of the settings (`lagoon alerts list` shows what is open).

- **exit 2**: see bronze.
- **exit 3**: the lake can't be read or written. A channel that does not answer is no failure: the next run tries again.
""",
    )
    layer_failed = LagoonCommand(
        task_id="layer_failed",
        bash_command="echo 'A layer of this run failed: look at the first failed task, its notes say what to do.'; exit 1",
        execution_timeout=timedelta(minutes=5),
        trigger_rule=TriggerRule.ONE_FAILED,
        doc_md="""Fails if a layer failed, else it is skipped. Without it a run would succeed if only its last layer does.

Nothing to do here: open the first failed task of the run.
""",
    )
    bronze >> build >> report >> alert
    [bronze, build, report, alert] >> layer_failed
