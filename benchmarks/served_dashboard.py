"""A dashboard on a lake, served by a thread of this process."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from spark_jobs.dashboard.application import Dashboard
from spark_jobs.dashboard.panel_answers import PanelAnswers
from spark_jobs.lake.local_folder import LocalFolder


@contextlib.contextmanager
def served(lake: str, *, token: str | None = None) -> Iterator[str]:
    """The address of a dashboard on this lake."""
    answers = PanelAnswers(lake, memory="1GB", seconds=60)
    hosts = frozenset(("127.0.0.1", "localhost"))
    dashboard = Dashboard(answers, LocalFolder(Path(lake)), token=token, hosts=hosts)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = uvicorn.Server(uvicorn.Config(dashboard.application(), log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        while not server.started:  # It closes the socket, and must have it first.
            thread.join(timeout=0.01)
        server.should_exit = True
        thread.join(timeout=10)
