"""Writes what Airflow knows about `dags/` as JSON. test_dags.py runs it with Airflow's Python: `dag_facts.py FILE`."""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

from airflow.configuration import conf
from airflow.dag_processing.dagbag import BundleDagBag
from airflow.sdk import DAG, BaseOperator
from airflow.sdk.exceptions import AirflowException
from airflow.serialization.encoders import coerce_to_core_timetable


def dag_facts(dag: DAG) -> dict[str, object]:
    timetable = coerce_to_core_timetable(dag.timetable)
    interval = timetable.infer_manual_data_interval(run_after=datetime(2026, 7, 15, 9, 30, tzinfo=UTC))
    return {
        "timetable": type(dag.timetable).__name__,
        "schedule": timetable.serialize(),
        "interval_on_2026_07_15": [interval.start.isoformat(), interval.end.isoformat()],
        "catchup": dag.catchup,
        "first_and_last_day": [day and day.date().isoformat() for day in (dag.start_date, dag.end_date)],
        "params": {name: dag.params[name] for name in dag.params},
        "max_active_runs": dag.max_active_runs,
        "deadline": [
            fact
            for alert in (dag.deadline if isinstance(dag.deadline, list) else [dag.deadline] if dag.deadline else [])
            for fact in (type(alert.reference).__name__, alert.interval.total_seconds(), alert.callback.path)
        ],
        "tags": sorted(dag.tags),
        "doc_md": dag.doc_md,
        "tasks": {task.task_id: task_facts(task) for task in dag.topological_sort()},
    }


def task_facts(task: BaseOperator) -> dict[str, object]:
    return {
        "owner": task.owner,
        "retries": task.retries,
        "seconds_to_retry": task.retry_delay.total_seconds(),
        "backoff": task.retry_exponential_backoff,
        "execution_timeout": task.execution_timeout and task.execution_timeout.total_seconds(),
        "doc_md": task.doc_md,
        "after": sorted(task.upstream_task_ids),
        "outlets": [outlet.uri for outlet in task.outlets],
        "pool": task.pool,
        "links": [link.name for link in task.operator_extra_links],
        "alerts": bool(task.on_failure_callback),
        "trigger_rule": str(task.trigger_rule),
        "command": getattr(task, "bash_command", None),
        "exception_by_exit_code": {code: exception_on_exit(task, code) for code in (1, 2, 3, 99)},
    }


def exception_on_exit(task: BaseOperator, exit_code: int) -> str:
    try:
        type(task)(task_id="exit", bash_command=f"exit {exit_code}").execute({})
    except AirflowException as failure:
        return type(failure).__name__
    return "none"


folder = Path(conf.get("core", "dags_folder"))
bag = BundleDagBag(folder, bundle_path=folder, bundle_name="dags-folder")
facts = {
    "import_errors": dict(bag.import_errors),
    "dags": {dag_id: dag_facts(dag) for dag_id, dag in bag.dags.items()},
}
Path(sys.argv[1]).write_text(json.dumps(facts))
