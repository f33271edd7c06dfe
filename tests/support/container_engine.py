"""A container engine of its own: a dockerd with all its files in one folder, and a base image made of Debian's packages.

It needs root, dockerd, docker-compose and debootstrap. Nothing is pulled, and nothing of another dockerd is touched.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

BASE_IMAGE = "debian:bookworm-slim"
_NEEDED = ("dockerd", "docker", "docker-compose", "debootstrap")
_CERTIFICATES = Path("/usr/local/share/ca-certificates")
# What dockerd makes on the machine and leaves behind.
_DEFAULT_BRIDGE = Path("/sys/class/net/docker0")
_SECONDS_TO_START = 60


def missing_prerequisite() -> str:
    """Why no engine can be started here, or an empty text."""
    if os.getuid() != 0:
        return "a container engine of its own needs root"
    missing = [name for name in _NEEDED if not _program(name)]
    return f"not installed: {', '.join(missing)}" if missing else ""


class ContainerEngine:
    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        """`cache` keeps images and layers for the next engine. The folder's path has to be short: sockets are in it."""
        self.folder = folder
        self.data = cache or folder / "data"
        self.environment = {**os.environ, "DOCKER_HOST": f"unix://{folder}/sock"}
        self._daemon: subprocess.Popen[bytes] | None = None
        self._network_rules = ""

    def start(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not _DEFAULT_BRIDGE.exists():
            self._network_rules = run(["iptables-save"], self.environment).stdout
        with (self.folder / "log").open("wb") as log:
            self._daemon = subprocess.Popen(
                [
                    *("dockerd", "--data-root", self.data, "--exec-root", self.folder / "exec"),
                    *("--pidfile", self.folder / "pid", "-H", self.environment["DOCKER_HOST"]),
                ],
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        end = time.monotonic() + _SECONDS_TO_START
        while self._docker("info", check=False).returncode:
            assert self._daemon.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < end, "dockerd did not start"
            time.sleep(0.5)
        if self._docker("image", "inspect", BASE_IMAGE, check=False).returncode:
            self._make_base_image()

    def stop(self) -> None:
        if self._daemon is not None:
            self._daemon.terminate()
            self._daemon.wait(timeout=120)
        if self._network_rules:  # Else they belong to another dockerd.
            subprocess.run(["iptables-restore"], input=self._network_rules, text=True, check=True)
            run(["ip", "link", "delete", _DEFAULT_BRIDGE.name], self.environment)

    @property
    def process(self) -> int:
        assert self._daemon is not None
        return self._daemon.pid

    def build(self, checkout: Path, context: str, image: str, *, target: str = "", file: str = "") -> None:
        chosen = [*(["--target", target] if target else []), *(["--file", file] if file else [])]
        command = [_program("docker"), "build", "--quiet", *chosen, "--tag", image, context]
        run(command, self.environment, cwd=checkout)

    def left_over(self) -> str:
        """Containers, volumes and networks that a compose file has made."""
        made = ("--quiet", "--filter", "label=com.docker.compose.project")
        return (
            self.docker("ps", "--all", *made) + self.docker("volume", "ls", *made) + self.docker("network", "ls", *made)
        )

    def docker(self, *arguments: str | Path) -> str:
        return str(self._docker(*arguments).stdout)

    def _docker(self, *arguments: str | Path, check: bool = True) -> "subprocess.CompletedProcess[str]":
        return run([_program("docker"), *arguments], self.environment, check=check)

    def _make_base_image(self) -> None:
        """Debian's minimal system, with the certificates that this machine trusts."""
        root = self.folder / "root"
        command = ["debootstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", root, _mirror()]
        run(command, self.environment)
        if _CERTIFICATES.is_dir():
            shutil.copytree(_CERTIFICATES, root / _CERTIFICATES.relative_to("/"), dirs_exist_ok=True)
            run(["chroot", root, "update-ca-certificates"], self.environment)
        packed = subprocess.Popen(["tar", "-C", root, "-c", "."], stdout=subprocess.PIPE)
        subprocess.run(
            [_program("docker"), "import", "-", BASE_IMAGE],
            stdin=packed.stdout,
            env=self.environment,
            check=True,
            capture_output=True,
        )
        assert packed.wait() == 0
        shutil.rmtree(root)


def run(
    command: Sequence[str | Path], environment: dict[str, str], *, cwd: Path | None = None, check: bool = True
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        command, env=environment, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    assert not check or done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout[-5000:]}"
    return done


def _program(name: str) -> str:
    """The program of Debian's package, which fits its dockerd, before another of that name."""
    return shutil.which(name, path="/usr/bin:/usr/sbin") or shutil.which(name) or ""


def _mirror() -> str:
    """Where this machine's apt finds the packages of the release."""
    sites = run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm", "Component: main"],
        dict(os.environ),
    ).stdout.split()
    assert sites, "apt knows no mirror of Debian bookworm"
    return sites[0]
