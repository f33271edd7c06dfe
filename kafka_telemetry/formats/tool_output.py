"""Lines that Kafka's command-line tools print besides their results: warnings, errors, stack traces, JVM messages."""

import re

# stdout and stderr are often redirected to one file. `[time] WARN [AdminClient …] …` is log4j's console line;
# without a configuration log4j prints `10:00:00.123 [main] ERROR …`.
NOISE = re.compile(
    r"""
      \[\d{4}-\d\d-\d\d[ T][\d:.,]+\]\s+(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s
    | \d\d:\d\d:\d\d[.,]\d{3}\s\[[^\]]*\]\s(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\s
    | \d{4}-\d\d-\d\d[ T][\d:.,]+Z?\s+\[?(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)
    | (?:Consumer|Share|Streams)\ group\ '.*'\ (?:has\ no\ active\ members|is\ rebalancing)
    | \s*(?:Warning|Error|WARNING|ERROR|Note|Option)\b
    | \s+at\s[\w$.<>/@]+\(
    | \s*\.{3}\ \d+\ (?:more|common\ frames\ omitted)
    | \s*(?:Caused\ by|Suppressed):\s
    | (?:[a-z][\w$]*\.)+[A-Z][\w$]*(?:Exception|Error|Throwable)\b
    | Exception\ in\ thread
    | (?:Skip\ getting\ offsets|Error\ occurred|Missing\ required\ argument)\b
    | Topic\ \S+\ (?:does\ not\ exist|has\ 0\ partitions|does\ not\ have\ any\ of\ the\ requested\ partitions)\b
    | (?:Picked\ up\ |OpenJDK|Java\ HotSpot|SLF4J|log4j|\[\d[\d.]*s\]\[)
    """,
    re.VERBOSE,
)

# The help that a tool prints when it was called with wrong options: get-offsets of 2.8 without a topic.
USAGE = re.compile(r"Option\s+Description\s*")

# A warning printed right after the last row: the offsets view of 3.9 ends without a line feed.
APPENDED_WARNING = re.compile(r"\[\d{4}-\d\d-\d\d[ T][\d:.,]+\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) .*$")


def split_lines(content: bytes) -> list[str]:
    """Splits at line feeds only: group ids may contain any other character."""
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    return text.split("\n")
