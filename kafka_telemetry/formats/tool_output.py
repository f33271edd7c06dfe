"""What Kafka's command-line tools print beside their answer: warnings, errors, stack traces, the JVM's own lines."""

import re

# stdout and stderr are often kept in one file. `[time] WARN [AdminClient …] …` is log4j's console line;
# without its configuration it prints `10:00:00.123 [main] ERROR …`.
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

# What a tool prints of itself when it was called wrongly: 2.8's get-offsets without a topic.
USAGE = re.compile(r"Option\s+Description\s*")

# A warning that followed the last row without a line feed: 3.9's offsets view ends in none.
APPENDED_WARNING = re.compile(r"\[\d{4}-\d\d-\d\d[ T][\d:.,]+\] (?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL) .*$")


def split_lines(content: bytes) -> list[str]:
    """Only line feeds part lines: group ids may hold any other character."""
    text = content.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
    return text.split("\n")
