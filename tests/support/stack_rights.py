"""What the containers of a stack may do, and what they know."""

import re
from collections.abc import Iterable
from pathlib import Path

from support.lagoon_stack import LagoonStack


def require_few_rights(stack: LagoonStack) -> None:
    """No root, an image that can't be written, limits of memory and logs."""
    containers = stack.containers()
    assert containers
    for service, container in containers.items():
        host = container["HostConfig"]
        assert host["ReadonlyRootfs"], service
        assert host["CapDrop"] == ["ALL"], service
        assert "no-new-privileges:true" in host["SecurityOpt"], service
        assert host["Memory"] > 0, service
        assert host["LogConfig"]["Config"] == {"max-size": "10m", "max-file": "3"}, service
        processes = stack.processes(service)
        assert processes
        for process in processes:
            status = Path(f"/proc/{process}/status").read_text()
            found = dict(re.findall(r"^(Uid|CapEff|CapPrm):\t(.*)$", status, re.MULTILINE))
            assert "0" not in found["Uid"].split(), (service, process)
            assert int(found["CapEff"], 16) == int(found["CapPrm"], 16) == 0, (service, process)


def published(stack: LagoonStack) -> list[tuple[str, int]]:
    """The addresses and ports of this machine at which containers answer."""
    return sorted(
        (binding["HostIp"], int(binding["HostPort"]))
        for container in stack.containers().values()
        for bindings in container["NetworkSettings"]["Ports"].values()
        for binding in bindings or ()
    )


def services_that_know(stack: LagoonStack) -> dict[str, set[str]]:
    """The services by the secrets that are in their environment."""
    known: dict[str, set[str]] = {name: set() for name in stack.secrets}
    for service, container in stack.containers(running=False).items():
        environment = "\n".join(container["Config"]["Env"])
        for name, value in stack.secrets.items():
            if value in environment:
                known[name].add(service)
    return known


def secrets_in(stack: LagoonStack, texts: Iterable[str]) -> set[str]:
    """The names of the secrets that are in logs, images or these texts."""
    everywhere = [*map(stack.image_history, stack.images()), *stack.logs(), *texts]
    assert len(everywhere) > 3
    return {name for name, value in stack.secrets.items() for text in everywhere if value in text}
