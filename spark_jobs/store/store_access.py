"""How an object store is reached: its address, and keys that are never printed."""

import configparser
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from spark_jobs.errors import UsageError
from spark_jobs.settings_file import Setting

STORE_SETTINGS = (
    Setting("store.endpoint", "", "address of an S3 store, such as https://minio.example:9000; if empty, Amazon's"),
    Setting("store.region", "", "region of the S3 store; if empty, AWS_REGION, then us-east-1"),
    Setting(
        *(
            "store.addressing",
            "path",
            "where requests to the S3 store name the bucket: in the path or in the host name",
        ),
        choices=("path", "virtual"),
    ),
    Setting(
        *(
            "store.credentials_file",
            "",
            "file with the keys of the S3 store; if empty, the variables of Amazon's tools",
        ),
    ),
)
_VARIABLES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_PROFILE = "default"
_USUAL_REGION = "us-east-1"


@dataclass(frozen=True)
class StoreKeys:
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    session_token: str = field(default="", repr=False)


@dataclass(frozen=True)
class StoreAccess:
    """How an S3 store is reached. Without an endpoint it is Amazon's; without keys each library looks for them where
    Amazon's tools do. Google's and Azure's stores are reached by the variables of their own tools."""

    endpoint: str = ""
    region: str = _USUAL_REGION
    # Whether the bucket is a part of the path, or of the host's name.
    in_path: bool = True
    # Not in the text of the settings.
    keys: StoreKeys | None = field(default=None, repr=False)

    @property
    def is_encrypted(self) -> bool:
        return not self.endpoint.startswith("http://")

    def s3_options(self) -> dict[str, str]:
        """Under the names that deltalake and obstore share."""
        options = {"region": self.region, "virtual_hosted_style_request": str(not self.in_path).lower()}
        if self.endpoint:
            options["endpoint"] = self.endpoint
        if self.keys is not None:
            options |= {"access_key_id": self.keys.access_key, "secret_access_key": self.keys.secret_key}
            if self.keys.session_token:
                options["session_token"] = self.keys.session_token
        return options


DEFAULT_ACCESS = StoreAccess()


def store_access(values: Mapping[str, str | int | float], environment: Mapping[str, str]) -> StoreAccess:
    """`values` are the settings by name. Keys of a file override those of the environment."""
    endpoint = str(values["store.endpoint"]).rstrip("/")
    if endpoint and not endpoint.startswith(("http://", "https://")):
        raise UsageError(
            f"store.endpoint is {endpoint!r}, which is no address of a store", "Write it as https://<host>:<port>"
        )
    region = str(values["store.region"]) or environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")
    file = str(values["store.credentials_file"])
    keys = _keys_of_file(Path(file)) if file else _keys_of(environment, _VARIABLES)
    return StoreAccess(endpoint, region or _USUAL_REGION, values["store.addressing"] == "path", keys)


def _keys_of_file(path: Path) -> StoreKeys:
    """The keys of the profile `default`, as Amazon's tools write them."""
    # A value may contain any character, and no message may quote a line of the file.
    document = configparser.ConfigParser(interpolation=None)
    try:
        document.read_string(path.read_text("utf-8"))
        found = _keys_of(dict(document[_PROFILE]), [name.lower() for name in _VARIABLES])
    except OSError as error:
        raise UsageError(
            f"the keys of the object store can't be read from {path} ({error.strerror})",
            "Correct store.credentials_file",
        ) from None
    except (configparser.Error, KeyError, UnicodeDecodeError):
        found = None
    if found is None:
        raise UsageError(
            f"{path} has no keys of an object store",
            f"Write aws_access_key_id = … and aws_secret_access_key = … below [{_PROFILE}]",
        )
    return found


def _keys_of(values: Mapping[str, str], names: "tuple[str, ...] | list[str]") -> StoreKeys | None:
    access_key, secret_key, token = (values.get(name, "") for name in names)
    return StoreKeys(access_key, secret_key, token) if access_key and secret_key else None


def in_store(uri: str) -> bool:
    """Whether a landing folder or a lake is in an object store."""
    return "://" in uri and not uri.startswith("file:")


def is_s3(uri: str) -> bool:
    return uri.startswith(("s3a://", "s3://"))


def user_name() -> str:
    """Who works, for other processes to read."""
    return f"process {os.getpid()} on {os.uname().nodename}"
