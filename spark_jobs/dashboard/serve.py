"""`lagoon dashboard`: serves the pages of one lake until it is interrupted."""

import ipaddress
import secrets
import socket
import threading
import webbrowser

import uvicorn
from rich.console import Console

from spark_jobs.dashboard.application import Dashboard
from spark_jobs.dashboard.panel_answers import PanelAnswers
from spark_jobs.errors import UsageError
from spark_jobs.lake.lake_folder import lake_folder
from spark_jobs.printing import print_command, print_line
from spark_jobs.settings import Settings

_LOOPBACK_NAMES = frozenset(("127.0.0.1", "localhost", "::1"))
_SHORTEST_TOKEN = 16


def serve(settings: Settings, *, host: str, port: int, open_browser: bool, output: Console) -> None:
    """Serves on the address. Port 0 is any free port. An address that others can reach needs a token."""
    answers = PanelAnswers(
        settings.lake, settings.text("sql.memory"), settings.integer("dashboard.seconds"), settings.store
    )
    # There is a lake.
    answers.engine()
    loopback = is_loopback(host)
    chosen_token = settings.text("dashboard.token")
    if chosen_token and len(chosen_token) < _SHORTEST_TOKEN:
        raise UsageError(
            f"dashboard.token has fewer than {_SHORTEST_TOKEN} characters",
            "Choose a longer one, or leave it out: then each start makes one",
        )
    token = None if loopback else chosen_token or secrets.token_urlsafe(24)
    hosts = _LOOPBACK_NAMES | {host} if loopback else None
    dashboard = Dashboard(answers, lake_folder(settings), token=token, hosts=hosts)
    listening = _listen(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}/"
    if chosen_token and token:
        # Who may read the log of a container may not yet read the lake.
        address += "?token=<dashboard.token of your settings>"
    elif token:
        address += f"?token={token}"
    print_line(output, f"The dashboards of {settings.lake} (Ctrl-C ends them):")
    # In one piece, so that it can be clicked and copied.
    print_command(output, address, indent=0)
    if open_browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    config = uvicorn.Config(dashboard.application(), log_level="warning", lifespan="off", server_header=False)
    uvicorn.Server(config).run(sockets=[listening])


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen()
    except (OSError, OverflowError) as error:
        raise UsageError(f"the dashboard can't listen on {host} port {port}", "Name a free one with --port") from error
    return listening
