"""What is wrong with an address is said in one sentence; the servers here answer as the wrong kinds of ports do."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from support.free_ports import free_ports

from spark_jobs.collect.client_properties import ClientProperties
from spark_jobs.collect.cluster_client import connected
from spark_jobs.errors import UserError

PLAIN = ClientProperties()
TLS = ClientProperties(protocol="SSL", options={"ssl_context": ssl.create_default_context()})
LOGIN = ClientProperties(
    protocol="SASL_PLAINTEXT",
    mechanism="PLAIN",
    options={"sasl_mechanism": "PLAIN", "sasl_plain_username": "u", "sasl_plain_password": "p"},
)


@contextmanager
def server(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Reads what a client sends first, and answers it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1000)
                    answer(connection)

        threading.Thread(target=serve, daemon=True).start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


def problem(address: str, properties: ClientProperties) -> str:
    with pytest.raises(UserError) as raised, connected(address, properties):
        pass
    return str(raised.value)


def test_nobody_listens() -> None:
    assert "no broker listens at 127.0.0.1:" in problem(f"127.0.0.1:{free_ports(1)[0]}", PLAIN)


def test_a_host_that_is_not_known() -> None:
    assert "the host name of the broker no-such-host.invalid:9092 is not known" in problem(
        "no-such-host.invalid:9092", PLAIN
    )


@pytest.mark.parametrize("properties", [PLAIN, LOGIN], ids=lambda each: each.protocol)
def test_a_port_that_speaks_tls(properties: ClientProperties) -> None:
    """It answers a request without TLS with an alert, here before it closes the connection."""

    def alert(connection: socket.socket) -> None:
        connection.sendall(bytes.fromhex("15030300020250"))
        connection.recv(1)

    with server(alert) as address:
        assert "it may expect TLS. Set security.protocol" in problem(address, properties)


def test_a_port_that_does_not_speak_tls() -> None:
    with server(lambda connection: connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as address:
        assert problem(address, TLS).startswith(f"{address} does not speak TLS.")


@pytest.mark.parametrize("properties", [PLAIN, LOGIN], ids=lambda each: each.protocol)
def test_a_port_that_expects_something_else(properties: ClientProperties) -> None:
    """A broker closes the connection of a client that sends what the listener does not have."""
    with server(lambda _: None) as address:
        assert f"closed the connection: it does not expect {properties.protocol}" in problem(address, properties)


def test_an_address_that_answers_says_more_than_one_that_is_away() -> None:
    with server(lambda _: None) as address:
        away = f"127.0.0.1:{free_ports(1)[0]}"
        assert problem(f"{away},{address},{away}", PLAIN).startswith(f"{address} closed the connection")
