"""`lagoon thrift-server` on a lake, for as long as a test needs it."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from support.free_ports import free_ports

LAGOON = Path(sys.executable).parent / "lagoon"


@contextlib.contextmanager
def thrift_server(lake: str | Path) -> Iterator[int]:
    """The port on which it answers."""
    [port] = free_ports(1)
    server = subprocess.Popen(
        [LAGOON, "thrift-server", "--port", str(port), "--lake", lake],
        env=os.environ | {"LAGOON_SPARK_DRIVER_MEMORY": "1g"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        assert str(lake) in server.stdout.readline()
        assert server.stdout.readline().strip() == f"jdbc:hive2://127.0.0.1:{port}/gold"
        yield port
    finally:
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=60)
