"""A proxy before an object store that answers 503, waits, hangs up, or calls a test at a request."""

import http.client
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SLOW_DOWN = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
_BLOCK = 64 << 10


@dataclass
class Faults:
    """What goes wrong. All of it may be changed while the proxy runs."""

    # Each request of this number, and its multiples, is answered with 503; 0: none.
    refuse_every: int = 0
    seconds_of_delay: float = 0.0
    # Are called with method and path of each request: before it is sent on, and when the first part of its answer has been.
    before: Callable[[str, str], None] = field(default=lambda _method, _path: None)
    half_way: Callable[[str, str], None] = field(default=lambda _method, _path: None)
    requests: int = 0
    refused: int = 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    # Of connections that wait: the system lets further ones wait for a second.
    request_queue_size = 100


class FaultyProxy:
    def __init__(self, port: int) -> None:
        self.faults = Faults()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _handler(port, self))
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def refuses(self) -> bool:
        """Whether the next request is answered with 503."""
        with self._lock:
            self.faults.requests += 1
            every = self.faults.refuse_every
            refused = every > 0 and self.faults.requests % every == 0
            self.faults.refused += refused
        time.sleep(self.faults.seconds_of_delay)
        return refused


def _handler(port: int, proxy: FaultyProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            """The tests say what happened."""

        def _pass_on(self) -> None:
            is_chunked = "chunked" in self.headers.get("Transfer-Encoding", "")
            body = self._chunks() if is_chunked else self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if proxy.refuses():
                self.send_response(503)
                self.send_header("Content-Length", str(len(_SLOW_DOWN)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(_SLOW_DOWN)
                return
            proxy.faults.before(self.command, self.path)
            store = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            try:
                store.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    # The proxy has answered it.
                    if name.lower() != "expect":
                        store.putheader(name, value)
                store.endheaders(body)
                self._answer(store.getresponse())
            finally:
                store.close()

        def _chunks(self) -> bytes:
            """A body of chunks as it came, with its trailers."""
            lines = []
            while (size := int((line := self.rfile.readline()).partition(b";")[0], 16)) > 0:
                lines += [line, self.rfile.read(size + len(b"\r\n"))]
            lines.append(line)
            while lines[-1] not in (b"\r\n", b"\n", b""):
                lines.append(self.rfile.readline())
            return b"".join(lines)

        def _answer(self, answer: http.client.HTTPResponse) -> None:
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() != "transfer-encoding":
                    self.send_header(name, value)
            is_chunked = answer.getheader("Content-Length") is None
            if is_chunked:
                self.send_header("Connection", "close")
                self.close_connection = True
            self.end_headers()
            first = True
            while block := answer.read(_BLOCK):
                self.wfile.write(block)
                if first:
                    self.wfile.flush()
                    proxy.faults.half_way(self.command, self.path)
                    first = False

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = _pass_on  # noqa: N815

    return Handler
