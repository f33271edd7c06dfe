"""Why a cluster can't be reached, in one sentence with what to do next."""

import re
from collections.abc import Sequence

from kafka.errors import (
    IllegalSaslStateError,
    InvalidReceiveError,
    KafkaTimeoutError,
    RequestTimedOutError,
    SaslAuthenticationFailedError,
    UnsupportedSaslMechanismError,
)

from spark_jobs.collect.client_properties import ClientProperties
from spark_jobs.errors import UserError

_REFUSED = re.compile(r"ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN")
_UNTRUSTED = re.compile(r"CERTIFICATE_VERIFY_FAILED.*?: (?:certificate verify failed: )?(.*?)(?: \(_ssl|$)")
_NO_TLS = re.compile(
    r"WRONG_VERSION_NUMBER|wrong version number|record layer failure|UNEXPECTED_EOF|EOF occurred|HTTP_REQUEST"
)
_WANTS_CERTIFICATE = re.compile(r"CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE|alert", re.IGNORECASE)
_CLOSED = re.compile(r"socket disconnected|ECONNRESET|Connection reset|EPIPE|Broken pipe")
_SETTINGS = "security.protocol in the file of kafka_config or --kafka-config"


def connection_problem(
    problems: Sequence[tuple[str, Exception]], bootstrap: str, properties: ClientProperties
) -> UserError:
    """`problems` are the addresses that were tried, each with what went wrong."""
    if not problems:
        return UserError(f"no address of a broker is in {bootstrap!r}", "Name them as host:port,host:port")
    # A broker that answered at all says more than one that is away.
    address, error = min(problems, key=lambda problem: bool(_REFUSED.search(str(problem[1]))))
    for known in (_login_problem, _encryption_problem):
        if (found := known(address, error, properties)) is not None:
            return found
    if isinstance(error, InvalidReceiveError):
        return UserError(
            f"{address} answers with something else than Kafka's protocol: it may expect TLS",
            f"Set {_SETTINGS} to SSL or SASL_SSL, or name another port",
        )
    if _CLOSED.search(str(error)):
        return UserError(
            f"{address} closed the connection: it does not expect {properties.protocol}",
            f"Set {_SETTINGS} to what the listener has, or name another port",
        )
    return broker_problem(error, address)


def broker_problem(error: Exception, address: str) -> UserError:
    """An address that the cluster has named, or that no other sentence is known for."""
    text = " ".join(str(error).split())
    if "DNS" in text:
        return UserError(
            f"the host name of the broker {address} is not known on this machine",
            "Correct --bootstrap-server, or the brokers' advertised.listeners, which name the addresses that clients use",
        )
    if _REFUSED.search(text):
        return UserError(
            f"no broker listens at {address}",
            "Start it, correct --bootstrap-server, or correct the brokers' advertised.listeners",
        )
    if isinstance(error, KafkaTimeoutError | RequestTimedOutError) or "timed out" in text.lower():
        return UserError(
            f"the broker {address} does not answer", "Look whether it works and can be reached from this machine"
        )
    return UserError(
        f"the broker {address} can't be asked ({type(error).__name__}{f': {text[:200]}' if text else ''})",
        "Run this again",
    )


def _login_problem(address: str, error: Exception, properties: ClientProperties) -> UserError | None:
    where = f" in {properties.file}" if properties.file else ""
    if isinstance(error, UnsupportedSaslMechanismError):
        return UserError(
            f"{address} does not offer sasl.mechanism {properties.mechanism}", f"Correct sasl.mechanism{where}"
        )
    if isinstance(error, SaslAuthenticationFailedError):
        return UserError(
            f"{address} refuses the user name or the password", f"Correct sasl.jaas.config or sasl.mechanism{where}"
        )
    if isinstance(error, IllegalSaslStateError):
        return UserError(f"{address} does not expect SASL", f"Correct security.protocol{where}, or name another port")
    return None


def _encryption_problem(address: str, error: Exception, properties: ClientProperties) -> UserError | None:
    text = str(error)
    if not properties.protocol.endswith("SSL"):
        return None
    where = f" in {properties.file}" if properties.file else ""
    if untrusted := _UNTRUSTED.search(text):
        return UserError(
            f"the certificate of {address} can't be verified ({untrusted[1].rstrip('.')})",
            f"Name a PEM file with its authority as ssl.truststore.location{where}, or the host name that the certificate has",
        )
    if _NO_TLS.search(text):
        return UserError(
            f"{address} does not speak TLS", f"Correct security.protocol{where}, or name the port of a TLS listener"
        )
    if _WANTS_CERTIFICATE.search(text):
        return UserError(
            f"{address} refuses the TLS handshake: it may want a certificate of the client",
            f"Name a PEM file with certificate and key as ssl.keystore.location{where}",
        )
    return None
