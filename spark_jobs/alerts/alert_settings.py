"""The settings of alerts that are tables: conditions, channels and teams."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from spark_jobs import settings_file
from spark_jobs.errors import UsageError

# The worst first.
SEVERITIES = ("critical", "warning", "info")
MESSAGE_FORMATS = ("text", "markdown", "html")
_ANY = ("*",)


@dataclass(frozen=True)
class Condition:
    """What becomes an alert: whatever all of these are true of. Patterns may contain * and ?."""

    severities: tuple[str, ...] = SEVERITIES
    kinds: tuple[str, ...] = _ANY
    clusters: tuple[str, ...] = _ANY
    groups: tuple[str, ...] = _ANY
    records_at_least: int = 0


@dataclass(frozen=True)
class Channel:
    """Where messages go. One of the first six says where, and none of them is ever printed, logged or stored."""

    url: str = field(default="", repr=False)
    url_env: str = ""
    url_file: str = ""
    webhook: str = field(default="", repr=False)
    webhook_env: str = ""
    webhook_file: str = ""
    # Of a webhook: signs the body.
    secret_env: str = ""
    secret_file: str = ""
    severities: tuple[str, ...] = SEVERITIES
    # Empty: what the service displays best.
    format: str = ""
    attach_report: bool = False
    # How long a webhook may take to answer. Apprise has limits of its own, in its URLs.
    timeout_seconds: int = 10

    @property
    def is_webhook(self) -> bool:
        return bool(self.webhook or self.webhook_env or self.webhook_file)


@dataclass(frozen=True)
class Team:
    """Owns groups by pattern, and gets what is about them in its channels."""

    groups: tuple[str, ...] = ()
    clusters: tuple[str, ...] = _ANY
    channels: tuple[str, ...] = ()


@dataclass(frozen=True)
class AlertSettings:
    conditions: Mapping[str, Condition]
    channels: Mapping[str, Channel]
    teams: Mapping[str, Team]


DEFAULT_CONDITIONS = {"critical": Condition(severities=("critical",))}
NO_ALERT_TABLES = AlertSettings(DEFAULT_CONDITIONS, {}, {})


class AddressError(Exception):
    """The address of a channel, or its secret, can't be found out. The message has neither."""


def address_of(channel: Channel, environment: Mapping[str, str] | None = None) -> str:
    if channel.is_webhook:
        return _secret(channel.webhook, channel.webhook_env, channel.webhook_file, environment)
    return _secret(channel.url, channel.url_env, channel.url_file, environment)


def signing_secret(channel: Channel, environment: Mapping[str, str] | None = None) -> str | None:
    if not (channel.secret_env or channel.secret_file):
        return None
    return _secret("", channel.secret_env, channel.secret_file, environment)


def matches(value: str, patterns: tuple[str, ...]) -> bool:
    """Whether any of the patterns has the form of the whole value. Only * and ? are special."""
    return any(fnmatchcase(value, pattern.replace("[", "[[]")) for pattern in patterns)


def alert_settings(path: Path, tables: Mapping[str, Mapping[str, Any]]) -> AlertSettings:
    """`tables` are the tables below [alerts], each with a table for every name that the user chose."""
    conditions = {
        name: Condition(**_values(path, f"alerts.conditions.{name}", table, Condition))
        for name, table in tables.get("conditions", {}).items()
    }
    channels = {
        name: _channel(path, f"alerts.channels.{name}", table) for name, table in tables.get("channels", {}).items()
    }
    teams = {
        name: Team(**_values(path, f"alerts.teams.{name}", table, Team))
        for name, table in tables.get("teams", {}).items()
    }
    for name, team in teams.items():
        for channel in team.channels:
            if channel not in channels:
                raise UsageError(
                    f"alerts.teams.{name} in {path} names the channel {channel!r}, which does not exist",
                    f"Add [alerts.channels.{channel}], or use one of {', '.join(channels) or 'those that you add'}",
                )
    return AlertSettings(conditions or DEFAULT_CONDITIONS, channels, teams)


def _channel(path: Path, where: str, table: Any) -> Channel:
    channel = Channel(**_values(path, where, table, Channel))
    chosen = [
        name
        for name in ("url", "url_env", "url_file", "webhook", "webhook_env", "webhook_file")
        if getattr(channel, name)
    ]
    if len(chosen) != 1:
        raise UsageError(
            f"{where} in {path} has {' and '.join(chosen) or 'no address'}",
            "Give it one of url, url_env, url_file (an Apprise URL) or webhook, webhook_env, webhook_file",
        )
    if channel.webhook and urlsplit(channel.webhook).scheme not in ("http", "https"):
        raise UsageError(f"{where}.webhook in {path} does not begin with http:// or https://", "Correct it")
    if channel.format not in ("", *MESSAGE_FORMATS):
        raise UsageError(f"{where}.format in {path} is {channel.format!r}", f"Use one of {', '.join(MESSAGE_FORMATS)}")
    return channel


def _values(path: Path, where: str, table: Any, kind: type) -> dict[str, Any]:
    """The values of a table, each of the type that the field of its name has."""
    known = {each.name: each for each in fields(kind)}
    values: dict[str, Any] = {}
    for key, value in settings_file.table(path, where, table).items():
        if key not in known:
            raise settings_file.unknown_key(path, f"{where}.{key}", tuple(f"{where}.{name}" for name in known))
        default = known[key].default
        if isinstance(default, tuple):
            values[key] = _texts(path, f"{where}.{key}", value)
        elif type(value) is not type(default) or (isinstance(value, int) and value < 0):
            expected = {str: "a text", bool: "true or false", int: "a whole number from 0"}[type(default)]
            # Without the value: it may be a secret.
            raise UsageError(f"{where}.{key} in {path} has a wrong value", f"Give {expected}")
        else:
            values[key] = value
    return values


def _texts(path: Path, where: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{where} in {path} is {value!r}", 'Give a list of texts, such as ["*"]')
    if where.endswith(".severities") and not set(value) <= set(SEVERITIES):
        raise UsageError(f"{where} in {path} is {value!r}", f"Give a list of {', '.join(SEVERITIES)}")
    return tuple(value)


def _secret(text: str, variable: str, file: str, environment: Mapping[str, str] | None) -> str:
    if variable:
        found = (os.environ if environment is None else environment).get(variable, "")
        if not found:
            raise AddressError(f"the environment variable {variable} is not set")
        return found.strip()
    if file:
        try:
            found = Path(file).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise AddressError(f"the file {file} can't be read") from error
        if not found:
            raise AddressError(f"the file {file} is empty")
        return found
    return text
