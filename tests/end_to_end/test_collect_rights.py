"""What `lagoon collect` says when a real broker with TLS, logins and rights refuses something, and that the rest is collected."""

import base64
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from confluent_kafka.admin import (
    AclBinding,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ResourcePatternType,
    ResourceType,
    ScramCredentialInfo,
    ScramMechanism,
    UserScramCredentialUpsertion,
)
from support.free_ports import free_ports
from support.kafka_broker import SECONDS, running_broker, use_groups

PASSWORD = "s3cr3t-Pass"
USER = "lagoon"
LOGIN = "org.apache.kafka.common.security"


@dataclass(frozen=True)
class SecuredBroker:
    # Of a listener for anybody, who may do everything there.
    address: str
    # By protocol.
    listeners: dict[str, str]
    certificate: Path

    def run(self, folder: Path, address: str, *properties: str) -> tuple[int, str]:
        """Collects with these client.properties. Returns the exit code, and what was printed."""
        file = folder / "client.properties"
        file.write_text("\n".join(properties))
        words = ["collect", "--cluster", "eu", "--bootstrap-server", address, "--kafka-config", str(file)]
        command = [sys.executable, "-m", "spark_jobs.cli", *words, "--landing", str(folder / "landing")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
        printed = done.stdout + done.stderr
        assert PASSWORD not in printed
        return done.returncode, " ".join(printed.split())


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    folder = tmp_path_factory.mktemp("secured")
    protocols = ("SASL_PLAINTEXT", "SASL_SSL", "SSL")
    listeners = {name: f"127.0.0.1:{port}" for name, port in zip(protocols, free_ports(5)[2:], strict=True)}
    certificate = make_certificate(folder)
    settings = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": folder / "broker.pem",
        "listener.name.sasl_plaintext.sasl.enabled.mechanisms": "PLAIN,OAUTHBEARER",
        "listener.name.sasl_ssl.sasl.enabled.mechanisms": "SCRAM-SHA-256",
        # It accepts tokens without a signature.
        "listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config": f"{LOGIN}.oauthbearer.OAuthBearerLoginModule required;",
        "listener.name.sasl_plaintext.plain.sasl.jaas.config": f'{LOGIN}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";',
        "listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config": f"{LOGIN}.scram.ScramLoginModule required;",
        "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "super.users": "User:ANONYMOUS",
    }
    with running_broker(folder, listeners, settings) as address:
        use_groups(address)
        credential = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096)
        upsertion = UserScramCredentialUpsertion(USER, credential, PASSWORD.encode())
        admin = AdminClient({"bootstrap.servers": address})
        for done in admin.alter_user_scram_credentials([upsertion]).values():
            done.result(SECONDS)
        yield SecuredBroker(address, listeners, certificate)


def make_certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1, and beside it a file with its key too."""
    certificate, key = folder / "authority.pem", folder / "key.pem"
    options = ["-subj", "/CN=broker", "-addext", "subjectAltName=IP:127.0.0.1", "-nodes", "-days", "30"]
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        *options,
        "-keyout",
        str(key),
        "-out",
        str(certificate),
    ]
    subprocess.run(command, check=True, capture_output=True)
    (folder / "broker.pem").write_text(key.read_text() + certificate.read_text())
    return certificate


def password(mechanism: str, secret: str = PASSWORD) -> tuple[str, str]:
    module = "plain.PlainLoginModule" if mechanism == "PLAIN" else "scram.ScramLoginModule"
    login = f'{LOGIN}.{module} required username="{USER}" password="{secret}";'
    return f"sasl.mechanism={mechanism}", f"sasl.jaas.config={login}"


PLAIN_LOGIN = ("security.protocol=SASL_PLAINTEXT", *password("PLAIN"))


@pytest.mark.parametrize(
    ("listener", "properties", "problem"),
    [
        (
            "SASL_PLAINTEXT",
            ("security.protocol=SASL_PLAINTEXT", *password("PLAIN", "wrong")),
            "refuses the user name or the password. Correct sasl.jaas.config",
        ),
        (
            "SASL_PLAINTEXT",
            ("security.protocol=SASL_PLAINTEXT", *password("SCRAM-SHA-512")),
            "does not offer sasl.mechanism SCRAM-SHA-512. Correct sasl.mechanism in",
        ),
        ("SASL_PLAINTEXT", (), "closed the connection: it does not expect PLAINTEXT. Set security.protocol"),
        ("SSL", (), "Set security.protocol in the file of kafka_config or --kafka-config"),
        ("SSL", PLAIN_LOGIN, "Set security.protocol in the file of kafka_config or --kafka-config"),
        ("PLAINTEXT", ("security.protocol=SSL",), "does not speak TLS. Correct security.protocol"),
        ("PLAINTEXT", PLAIN_LOGIN, "does not expect SASL. Correct security.protocol"),
        ("SSL", ("security.protocol=SSL",), "can't be verified (self-signed certificate)."),
    ],
)
def test_a_wrong_login_or_port_is_one_sentence(
    broker: SecuredBroker, tmp_path: Path, listener: str, properties: tuple[str, ...], problem: str
) -> None:
    address = {"PLAINTEXT": broker.address, **broker.listeners}[listener]
    code, printed = broker.run(tmp_path, address, *properties)
    assert problem in printed
    assert code == 3
    assert printed.count("lagoon: ") == 1


def test_a_host_name_that_the_certificate_does_not_have(broker: SecuredBroker, tmp_path: Path) -> None:
    trust = ("security.protocol=SSL", f"ssl.truststore.location={broker.certificate}")
    address = broker.listeners["SSL"].replace("127.0.0.1", "localhost")
    code, printed = broker.run(tmp_path, address, *trust)
    assert "can't be verified (Hostname mismatch, certificate is not valid for 'localhost')" in printed
    assert code == 3
    code, printed = broker.run(tmp_path, address, *trust, "ssl.endpoint.identification.algorithm=")
    assert code == 0, printed


def test_the_rights_that_are_missing_are_named_and_the_documented_ones_are_enough(
    broker: SecuredBroker, tmp_path: Path
) -> None:
    address = broker.listeners["SASL_PLAINTEXT"]
    code, printed = broker.run(tmp_path, address, *PLAIN_LOGIN)
    assert "__consumer_offsets may not be read: allow DESCRIBE and READ on the topic __consumer_offsets." in printed
    assert "offsets.retention.minutes may not be read: allow DESCRIBE_CONFIGS on the cluster" in printed
    assert code == 1

    allow(broker, ResourceType.TOPIC, "*", AclOperation.DESCRIBE)
    code, printed = broker.run(tmp_path, address, *PLAIN_LOGIN)
    assert printed.count("__consumer_offsets may not be read: allow READ on the topic __consumer_offsets.") == 1
    assert "No group is visible. If there are some, allow DESCRIBE on groups." in printed
    assert "0 groups, log offsets of 1 topic, in 2 files" in printed
    assert code == 1

    allow(broker, ResourceType.TOPIC, "__consumer_offsets", AclOperation.READ)
    allow(broker, ResourceType.GROUP, "*", AclOperation.DESCRIBE)
    allow(broker, ResourceType.BROKER, "kafka-cluster", AclOperation.DESCRIBE_CONFIGS)
    code, printed = broker.run(tmp_path, address, *PLAIN_LOGIN)
    assert "__consumer_offsets: 3 partitions read" in printed
    assert "3 groups, log offsets of 1 topic, in 5 files" in printed
    assert code == 0

    # By TLS and SCRAM the same user has the same rights.
    scram = (
        "security.protocol=SASL_SSL",
        *password("SCRAM-SHA-256"),
        f"ssl.truststore.location={broker.certificate}",
        "ssl.truststore.type=PEM",
    )
    code, printed = broker.run(tmp_path, broker.listeners["SASL_SSL"], *scram)
    assert "3 groups, log offsets of 1 topic, in 5 files" in printed
    assert code == 0


def test_a_login_by_a_token(broker: SecuredBroker, tmp_path: Path) -> None:
    address = broker.listeners["SASL_PLAINTEXT"]
    with token_endpoint("client", PASSWORD) as endpoint:

        def properties(secret: str) -> tuple[str, ...]:
            login = f'{LOGIN}.oauthbearer.OAuthBearerLoginModule required clientId="client" clientSecret="{secret}";'
            return (
                "security.protocol=SASL_PLAINTEXT",
                "sasl.mechanism=OAUTHBEARER",
                f"sasl.oauthbearer.token.endpoint.url={endpoint}",
                f"sasl.jaas.config={login}",
            )

        code, printed = broker.run(tmp_path, address, *properties(PASSWORD))
        # The user of the token is another one, who may do nothing.
        assert "__consumer_offsets may not be read: allow DESCRIBE and READ" in printed
        assert code == 1
        code, printed = broker.run(tmp_path, address, *properties("wrong"))
        assert f"the token endpoint {endpoint} refuses the client with HTTP 401. Correct clientId" in printed
        assert code == 3
    code, printed = broker.run(tmp_path, address, *properties(PASSWORD))
    assert f"the token endpoint {endpoint} does not answer" in printed
    assert code == 3


@contextmanager
def token_endpoint(name: str, secret: str) -> Iterator[str]:
    """Gives a token to a client that has the secret."""
    login = base64.b64encode(f"{name}:{secret}".encode()).decode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            known = self.headers["Authorization"] == f"Basic {login}"
            form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200 if known and form == {"grant_type": ["client_credentials"]} else 401)
            self.end_headers()
            self.wfile.write(
                json.dumps({"access_token": unsigned_token(), "expires_in": 60}).encode() if known else b""
            )

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/token"
        server.shutdown()


def unsigned_token() -> str:
    now = int(time.time())
    parts = ({"alg": "none"}, {"sub": "somebody", "iat": now, "exp": now + 60})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


def allow(broker: SecuredBroker, kind: ResourceType, name: str, operation: AclOperation) -> None:
    binding = AclBinding(
        kind, name, ResourcePatternType.LITERAL, f"User:{USER}", "*", operation, AclPermissionType.ALLOW
    )
    admin = AdminClient({"bootstrap.servers": broker.address})
    for done in admin.create_acls([binding]).values():
        done.result(SECONDS)
