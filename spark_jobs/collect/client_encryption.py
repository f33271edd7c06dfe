"""The settings of TLS in a `client.properties` file, as a context of Python's ssl."""

import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from spark_jobs.errors import UsageError

_KNOWN = (
    "ssl.truststore.location",
    "ssl.truststore.type",
    "ssl.truststore.certificates",
    "ssl.truststore.password",
    "ssl.keystore.location",
    "ssl.keystore.type",
    "ssl.keystore.password",
    "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
    "ssl.protocol",
    "ssl.enabled.protocols",
)
_VERSIONS = {"TLSv1.2": ssl.TLSVersion.TLSv1_2, "TLSv1.3": ssl.TLSVersion.TLSv1_3}
_PEM = b"-----BEGIN "
_TO_PEM = (
    "Convert it with `keytool -importkeystore -srckeystore FILE -destkeystore FILE.p12 -deststoretype PKCS12` and "
    "`openssl pkcs12 -in FILE.p12 -nodes -out FILE.pem`"
)


def encryption_options(path: Path, values: Mapping[str, str]) -> dict[str, Any]:
    """`values` are the settings that begin with `ssl.`. `path` is the file that has them."""
    unknown = sorted(set(values) - set(_KNOWN))
    if unknown:
        raise UsageError(
            f"`lagoon collect` can't use {unknown[0]} in {path}", f"Remove it; known are {', '.join(_KNOWN)}"
        )
    context = _with_trust(path, values)
    _set_versions(path, context, values)
    if values.get("ssl.endpoint.identification.algorithm", "https") == "":
        context.check_hostname = False
    if "ssl.keystore.location" in values:
        store = _pem_file(path, values, "ssl.keystore")
        try:
            # Without a password OpenSSL would ask for one on the terminal.
            password = values.get("ssl.key.password") or values.get("ssl.keystore.password", "")
            context.load_cert_chain(store, password=password)
        except (ssl.SSLError, OSError):
            # Its message may quote what the file contains.
            raise UsageError(
                f"ssl.keystore.location in {path} has no certificate with its key, or ssl.key.password is wrong",
                "Name a PEM file with the certificate chain and the key",
            ) from None
    return {"ssl_context": context}


def _with_trust(path: Path, values: Mapping[str, str]) -> ssl.SSLContext:
    """Trusts what the file names, else the authorities that this machine trusts."""
    try:
        if "ssl.truststore.certificates" in values:
            return ssl.create_default_context(cadata=values["ssl.truststore.certificates"])
        if "ssl.truststore.location" in values:
            return ssl.create_default_context(cafile=_pem_file(path, values, "ssl.truststore"))
    except (ssl.SSLError, ValueError) as error:
        raise UsageError(
            f"the truststore in {path} has no certificate", "Name a PEM file with the authority"
        ) from error
    return ssl.create_default_context()


def _pem_file(path: Path, values: Mapping[str, str], store: str) -> str:
    location = values[f"{store}.location"]
    try:
        with Path(location).open("rb") as file:
            is_pem = _PEM in file.read(1 << 16)
    except OSError as error:
        raise UsageError(
            f"{store}.location in {path} is {location}, which can't be read ({error.strerror})", "Correct it"
        ) from None
    if not is_pem:
        raise UsageError(f"{store}.location in {path} is {location}, which is not PEM (JKS or PKCS12)", _TO_PEM)
    return location


def _set_versions(path: Path, context: ssl.SSLContext, values: Mapping[str, str]) -> None:
    names = values.get("ssl.enabled.protocols", "").replace(" ", "")
    chosen = [name for name in names.split(",") if name]
    general = values.get("ssl.protocol", "TLS")
    unknown = [name for name in (*chosen, *([] if general == "TLS" else [general])) if name not in _VERSIONS]
    if unknown:
        raise UsageError(f"{path} names the protocol {unknown[0]!r}", f"Use {' or '.join(_VERSIONS)}")
    if chosen:
        versions = sorted(_VERSIONS[name] for name in chosen)
        context.minimum_version, context.maximum_version = versions[0], versions[-1]
