"""A mail server on loopback that keeps what it accepts, and refuses what a test says."""

import email
import email.policy
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any, cast

from aiosmtpd.controller import Controller

from support.free_ports import free_ports


class MailServer:
    """`answers` are those to the next messages; afterwards it accepts."""

    def __init__(self, port: int) -> None:
        self.url = f"mailto://127.0.0.1:{port}?from=lagoon@example.org&to=oncall@example.org&mode=insecure"
        self.answers: list[str] = []
        self.accepted: list[EmailMessage] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        if self.answers:
            return self.answers.pop(0)
        self.accepted.append(
            cast(EmailMessage, email.message_from_bytes(envelope.content, policy=email.policy.default))
        )
        return "250 accepted"


@contextmanager
def mail_server() -> Iterator[MailServer]:
    [port] = free_ports(1)
    state = MailServer(port)
    controller = Controller(state, hostname="127.0.0.1", port=port)
    controller.start()
    try:
        yield state
    finally:
        controller.stop()
