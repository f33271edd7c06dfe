"""Tokens for OAUTHBEARER, as Kafka's own clients get them: by client credentials from a token endpoint."""

import base64
import http.client
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from kafka.net.sasl.oauth import AbstractTokenProvider

from spark_jobs.errors import UsageError, UserError

ENDPOINT = "sasl.oauthbearer.token.endpoint.url"
_ID = "sasl.oauthbearer.client.credentials.client.id"
_SECRET = "sasl.oauthbearer.client.credentials.client.secret"
_SCOPE = "sasl.oauthbearer.scope"
_HANDLER = "sasl.login.callback.handler.class"
OAUTH_SETTINGS = (ENDPOINT, _ID, _SECRET, _SCOPE, _HANDLER)
# What a user may add to the options of the login module for the broker to see.
_EXTENSION = "extension_"
_SECONDS = 10
_USUAL_LIFE = 300
# Of a token's life, after which a new one is asked for.
_RENEW_AFTER = 0.8


class ClientCredentials:
    """A token provider of kafka-python. Its secret is in no text of it."""

    def __init__(self, endpoint: str, name: str, secret: str, scope: str, extensions: Mapping[str, str]) -> None:
        self._endpoint, self._name, self._secret, self._scope = endpoint, name, secret, scope
        self._extensions = dict(extensions)
        self._token, self._renewed_at = "", 0.0

    def extensions(self) -> dict[str, str]:
        return self._extensions

    def token(self) -> str:
        if time.monotonic() >= self._renewed_at:
            answer = self._ask()
            self._token = str(answer["access_token"])
            self._renewed_at = time.monotonic() + _RENEW_AFTER * float(answer.get("expires_in", _USUAL_LIFE))
        return self._token

    def _ask(self) -> dict[str, Any]:
        form = {"grant_type": "client_credentials", **({"scope": self._scope} if self._scope else {})}
        login = base64.b64encode(f"{self._name}:{self._secret}".encode()).decode()
        headers = {"Authorization": f"Basic {login}", "Content-Type": "application/x-www-form-urlencoded"}
        place = urlsplit(self._endpoint)
        kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        # It follows no redirect: the secret goes to the address in the settings, and to no other.
        connection = kind(place.hostname or "", place.port, timeout=_SECONDS)
        try:
            connection.request(
                "POST", f"{place.path or '/'}{'?' * bool(place.query)}{place.query}", urlencode(form), headers
            )
            answer = connection.getresponse()
            content = answer.read(1 << 20)
        except (OSError, http.client.HTTPException) as error:
            raise UserError(
                f"the token endpoint {self._endpoint} does not answer ({type(error).__name__})", f"Correct {ENDPOINT}"
            ) from None
        finally:
            connection.close()
        if answer.status != http.HTTPStatus.OK:
            raise UserError(
                f"the token endpoint {self._endpoint} refuses the client with HTTP {answer.status}",
                "Correct clientId, clientSecret and scope",
            )
        try:
            document = json.loads(content)
            if isinstance(document, dict) and document.get("access_token"):
                return document
        except ValueError:
            pass
        raise UserError(f"the token endpoint {self._endpoint} answers without an access_token", f"Correct {ENDPOINT}")


# The library accepts what is registered as one of its providers.
AbstractTokenProvider.register(ClientCredentials)


def token_provider(path: Path, values: Mapping[str, str], login: Mapping[str, str]) -> ClientCredentials:
    """`login` are the options of the login module. `path` is the file that has all."""
    endpoint = values.get(ENDPOINT, "")
    if urlsplit(endpoint).scheme not in ("http", "https"):
        raise UsageError(f"{path} names no token endpoint for OAUTHBEARER", f"Set {ENDPOINT}=https://…")
    if not values.get(_HANDLER, "OAuthBearerLoginCallbackHandler").endswith("OAuthBearerLoginCallbackHandler"):
        raise UsageError(
            f"`lagoon collect` can't use the {_HANDLER} of {path}",
            "Use one that asks a token endpoint with client credentials",
        )
    name, secret = values.get(_ID, login.get("clientId", "")), values.get(_SECRET, login.get("clientSecret", ""))
    if not name or not secret:
        raise UsageError(
            f"{path} has no client id or no secret for OAUTHBEARER",
            'Write clientId="…" clientSecret="…" into sasl.jaas.config',
        )
    extensions = {each.removeprefix(_EXTENSION): text for each, text in login.items() if each.startswith(_EXTENSION)}
    return ClientCredentials(endpoint, name, secret, values.get(_SCOPE, login.get("scope", "")), extensions)
