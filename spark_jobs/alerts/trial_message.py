"""The message of `lagoon alerts test`."""

import secrets

from spark_jobs.alerts.message import Message


def trial_message(channel: str) -> Message:
    return Message(
        id=secrets.token_hex(16),
        severity="info",
        title="Lagoon: a test message",
        summary=f"This is a test of the channel {channel}. Alerts of Lagoon will come here; nothing is wrong.",
        sections=(),
        reports=(),
        commands=(("Open alerts", "lagoon alerts list"),),
    )
