"""The claims that benchmarks measure, as one table at the end of `make bench`.

A benchmark calls `claim`, which prints a line; with LAGOON_CLAIMS set to a file, it is added there too.
`python -m benchmarks.claims FILE` prints the table, and exits with 1 if a claim does not hold.
"""

import json
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table


def claim(
    name: str, measured: float, unit: str, *, at_least: float | None = None, at_most: float | None = None
) -> None:
    """States what was measured beside what was asked for."""
    holds = (at_least is None or measured >= at_least) and (at_most is None or measured <= at_most)
    asked = f"at least {at_least:g}" if at_least is not None else f"at most {at_most:g}"
    print(f"{name}: {measured:.2f} {unit} (asked: {asked}; {'holds' if holds else 'does not hold'})", flush=True)
    if file := os.environ.get("LAGOON_CLAIMS"):
        with Path(file).open("a") as lines:
            lines.write(
                json.dumps({"name": name, "measured": f"{measured:.2f} {unit}", "asked": asked, "holds": holds})
            )
            lines.write("\n")


def main() -> None:
    claims = [json.loads(line) for line in Path(sys.argv[1]).read_text("utf-8").splitlines()]
    table = Table("claim", "measured", "asked", "holds", title="Speed claims", title_justify="left")
    for each in claims:
        table.add_row(each["name"], each["measured"], each["asked"], "yes" if each["holds"] else "NO")
    Console().print(table)
    sys.exit(0 if claims and all(each["holds"] for each in claims) else 1)


if __name__ == "__main__":
    main()
