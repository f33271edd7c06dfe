"""The OpenLineage server, as one layer of one run talks to it."""

import datetime as dt
import os

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from openlineage.client.facet_v2 import RunFacet, error_message_run, job_type_job, parent_run
from openlineage.client.uuid import generate_new_uuid

from spark_jobs.lineage.datasets import input_dataset, output_dataset
from spark_jobs.lineage.written_tables import WrittenTable
from spark_jobs.settings import Settings

_PRODUCER = "lagoon"
_SECONDS_TO_ANSWER = 5.0


class LineageServer:
    def __init__(self, settings: Settings, layer: str) -> None:
        transport: dict[str, object] = {
            **{"type": "http", "url": settings.text("lineage.url")},
            **{"timeout": _SECONDS_TO_ANSWER, "retry": {"total": 1}},
        }
        if key := os.environ.get("OPENLINEAGE_API_KEY"):
            transport["auth"] = {"type": "api_key", "apiKey": key}
        self._client = OpenLineageClient(config={"transport": transport})
        self._namespace = settings.text("lineage.namespace")
        self._lake = settings.lake
        self._layer = layer
        self._run_id = str(generate_new_uuid())

    def start(self) -> None:
        self._send(RunState.START, self._layer, self._run_id, self._facets_of_layer())

    def fail(self, message: str) -> None:
        error = error_message_run.ErrorMessageRunFacet(message=message, programmingLanguage="python")
        self._send(RunState.FAIL, self._layer, self._run_id, {**self._facets_of_layer(), "errorMessage": error})

    def complete(self) -> None:
        self._send(RunState.COMPLETE, self._layer, self._run_id, self._facets_of_layer())

    def table(self, table: WrittenTable) -> None:
        """One table that the layer wrote."""
        facets: dict[str, RunFacet] = {"parent": _parent(self._namespace, self._layer, self._run_id)}
        self._send(RunState.COMPLETE, table.name, str(generate_new_uuid()), facets, table)

    def _facets_of_layer(self) -> dict[str, RunFacet]:
        """Airflow's task, where one called the command: its id is in the form that the OpenLineage provider gives."""
        caller = os.environ.get("OPENLINEAGE_PARENT_ID", "").split("/")
        return {"parent": _parent(*caller)} if len(caller) == 3 else {}

    def _send(
        self,
        state: RunState,
        job: str,
        run_id: str,
        facets: dict[str, RunFacet],
        table: WrittenTable | None = None,
    ) -> None:
        kind = job_type_job.JobTypeJobFacet(
            processingType="BATCH", integration="LAGOON", jobType="TABLE" if table else "LAYER"
        )
        self._client.emit(
            RunEvent(
                eventType=state,
                eventTime=dt.datetime.now(dt.UTC).isoformat(),
                run=Run(run_id, facets),
                job=Job(self._namespace, job, {"jobType": kind}),
                inputs=[input_dataset(self._lake, each) for each in table.inputs] if table else [],
                outputs=[output_dataset(self._lake, table)] if table else [],
                producer=_PRODUCER,
            )
        )


def _parent(namespace: str, job: str, run_id: str) -> parent_run.ParentRunFacet:
    return parent_run.ParentRunFacet(run=parent_run.Run(run_id), job=parent_run.Job(namespace, job))
