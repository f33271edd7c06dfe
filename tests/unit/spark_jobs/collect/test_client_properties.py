"""A client.properties file of Kafka's tools is understood, or refused with what to do; its secrets are never shown."""

import ssl
import subprocess
from pathlib import Path

import pytest

from spark_jobs.collect.client_properties import read_properties
from spark_jobs.errors import UsageError

SECRET = "s3cr3t-Pass"
SCRAM = (
    "sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\\n"
    f'    username="telemetry" \\\n    password="{SECRET}";\n'
)


def written(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "client.properties"
    file.write_text(text, "utf-8")
    return file


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate with its key, which has a password."""
    file = tmp_path_factory.mktemp("tls") / "client.pem"
    key = file.with_suffix(".key")
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-subj", "/CN=telemetry", "-passout", f"pass:{SECRET}"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(file)], check=True, capture_output=True)
    file.write_text(file.read_text() + key.read_text())
    return file


def test_a_file_as_kafka_writes_them(tmp_path: Path) -> None:
    text = f"# a comment\n  ! another\n\nbootstrap.servers: one:9092,two:9092\nsecurity.protocol = SASL_SSL\nsasl.mechanism SCRAM-SHA-512\n{SCRAM}"
    read = read_properties(written(tmp_path, text))
    context = read.options["ssl_context"]

    assert (read.bootstrap_servers, read.protocol, read.mechanism) == ("one:9092,two:9092", "SASL_SSL", "SCRAM-SHA-512")
    assert {name: read.options[name] for name in read.options if name != "ssl_context"} == {
        "sasl_mechanism": "SCRAM-SHA-512",
        "sasl_plain_username": "telemetry",
        "sasl_plain_password": SECRET,
    }
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert SECRET not in repr(read)


@pytest.mark.parametrize(
    ("option", "password"),
    [
        ('password="a\\\\"b;c"', 'a"b;c'),
        ("password='it''", "it"),
        ("password=plain", "plain"),
        ('password="\\u00fc = :"', "ü = :"),
    ],
)
def test_passwords_may_have_any_character(tmp_path: Path, option: str, password: str) -> None:
    text = f'security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=a.b.PlainLoginModule required username="u" {option};'
    assert read_properties(written(tmp_path, text)).options["sasl_plain_password"] == password


def test_name_and_password_as_other_clients_write_them(tmp_path: Path) -> None:
    text = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.username=u\nsasl.password=p"
    options = read_properties(written(tmp_path, text)).options
    assert (options["sasl_plain_username"], options["sasl_plain_password"]) == ("u", "p")


def test_a_client_certificate(tmp_path: Path, certificate: Path) -> None:
    text = (
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={certificate}\nssl.keystore.type=PEM\n"
        f"ssl.keystore.location={certificate}\nssl.key.password={SECRET}\nssl.endpoint.identification.algorithm=\n"
        "ssl.enabled.protocols=TLSv1.3"
    )
    context = read_properties(written(tmp_path, text)).options["ssl_context"]
    assert [authority["subject"] for authority in context.get_ca_certs()] == [((("commonName", "telemetry"),),)]
    assert not context.check_hostname
    assert context.minimum_version == ssl.TLSVersion.TLSv1_3


JAAS = "sasl.jaas.config=a.PlainLoginModule required"
LOGIN = "security.protocol=SASL_PLAINTEXT\nsasl.mechanism="


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("group.id=x", "`lagoon collect` can't use group.id in"),
        ("security.protocol=TLS", "security.protocol in .* is 'TLS'"),
        ("request.timeout.ms=soon", "request.timeout.ms in .* is 'soon'"),
        ("security.protocol=SSL\nssl.cipher.suites=x", "can't use ssl.cipher.suites in"),
        ("security.protocol=SSL\nssl.truststore.location=/no/such.pem", r"is /no/such.pem, which can't be read"),
        ("security.protocol=SSL\nssl.enabled.protocols=TLSv1.1", "names the protocol 'TLSv1.1'"),
        (f"{LOGIN}AWS_MSK_IAM", "can't use sasl.mechanism AWS_MSK_IAM in"),
        (f"{LOGIN}OAUTHBEARER", "names no token endpoint for OAUTHBEARER"),
        (
            f"{LOGIN}OAUTHBEARER\nsasl.oauthbearer.token.endpoint.url=https://id.example",
            "has no client id or no secret",
        ),
        (f"{LOGIN}PLAIN\n{JAAS} username=u;", "has no user name or no password for PLAIN"),
        (
            f"{LOGIN}SCRAM-SHA-256\n{JAAS} username=u password={SECRET};",
            "names PlainLoginModule, and sasl.mechanism is SCRAM",
        ),
        (f"{LOGIN}PLAIN\nsasl.jaas.config=username=u password={SECRET}", "sasl.jaas.config in .* can't be read"),
        (
            f"{LOGIN}GSSAPI\nsasl.jaas.config=a.Krb5LoginModule required keyTab=/k;",
            "can't use keyTab in sasl.jaas.config",
        ),
    ],
)
def test_what_can_not_be_used_is_refused_without_showing_a_secret(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem) as raised:
        read_properties(written(tmp_path, text))
    assert SECRET not in str(raised.value)


def test_a_java_keystore_is_refused_with_how_to_convert_it(tmp_path: Path) -> None:
    store = tmp_path / "trust.jks"
    store.write_bytes(bytes.fromhex("feedfeed00000002") * 20)
    with pytest.raises(UsageError, match=r"which is not PEM \(JKS or PKCS12\)\. Convert it with `keytool"):
        read_properties(written(tmp_path, f"security.protocol=SSL\nssl.truststore.location={store}"))


def test_a_wrong_password_of_the_key_is_refused(tmp_path: Path, certificate: Path) -> None:
    for password in ("", "ssl.key.password=wrong"):
        text = f"security.protocol=SSL\nssl.keystore.location={certificate}\n{password}"
        with pytest.raises(UsageError, match=r"or ssl\.key\.password is wrong"):
            read_properties(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no\.properties can't be read \(No such file or directory\)"):
        read_properties(tmp_path / "no.properties")
