"""Ports for servers that a test starts."""

import os
import socket

_FIRST_PORT, _PORTS = 11_000, 20_000


def free_ports(count: int) -> list[int]:
    """Ports that nobody uses. They are below those that the system gives to connections, so that none takes one of them
    before the server does, and another test run begins its search elsewhere."""
    ports: list[int] = []
    port = _FIRST_PORT + os.getpid() * 10 % _PORTS
    while len(ports) < count:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)):
                ports.append(port)
        port = _FIRST_PORT + (port + 1 - _FIRST_PORT) % _PORTS
    return ports
