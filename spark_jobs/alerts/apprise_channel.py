"""Sends a message by Apprise: mail, Slack, Teams, PagerDuty and all other services that it knows."""

import logging
import re
from typing import Any

from spark_jobs.alerts.message import Message
from spark_jobs.alerts.render import Rendered, render

# Room for what a service adds to the body.
_MARGIN = 16
_HTTP_ERROR = re.compile(r"\berror=(\d{3})\b")


class AppriseChannel:
    """`problem` is why the channel can't be used; it never contains the address."""

    def __init__(self, url: str, message_format: str) -> None:
        import apprise

        # Its warnings name addresses. What a user may know of them, send() returns.
        self._warnings = _HttpErrors()
        logger = logging.getLogger("apprise")
        logger.handlers, logger.propagate = [self._warnings], False
        logger.setLevel(logging.WARNING)
        # No logo is fetched by whoever reads the message, and nothing is written to disk.
        asset = apprise.AppriseAsset(
            app_id="Lagoon",
            app_desc="Lagoon",
            app_url="",
            image_url_mask="",
            image_url_logo="",
            async_mode=False,
            storage_mode=apprise.PersistentStoreMode.MEMORY,
        )
        self._service: Any = apprise.Apprise.instantiate(url, asset=asset)
        self.problem = None if self._service is not None else "its URL is not one that Apprise understands"
        self._format = message_format

    def send(self, message: Message, attachments: list[str]) -> str | None:
        """Returns why the message was not accepted; None if it was."""
        import apprise

        message_format = self._format or self._best_format()
        rendered = self._render(message, message_format)
        can_attach = bool(getattr(self._service, "attachment_support", False))
        sender = apprise.Apprise()
        sender.add(self._service)
        self._warnings.codes.clear()
        accepted = sender.notify(
            title=rendered.title,
            body=rendered.body,
            body_format=message_format,
            notify_type=self._notify_type(message),
            attach=attachments if attachments and can_attach else None,
        )
        if accepted:
            return None
        codes = self._warnings.codes
        return f"the service answered with HTTP {codes[-1]}" if codes else "the service did not accept the message"

    def _best_format(self) -> str:
        """HTML for mail, Markdown where it comes first, else plain text, which Apprise escapes for each service."""
        if "mailto" in _texts(self._service.protocol):
            return "html"
        formats = _texts(getattr(self._service.notify_format, "value", self._service.notify_format))
        return "markdown" if formats[:1] == ["markdown"] else "text"

    def _render(self, message: Message, message_format: str) -> Rendered:
        title, body = int(self._service.title_maxlen), int(self._service.body_maxlen)
        # The title is part of the body where a service has none, and of some that have one.
        longest_title = title or 120
        return render(message, message_format, longest_title, max(body - longest_title - _MARGIN, 200) if body else 0)

    def _notify_type(self, message: Message) -> str:
        if message.only_ended:
            return "success"
        return {"critical": "failure", "warning": "warning", "info": "info"}[message.severity]


class _HttpErrors(logging.Handler):
    """Keeps the codes of HTTP that Apprise warns of, and nothing else of what it says."""

    def __init__(self) -> None:
        super().__init__()
        self.codes: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.codes += _HTTP_ERROR.findall(record.getMessage())


def _texts(value: Any) -> list[str]:
    values = value if isinstance(value, list | tuple) else [value]
    return [str(getattr(each, "value", each)) for each in values]
