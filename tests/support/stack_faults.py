"""What goes wrong in a running stack. Each function returns when it is over."""

import os
import signal
import subprocess
import time

from support.lagoon_stack import LagoonStack

WORKER = "spark-store-worker"
_SECONDS_WITHOUT_STORE = 60
_SECONDS_WITHOUT_NETWORK = 30


def store_is_gone_for_a_minute(stack: LagoonStack) -> None:
    stack.compose("stop", "store")
    time.sleep(_SECONDS_WITHOUT_STORE)
    stack.compose("start", "store")
    stack.wait_for_health()


def worker_is_killed(stack: LagoonStack) -> None:
    """As by a lack of memory: its container ends, and Docker starts it again."""
    killed = stack.containers()[WORKER]
    os.kill(killed["State"]["Pid"], signal.SIGKILL)
    stack.wait_for_restart(killed)
    stack.wait_for_health()


def worker_has_no_network_for_30_seconds(stack: LagoonStack) -> None:
    """Nothing is refused: what is sent to it and by it gets lost."""
    inside = ["nsenter", "--net", "--target", str(stack.containers()[WORKER]["State"]["Pid"])]
    for state, seconds in (("down", _SECONDS_WITHOUT_NETWORK), ("up", 0)):
        subprocess.run([*inside, "ip", "link", "set", "eth0", state], check=True)
        time.sleep(seconds)


def postgres_is_restarted(stack: LagoonStack) -> None:
    stack.compose("restart", "--timeout", "60", "postgres")
    stack.wait_for_health()
