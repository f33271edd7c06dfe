#!/usr/bin/python3 -IS
"""Health check of a container: `answers URL [PATH=VALUE …]` succeeds if the URL answers, and if the JSON of the answer has these
values (`scheduler.status=healthy`). An answer that refuses a stranger (401) is a sign of life too."""

import json
import sys
import urllib.error
import urllib.request

SECONDS = 5


def main(url: str, *expected: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as answer:
            found = json.load(answer) if expected else None
    except urllib.error.HTTPError as refused:
        return 0 if refused.code == 401 and not expected else 1
    except (OSError, ValueError):
        return 1
    for each in expected:
        path, _, value = each.partition("=")
        part = found
        for key in path.split("."):
            part = part.get(key) if isinstance(part, dict) else None
        if str(part) != value:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
