"""Rules on gold.arrivals: whether what comes in is what usually comes in. Its columns have the arithmetic (docs/rules.md)."""

from expectations.rule import Rule

_TABLE = "gold.arrivals"
_TOPIC = "Arrivals"
_SOURCE = "Kafka documentation, Monitoring"

ARRIVAL_RULES = (
    Rule(
        name="nothing_fell_silent",
        table=_TABLE,
        broken_when="is_silent",
        because="a cluster, source or origin that sent records on each of the 7 days before, or on each of the three same weekdays before, sends some today",
        topic=_TOPIC,
        source=_SOURCE,
        action="warn",
        remedy="Find out whether it runs and whether its files are still copied to landing; one that was switched off for good is reported for a week at most",
    ),
    Rule(
        name="no_hour_is_missing",
        table=_TABLE,
        broken_when="array_size(missing_hours) > 0",
        because="an hour that has records on each of the same weekdays before has records today",
        topic=_TOPIC,
        source=_SOURCE,
        action="warn",
        remedy="Deliver the files of the missing hours; if they don't exist, find out why the source stopped in between",
    ),
    Rule(
        name="volume_is_as_usual",
        table=_TABLE,
        broken_when="compared_records < fewest_records or compared_records > most_records",
        because="the number of records is within five spreads of the median of the same weekday in the four weeks before",
        topic=_TOPIC,
        source=_SOURCE,
        action="warn",
        remedy="Find out what changed: files that are missing or delivered twice over, another log level, a new or a removed application",
    ),
    Rule(
        name="as_much_is_understood_as_usual",
        table=_TABLE,
        broken_when="not_understood > most_not_understood",
        because="records that no reader knows don't become more: when they do, a broker, client or exporter was upgraded to a version that writes others",
        topic=_TOPIC,
        source="Kafka documentation, Upgrading",
        action="warn",
        remedy="Look at unknown_shapes of gold.coverage; describe layouts and metrics of your own in lagoon.toml, and report new ones of Kafka",
    ),
    Rule(
        name="metrics_keep_their_values",
        table=_TABLE,
        broken_when="array_size(missing_values) > 0 or array_size(new_values) > 0",
        because="an exporter that reports other values than before was upgraded or configured otherwise, and what it no longer reports is missing from the tables",
        topic=_TOPIC,
        source=_SOURCE,
        action="warn",
        remedy="Compare missing_values with new_values: a metric that was renamed needs its new name in [metrics.names]",
    ),
)
