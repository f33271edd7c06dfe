"""As much of Kubernetes as Spark's driver asks for: an API server that keeps pods of one namespace, refuses what a Role does not
allow, and runs the containers of pods as processes of this machine."""

import contextlib
import json
import os
import signal
import subprocess
import threading
import urllib.parse
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Pod = dict[str, Any]
_VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch"}
_ADDRESS = "127.0.0.1"


@dataclass
class Node:
    """Where containers run: what their image has in its environment, and a folder for what they mount."""

    environment: dict[str, str]
    folder: Path

    def start(self, pod: Pod) -> "subprocess.Popen[bytes]":
        [container] = pod["spec"]["containers"]
        fields = {"metadata.name": pod["metadata"]["name"], "status.podIP": _ADDRESS}
        given = {
            variable["name"]: self._with_mounts(pod, container, variable["value"])
            if "value" in variable
            else fields[variable["valueFrom"]["fieldRef"]["fieldPath"]]
            for variable in container["env"]
            if "value" in variable or "valueFrom" in variable
        }
        with (self.folder / f"{pod['metadata']['name']}.log").open("wb") as log:
            return subprocess.Popen(
                [*container["command"], *container["args"]],
                env=self.environment | given,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _with_mounts(self, pod: Pod, container: dict[str, Any], value: str) -> str:
        for mount in container["volumeMounts"]:
            if value == mount["mountPath"]:
                folder = self.folder / pod["metadata"]["name"] / mount["name"]
                folder.mkdir(parents=True, exist_ok=True)
                return str(folder)
        return value


@dataclass
class KubernetesApi:
    namespace: str
    # Verbs by resource.
    allowed: dict[str, set[str]]
    node: Node
    pods: dict[str, Pod] = field(default_factory=dict)
    # Pods as they were created, with those that are gone.
    created: list[Pod] = field(default_factory=list)
    used: set[tuple[str, str]] = field(default_factory=set)
    refused: list[tuple[str, str]] = field(default_factory=list)
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)
    _events: list[dict[str, Any]] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _is_open: bool = True

    def __post_init__(self) -> None:
        self._server = ThreadingHTTPServer((_ADDRESS, 0), type("Handler", (_Handler,), {"api": self}))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def master(self) -> str:
        return f"k8s://http://{_ADDRESS}:{self._server.server_port}"

    def close(self) -> None:
        with self._changed:
            self._is_open = False
            self._changed.notify_all()
        for process in self.processes.values():
            _kill(process)
        self._server.shutdown()
        self._server.server_close()

    def is_allowed(self, verb: str, resource: str) -> bool:
        if verb in self.allowed.get(resource, ()):
            self.used.add((verb, resource))
            return True
        self.refused.append((verb, resource))
        return False

    def add(self, pod: Pod, *, is_running: bool = False) -> Pod:
        name = pod["metadata"]["name"]
        pod["metadata"] |= {
            "namespace": self.namespace,
            "uid": str(uuid.uuid4()),
            "creationTimestamp": "2026-01-01T00:00:00Z",
        }
        pod["status"] = _running() if is_running else {"phase": "Pending"}
        self._record("ADDED", pod)
        if not is_running:
            self.created.append(pod)
            process = self.processes[name] = self.node.start(pod)
            self._record("MODIFIED", pod | {"status": _running()})
            threading.Thread(target=self._follow, args=(name, process), daemon=True).start()
        return self.pods[name]

    def delete(self, name: str) -> Pod:
        if name in self.processes:
            _kill(self.processes[name])
        pod = self.pods[name]
        self._record("DELETED", pod)
        return pod

    def kill(self, name: str) -> None:
        """As the kernel does with a container that takes too much memory."""
        _kill(self.processes[name])

    def selected(self, selector: str) -> list[Pod]:
        return [pod for pod in list(self.pods.values()) if is_selected(pod, selector)]

    def events_after(self, number: int) -> list[dict[str, Any]]:
        """Waits for one. Empty when the server is closed."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._events) > number or not self._is_open)
            return self._events[number:] if self._is_open else []

    @property
    def version(self) -> int:
        return len(self._events)

    def _follow(self, name: str, process: "subprocess.Popen[bytes]") -> None:
        code = process.wait()
        if name in self.pods:
            ended = {"terminated": {"exitCode": code}}
            phase = "Failed" if code else "Succeeded"
            self._record("MODIFIED", self.pods[name] | {"status": _status(phase, ended, is_ready=False)})

    def _record(self, kind: str, pod: Pod) -> None:
        with self._changed:
            metadata = pod["metadata"] | {"resourceVersion": str(len(self._events) + 1)}
            pod = {"apiVersion": "v1", "kind": "Pod"} | pod | {"metadata": metadata}
            self._events.append({"type": kind, "object": pod})
            if kind == "DELETED":
                self.pods.pop(metadata["name"], None)
            else:
                self.pods[metadata["name"]] = pod
            self._changed.notify_all()


class _Handler(BaseHTTPRequestHandler):
    api: KubernetesApi
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_any(self) -> None:
        url = urllib.parse.urlsplit(self.path)
        query = {key: values[0] for key, values in urllib.parse.parse_qs(url.query).items()}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        prefix = f"/api/v1/namespaces/{self.api.namespace}/"
        resource, _, name = url.path.removeprefix(prefix).partition("/")
        watched = query.get("fieldSelector", "").removeprefix("metadata.name=")
        if self.command == "GET":
            verb = "watch" if query.get("watch") == "true" else "get" if name else "list"
        elif self.command == "DELETE":
            verb = "delete" if name else "deletecollection"
        else:
            verb = _VERBS[self.command]
        if not url.path.startswith(prefix) or not self.api.is_allowed(verb, resource):
            self._answer(
                403, {"kind": "Status", "status": "Failure", "code": 403, "message": f"{verb} {url.path} is forbidden"}
            )
        elif name and name not in self.api.pods:
            self._answer(404, {"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"})
        elif verb == "watch" and "Upgrade" in self.headers:
            # Not by web socket: the client then asks for a stream of lines.
            self._answer(200, {"kind": "Status"})
        elif verb == "watch":
            self._stream(query, name or watched)
        elif verb == "create":
            self._answer(201, self.api.add(json.loads(body)))
        elif verb == "delete":
            self._answer(200, self.api.delete(name))
        elif verb == "deletecollection":
            for pod in self.api.selected(query.get("labelSelector", "")):
                self.api.delete(pod["metadata"]["name"])
            self._answer(200, {"kind": "Status", "status": "Success"})
        elif verb == "get":
            self._answer(200, self.api.pods[name])
        else:
            found = self.api.selected(query.get("labelSelector", ""))
            found = [pod for pod in found if watched in ("", pod["metadata"]["name"])]
            self._answer(
                200,
                {
                    "kind": "PodList",
                    "apiVersion": "v1",
                    "metadata": {"resourceVersion": str(self.api.version)},
                    "items": found,
                },
            )

    do_GET = do_POST = do_DELETE = do_PATCH = do_PUT = do_any  # noqa: N815

    def _answer(self, code: int, content: dict[str, Any]) -> None:
        body = json.dumps({"apiVersion": "v1"} | content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, query: dict[str, str], name: str) -> None:
        """The changes since a version, or what is there and its changes, a line each, until the client hangs up."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        seen = int(query.get("resourceVersion") or self.api.version)
        events = (
            [] if "resourceVersion" in query else [{"type": "ADDED", "object": pod} for pod in self.api.selected("")]
        )
        with contextlib.suppress(OSError):
            while True:
                for event in events:
                    pod = event["object"]
                    if name in ("", pod["metadata"]["name"]) and is_selected(pod, query.get("labelSelector", "")):
                        line = json.dumps(event).encode() + b"\n"
                        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                        self.wfile.flush()
                if not (events := self.api.events_after(seen)):
                    return
                seen += len(events)


def is_selected(pod: Pod, selector: str) -> bool:
    """By `key=value` and `key!=value`, all of which have to hold."""
    labels = pod["metadata"].get("labels", {})
    conditions = [condition.partition("=") for condition in selector.split(",") if condition]
    return all((labels.get(key.removesuffix("!")) == value) != key.endswith("!") for key, _, value in conditions)


def _running() -> dict[str, Any]:
    return _status("Running", {"running": {"startedAt": "2026-01-01T00:00:00Z"}}, is_ready=True)


def _status(phase: str, state: dict[str, Any], *, is_ready: bool) -> dict[str, Any]:
    ready = {"type": "Ready", "status": str(is_ready)}
    container = {"name": "executor", "image": "", "imageID": "", "restartCount": 0, "ready": is_ready, "state": state}
    return {"phase": phase, "podIP": _ADDRESS, "conditions": [ready], "containerStatuses": [container]}


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
