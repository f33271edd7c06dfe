"""Takes a picture of every page of the dashboards, light and dark, into build/screenshots: `make screenshots`. Those that the
README shows are copied to docs/screenshots."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

LAGOON = Path(sys.executable).parent / "lagoon"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SIZES = {"": (1366, 860), "-phone": (390, 844)}
ON_PHONE = ("today", "group")
IN_README = ("today-light.png", "group-dark.png")


@contextlib.contextmanager
def served(lake: str) -> Iterator[str]:
    with tempfile.TemporaryFile("w+") as printed:
        command = [str(LAGOON), "dashboard", "--no-browser", "--lake", lake]
        server = subprocess.Popen(command, stdout=printed, text=True)
        try:
            for _ in range(240):
                printed.seek(0)
                if address := [word for word in printed.read().split() if word.startswith("http://")]:
                    yield address[0]
                    return
                time.sleep(0.25)
            raise RuntimeError("the dashboard did not start")
        finally:
            server.terminate()
            server.wait()


def take(page: Page, address: str, folder: Path, name: str) -> None:
    page.goto(address)
    page.wait_for_selector("html[data-ready]", timeout=60_000)
    page.wait_for_timeout(400)
    page.screenshot(path=str(folder / f"{name}.png"))


def main(lake: str, group: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with served(lake) as address, sync_playwright() as playwright:
        with urllib.request.urlopen(f"{address}api/pages") as answer:
            pages = [page["name"] for page in json.load(answer)]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for suffix, (width, height) in SIZES.items():
                context = browser.new_context(
                    color_scheme=scheme, viewport={"width": width, "height": height}, device_scale_factor=1
                )
                page = context.new_page()
                for name in pages:
                    if not suffix or name in ON_PHONE:
                        chosen = urllib.parse.urlencode({"page": name, **({"group": group} if name == "group" else {})})
                        take(page, f"{address}?{chosen}", folder, f"{name}{suffix}-{scheme}")
                context.close()
        browser.close()


if __name__ == "__main__":
    pictures = Path("build") / "screenshots"
    main(sys.argv[1], sys.argv[2], pictures)
    for name in IN_README:
        shutil.copy(pictures / name, Path("docs") / "screenshots" / name)
