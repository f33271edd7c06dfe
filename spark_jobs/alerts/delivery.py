"""Sends messages to channels, all at once, and yields what became of each as soon as it is known."""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spark_jobs.alerts.alert_settings import AddressError, Channel, address_of, signing_secret
from spark_jobs.alerts.apprise_channel import AppriseChannel
from spark_jobs.alerts.message import Message
from spark_jobs.alerts.render import render
from spark_jobs.alerts.webhook import post

# A channel that has neither accepted nor refused a message by then is given up by this run.
_SECONDS = 60


@dataclass(frozen=True)
class Outgoing:
    channel: str
    message: Message
    # Files that may be attached.
    attachments: Sequence[str] = ()


class Sent(NamedTuple):
    outgoing: Outgoing
    # Why the channel did not accept it; None: it did. Never contains an address or a secret.
    problem: str | None


def send_all(
    outgoing: Sequence[Outgoing],
    channels: Mapping[str, Channel],
    accepted: Callable[[Outgoing], None] = lambda _: None,
) -> Iterator[Sent]:
    """One result for each, in the order in which they come. `accepted` is called as soon as a channel accepts its message, in the
    thread that sent it."""
    results: queue.Queue[Sent] = queue.Queue()

    def send_one(each: Outgoing) -> None:
        problem = send(each, channels[each.channel])
        if problem is None:
            # Where that can't be written, the result is still known.
            with contextlib.suppress(OSError):
                accepted(each)
        results.put(Sent(each, problem))

    waiting = {each.channel: each for each in outgoing}
    for each in outgoing:
        # A thread that hangs must not keep the process from ending.
        threading.Thread(target=send_one, args=(each,), daemon=True).start()
    while waiting:
        try:
            sent = results.get(timeout=_SECONDS)
        except queue.Empty:
            yield from (Sent(each, f"it did not answer within {_SECONDS} s") for each in waiting.values())
            return
        del waiting[sent.outgoing.channel]
        yield sent


def send(outgoing: Outgoing, channel: Channel) -> str | None:
    """Returns why the channel did not accept the message; None if it did."""
    try:
        address, secret = address_of(channel), signing_secret(channel)
        if channel.is_webhook:
            rendered = render(outgoing.message, channel.format or "text", 0, 0)
            return post(address, secret, outgoing.message, rendered, channel.timeout_seconds)
        service = AppriseChannel(address, channel.format)
        attachments = list(outgoing.attachments) if channel.attach_report else []
        return service.problem or service.send(outgoing.message, attachments)
    except AddressError as error:
        return str(error)
    except Exception as error:  # Of any library that a service needs. Its text may contain the address.
        return f"sending failed with {type(error).__name__}"
