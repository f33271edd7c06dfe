"""A real object store for tests: versitygw, which serves a folder as S3."""

import os
import re
import subprocess
import time
import urllib.request
from pathlib import Path
from urllib.error import HTTPError, URLError

from .free_ports import free_ports
from .go_programs import GoProgram

_MODULE = "github.com/versity/versitygw"
# The version that the stack has.
[_VERSION] = re.findall(
    rf"{_MODULE} (\S+)", (Path(__file__).parents[2] / "deploy" / "store" / "go.mod").read_text("utf-8")
)
_GATEWAY = GoProgram(f"{_MODULE}/cmd/versitygw", _VERSION)
BUCKET = "lagoon"
_ACCESS_KEY, _SECRET_KEY = "test-access-key", "test-secret-of-the-store"


def missing() -> str | None:
    """Why there can be no store on this machine, if there can be none."""
    return _GATEWAY.missing()


class ObjectStore:
    """A store with one bucket, on a port of its own. It can be stopped and started again."""

    def __init__(self, folder: Path, *, keeps_versions: bool = False) -> None:
        self.folder = folder
        self._versions = folder / "versions" if keeps_versions else None
        self.port = free_ports(1)[0]
        self._process: subprocess.Popen[bytes] | None = None
        (folder / "data" / BUCKET).mkdir(parents=True)
        if self._versions is not None:
            self._versions.mkdir()
            # As the store remembers a PutBucketVersioning.
            os.setxattr(folder / "data" / BUCKET, "user.versioning", b"\x01")

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def uri(self, name: str) -> str:
        return f"s3a://{BUCKET}/{name}"

    def path(self, name: str) -> Path:
        """The folder in which the store keeps what is below a name."""
        return self.folder / "data" / BUCKET / name

    def environment(self, endpoint: str | None = None) -> dict[str, str]:
        """The variables with which Lagoon reaches it."""
        return {
            "LAGOON_STORE_ENDPOINT": endpoint or self.endpoint,
            "AWS_ACCESS_KEY_ID": _ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": _SECRET_KEY,
        }

    @property
    def secrets(self) -> tuple[str, ...]:
        return _ACCESS_KEY, _SECRET_KEY

    def start(self) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    str(_GATEWAY.build()),
                    "--quiet",
                    "--port",
                    f"127.0.0.1:{self.port}",
                    "posix",
                    *(("--versioning-dir", str(self._versions)) if self._versions is not None else ()),
                    str(self.folder / "data"),
                ],
                env={"ROOT_ACCESS_KEY": _ACCESS_KEY, "ROOT_SECRET_KEY": _SECRET_KEY, "HOME": str(self.folder)},
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + 30
        while not self._answers():
            assert self._process.poll() is None, (self.folder / "log").read_text("utf-8", "replace")
            assert time.monotonic() < deadline, "versitygw did not start within 30 s"
            time.sleep(0.05)

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            urllib.request.urlopen(self.endpoint, timeout=1).close()
        except HTTPError:
            return True  # It asks for keys.
        except (URLError, OSError):
            return False
        return True
