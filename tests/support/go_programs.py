"""Programs for tests that Go builds from their public module, once, into `build/`."""

import fcntl
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

_BUILD = Path(__file__).parents[2] / "build"


@dataclass(frozen=True)
class GoProgram:
    """The module and its version are named as `go install` does: Go checks their hashes against its public checksum database."""

    module: str
    version: str

    @property
    def name(self) -> str:
        """The last part of the module that is no major version."""
        return next(part for part in reversed(self.module.split("/")) if not part[1:].isdigit())

    @property
    def _folder(self) -> Path:
        return _BUILD / self.name / self.version

    def missing(self) -> str | None:
        """Why this machine can't have it, if so."""
        if (self._folder / self.name).is_file() or shutil.which("go"):
            return None
        return f"{self.name} {self.version} is built with Go, and there is no `go` on the path"

    def build(self) -> Path:
        """The program, built if it is not there yet."""
        program = self._folder / self.name
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.is_file():
                command = ["go", "install", f"{self.module}@{self.version}"]
                done = subprocess.run(
                    command, env=os.environ | {"GOBIN": str(self._folder)}, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, f"{' '.join(command)} failed: {done.stderr[-1000:]}"
        return program
