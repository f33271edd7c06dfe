"""A webhook on loopback that does what a test says: accepts, refuses, hangs or dies in the middle."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

ACCEPT, REFUSE, HANG, DIE, REDIRECT = "accept", "refuse", "hang", "die", "redirect"


class Received(NamedTuple):
    headers: dict[str, str]
    body: bytes
    behaviour: str

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def key(self) -> str:
        return self.headers["Idempotency-Key"]


class WebhookServer:
    """`behaviours` are those of the next requests; afterwards it accepts."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/hook/very-secret-token"
        self.behaviours: list[str] = []
        self.received: list[Received] = []
        self.released = threading.Event()

    @property
    def accepted(self) -> list[Received]:
        return [each for each in self.received if each.behaviour == ACCEPT]


@contextmanager
def webhook_server() -> Iterator[WebhookServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:
                return  # Who sent it was killed half-way.
            behaviour = state.behaviours.pop(0) if state.behaviours else ACCEPT
            state.received.append(Received(dict(self.headers), body, behaviour))
            if behaviour == HANG:
                state.released.wait(60)
            if behaviour in (HANG, DIE):
                self.connection.close()
                return
            self.send_response({ACCEPT: 204, REFUSE: 500, REDIRECT: 307}[behaviour])
            if behaviour == REDIRECT:
                self.send_header("Location", f"{state.url}/elsewhere")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state = WebhookServer(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        state.released.set()
        server.shutdown()
        server.server_close()
