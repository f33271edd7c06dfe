"""Posts a message to a webhook as JSON, signed if the channel has a secret. docs/alerts.md describes both."""

import hashlib
import hmac
import http.client
import json
import time
import urllib.error
import urllib.request
from typing import Any

from spark_jobs.alerts.alert import Alert
from spark_jobs.alerts.message import Message
from spark_jobs.alerts.render import Rendered
from spark_jobs.sql.json_values import as_json

# Alerts of one message, each with a few thousand characters at most.
_MOST_ALERTS = 1_000
_COLUMNS = (
    *("key", "kind", "severity", "cluster", "group_id", "title", "evidence", "cost", "cost_records"),
    *("recommendation", "expected_effect", "first_rows", "subjects", "incident", "first_day", "last_day"),
    *("opened_at", "worsened_at", "resolved_at", "change_count"),
)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A message is never sent to another address than the one in the settings."""

    def redirect_request(self, *_: Any) -> None:
        return None


def post(address: str, secret: str | None, message: Message, rendered: Rendered, seconds: int) -> str | None:
    """Returns why the message was not accepted, without the address; None if it was."""
    body = json.dumps(payload(message, rendered), ensure_ascii=False).encode("utf-8", "backslashreplace")
    headers = {"Content-Type": "application/json", "User-Agent": "lagoon", "Idempotency-Key": message.id}
    if secret is not None:
        headers |= signature(secret, str(int(time.time())), body)
    try:
        request = urllib.request.Request(address, data=body, headers=headers, method="POST")
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=seconds):
            return None  # It raises for what is not 2xx.
    except urllib.error.HTTPError as error:
        return f"it answered with HTTP {error.code}"
    except TimeoutError:
        return f"it did not answer within {seconds} s"
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            return f"it did not answer within {seconds} s"
        return f"it could not be reached ({type(error.reason).__name__})"
    except (OSError, http.client.HTTPException) as error:
        return f"it closed the connection ({type(error).__name__})"
    except ValueError:
        return "its address is no URL"


def payload(message: Message, rendered: Rendered) -> dict[str, Any]:
    """Names and texts are as telemetry has them. The same for the same alerts, whenever it is sent."""
    return {
        "version": 1,
        "id": message.id,
        "severity": message.severity,
        "title": rendered.title,
        "text": rendered.body,
        "reports": list(message.reports),
        "alerts": [_alert(status, alert) for status, alert in message.alerts[:_MOST_ALERTS]],
        "alerts_left_out": max(0, len(message.alerts) - _MOST_ALERTS),
    }


def signature(secret: str, timestamp: str, body: bytes) -> dict[str, str]:
    """The headers by which a receiver knows that who sent the body has the secret, and when it was sent."""
    digest = hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()
    return {"X-Lagoon-Timestamp": timestamp, "X-Lagoon-Signature": f"sha256={digest}"}


def _alert(status: str, alert: Alert) -> dict[str, Any]:
    return {"status": status, **{name: as_json(getattr(alert, name)) for name in _COLUMNS}}
