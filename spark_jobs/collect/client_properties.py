"""Reads a `client.properties` file of Kafka's own tools into what kafka-python is called with."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spark_jobs.collect.client_encryption import encryption_options
from spark_jobs.collect.oauth_tokens import OAUTH_SETTINGS, token_provider
from spark_jobs.errors import UsageError

BOOTSTRAP = "bootstrap.servers"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
_PASSWORD_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_KERBEROS, _OAUTH = "GSSAPI", "OAUTHBEARER"
# Used here; those that begin with `ssl.` are read by client_encryption.
_KNOWN = (
    BOOTSTRAP,
    "client.id",
    "request.timeout.ms",
    "security.protocol",
    "sasl.mechanism",
    "sasl.jaas.config",
    "sasl.username",
    "sasl.password",
    "sasl.kerberos.service.name",
    *OAUTH_SETTINGS,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}
_JAAS = re.compile(r"\s*([\w.$]+)\s+(?:required|requisite|sufficient|optional)\b(.*?);?\s*", re.DOTALL)
_JAAS_OPTION = re.compile(r'([\w.]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|([^\s;"\']+))')


@dataclass(frozen=True)
class ClientProperties:
    """How a cluster is reached. Passwords are not in the text of it."""

    bootstrap_servers: str = ""
    protocol: str = "PLAINTEXT"
    mechanism: str = ""
    request_timeout_ms: int = 30_000
    # Of kafka-python: credentials and the context of TLS.
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    file: Path | None = None


def read_properties(path: Path) -> ClientProperties:
    try:
        values = dict(_pairs(path.read_text("utf-8")))
    except OSError as error:
        raise UsageError(
            f"the Kafka settings {path} can't be read ({error.strerror})", "Correct kafka_config or --kafka-config"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8", "Name a client.properties file") from None
    unknown = sorted(name for name in values if name not in _KNOWN and not name.startswith("ssl."))
    if unknown:
        raise _refusal(path, unknown[0], f"Remove it; known are {', '.join(_KNOWN)} and those of ssl.")
    protocol = values.get("security.protocol", "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise UsageError(f"security.protocol in {path} is {protocol!r}", f"Use one of {', '.join(PROTOCOLS)}")
    mechanism = values.get("sasl.mechanism", _KERBEROS).upper() if protocol.startswith("SASL_") else ""
    options: dict[str, Any] = {}
    if mechanism:
        options |= _credentials(path, mechanism, values)
    if protocol.endswith("SSL"):
        options |= encryption_options(path, {name: text for name, text in values.items() if name.startswith("ssl.")})
    if "client.id" in values:
        options["client_id"] = values["client.id"]
    timeout = values.get("request.timeout.ms", "30000")
    if not timeout.isdigit() or int(timeout) < 1:
        raise UsageError(f"request.timeout.ms in {path} is {timeout!r}", "Give a whole number above 0")
    return ClientProperties(values.get(BOOTSTRAP, ""), protocol, mechanism, int(timeout), options, path)


def _credentials(path: Path, mechanism: str, values: Mapping[str, str]) -> dict[str, Any]:
    module, jaas = _jaas(path, values.get("sasl.jaas.config", ""))
    if mechanism in _PASSWORD_MECHANISMS:
        wanted = "PlainLoginModule" if mechanism == "PLAIN" else "ScramLoginModule"
        if module and module != wanted:
            raise UsageError(
                f"sasl.jaas.config in {path} names {module}, and sasl.mechanism is {mechanism}", f"Use {wanted}"
            )
        name = jaas.get("username", values.get("sasl.username", ""))
        password = jaas.get("password", values.get("sasl.password", ""))
        if not name or not password:
            raise UsageError(
                f"{path} has no user name or no password for {mechanism}",
                'Write sasl.jaas.config=… required username="…" password="…";',
            )
        return {"sasl_mechanism": mechanism, "sasl_plain_username": name, "sasl_plain_password": password}
    if mechanism == _KERBEROS:
        if "keyTab" in jaas:
            raise _refusal(
                path, "keyTab in sasl.jaas.config", "Get a ticket with `kinit -kt KEYTAB PRINCIPAL` and remove it"
            )
        _require_kerberos()
        service = values.get("sasl.kerberos.service.name", jaas.get("serviceName", "kafka"))
        return {"sasl_mechanism": mechanism, "sasl_kerberos_service_name": service}
    if mechanism == _OAUTH:
        return {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": token_provider(path, values, jaas)}
    raise _refusal(
        path, f"sasl.mechanism {mechanism}", f"Use one of {', '.join((*_PASSWORD_MECHANISMS, _OAUTH, _KERBEROS))}"
    )


def _require_kerberos() -> None:
    try:
        import gssapi  # noqa: F401
    except (ImportError, OSError):
        raise UsageError(
            "sasl.mechanism GSSAPI needs the Python package gssapi, which is not installed",
            "Install it beside Lagoon with `pip install gssapi`, or use SCRAM",
        ) from None


def _jaas(path: Path, text: str) -> tuple[str, dict[str, str]]:
    """The login module, by its last name, and its options."""
    if not text:
        return "", {}
    match = _JAAS.fullmatch(text)
    if match is None:
        # The value has a password in it.
        raise UsageError(
            f"sasl.jaas.config in {path} can't be read", 'Write it as MODULE required username="…" password="…";'
        )
    options = {
        name: re.sub(r"\\(.)", r"\1", double or single) or plain
        for name, double, single, plain in _JAAS_OPTION.findall(match[2])
    }
    return match[1].rpartition(".")[2], options


def _refusal(path: Path, what: str, remedy: str) -> UsageError:
    return UsageError(f"`lagoon collect` can't use {what} in {path}", remedy)


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Keys and values as java.util.Properties reads them."""
    for line in _logical_lines(text):
        match = re.fullmatch(r"((?:[^\\:=\s]|\\.)*)\s*[:=]?\s*(.*)", line, re.DOTALL)
        if match:
            yield _unescaped(match[1]), _unescaped(match[2]).rstrip()


def _logical_lines(text: str) -> Iterator[str]:
    """Lines without comments, each with those that a backslash at its end continues it on."""
    whole = ""
    for line in text.splitlines():
        part = line.lstrip()
        if not whole and (not part or part[0] in "#!"):
            continue
        backslashes = len(part) - len(part.rstrip("\\"))
        if backslashes % 2:
            whole += part[:-1]
        else:
            yield whole + part
            whole = ""
    if whole:
        yield whole


def _unescaped(text: str) -> str:
    def replaced(match: re.Match[str]) -> str:
        code, letter = match.groups()
        return chr(int(code, 16)) if code else _ESCAPES.get(letter, letter)

    return re.sub(r"\\(?:u([0-9a-fA-F]{4})|(.))", replaced, text, flags=re.DOTALL)
