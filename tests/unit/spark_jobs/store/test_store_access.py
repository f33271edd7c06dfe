from pathlib import Path

import pytest

from spark_jobs.errors import UsageError
from spark_jobs.settings import Settings, load
from spark_jobs.store.store_access import StoreAccess, StoreKeys, in_store

KEYS = {"AWS_ACCESS_KEY_ID": "access", "AWS_SECRET_ACCESS_KEY": "secret"}


def loaded(folder: Path, text: str, environment: dict[str, str]) -> Settings:
    file = folder / "lagoon.toml"
    file.write_text(text)
    return load(file=str(file), environment=environment)


def test_the_store_is_reached_by_the_settings_and_the_variables_of_amazons_tools() -> None:
    environment = {"LAGOON_STORE_ENDPOINT": "http://127.0.0.1:9000/", "AWS_REGION": "eu-central-1", **KEYS}

    access = load(environment=environment).store

    assert access == StoreAccess("http://127.0.0.1:9000", "eu-central-1", True, StoreKeys("access", "secret"))
    assert not access.is_encrypted


def test_without_any_setting_it_is_amazons_store_with_the_keys_that_each_library_finds() -> None:
    access = load(environment={}).store

    assert access == StoreAccess("", "us-east-1", True, None)
    assert access.is_encrypted


def test_the_keys_of_a_file_beside_the_settings_override_those_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text(
        "[default]\naws_access_key_id = AK%(x)s\naws_secret_access_key = s/e=c\naws_session_token = t\n"
    )

    settings = loaded(tmp_path, '[store]\ncredentials_file = "keys"\naddressing = "virtual"', KEYS)

    assert settings.store.keys == StoreKeys("AK%(x)s", "s/e=c", "t")
    assert not settings.store.in_path


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "can't be read from .*keys .No such file"),
        ("secret-without-section", "keys has no keys of an object store. Write aws_access_key_id"),
        ("[default]\naws_access_key_id = only-one", "keys has no keys of an object store"),
        ("[other]\naws_access_key_id = a\naws_secret_access_key = b", "keys has no keys of an object store"),
    ],
)
def test_a_file_without_keys_is_named_and_not_quoted(tmp_path: Path, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "keys").write_text(content)

    with pytest.raises(UsageError, match=message) as raised:
        loaded(tmp_path, '[store]\ncredentials_file = "keys"', {})
    assert "secret-without-section" not in str(raised.value)


def test_an_endpoint_is_an_address() -> None:
    with pytest.raises(
        UsageError, match=r"store.endpoint is 'minio:9000', which is no address of a store. Write it as https://"
    ):
        load(environment={"LAGOON_STORE_ENDPOINT": "minio:9000"})


def test_no_text_of_the_settings_contains_the_keys() -> None:
    settings = load(environment={"AWS_SESSION_TOKEN": "tok-en", **KEYS})

    assert settings.store.keys == StoreKeys("access", "secret", "tok-en")
    for text in (repr(settings), str(settings), repr(settings.store), repr(settings.store.keys), str(settings.values)):
        assert not any(key in text for key in ("secret", "tok-en", "'access'"))


@pytest.mark.parametrize(
    ("uri", "expected"),
    [("s3a://b/lake", True), ("gs://b/lake", True), ("./lake", False), ("/lake", False), ("file:///lake", False)],
)
def test_a_uri_is_in_a_store_or_on_this_machine(uri: str, expected: bool) -> None:
    assert in_store(uri) is expected
