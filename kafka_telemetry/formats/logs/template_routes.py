"""Whose wordings a message is held against: told by its prefix, its logger or the layout of its file."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs import consumer_config
from kafka_telemetry.formats.logs.arrow_masks import Mask, Rows, mask
from kafka_telemetry.formats.logs.log_layouts import UNKNOWN
from kafka_telemetry.formats.logs.message_prefix import Prefix, by_pattern, by_words
from kafka_telemetry.formats.logs.template_match import Table
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA

# Simple names of classes, since a layout may print no more than these.
_BROKER_LOGGERS = (
    r"^(?:.*\.)?(?:GroupCoordinator|GroupMetadataManager|GroupMetadata\$?|GroupCoordinatorShard|OffsetMetadataManager"
    r"|ClassicGroup|GroupCoordinatorService|GroupCoordinatorAdapter)$"
)
# These serve other coordinators too, so only what carries the prefix of a group's counts as its line.
_SHARED_LOGGERS = r"^(?:.*\.)?(?:CoordinatorRuntime|MultiThreadedEventProcessor(?:\$EventProcessorThread)?)$"
_SHARED_PREFIXES = ("[Group", "[Share", "[group-", "[share-")
_CLIENT_COORDINATORS = (
    r"^(?:.*\.)?(?:ConsumerCoordinator|AbstractCoordinator|(?:Consumer|Share|Abstract)MembershipManager"
    r"|MembershipManagerImpl|CoordinatorRequestManager|(?:(?:Consumer|Share|Abstract)?Heartbeat|Commit)RequestManager"
    r"|ConsumerRebalanceListenerInvoker)(?:\$\w+)?$"
)
_UNPREFIXED_CLIENTS = r"^(?:.*\.)?(?:ConsumerUtils|AbstractStickyAssignor|SubscriptionState)$"
_PYTHON_LOGGERS = r"^(?:kafka\.coordinator(?:\.(?:base|consumer|heartbeat))?|aiokafka\.consumer\.group_coordinator)$"

# They have a consumer's prefix and say nothing of its group; one of them can fill a log while the broker is away.
_NETWORK_LOGGERS = r"^(?:.*\.)?(?:Metadata|NetworkClient|FetchSessionHandler|Selector|ClientTelemetryReporter)$"

_BROKER_OPENINGS = ("[GroupCoordinator ", "[GroupMetadataManager ")
_BROKER_PREFIX = (
    r"(?P<opening>^\[(?:GroupCoordinator (?:id=)?|GroupMetadataManager brokerId=)(?P<broker_id>\d+)"
    r"(?: topic=__consumer_offsets partition=(?P<offsets_partition>\d+))?\]:? )"
)
_CLIENT_OPENINGS = tuple(
    f"[{kind} {first}=" for kind in ("Consumer", "ShareConsumer") for first in ("clientId", "instanceId")
)
_CLIENT_PREFIX = (
    r"(?P<opening>^\[(?:Share)?Consumer (?:instanceId=(?P<instance_id>(?s:.*?)), )?clientId=(?P<client_id>(?s:.*?)), "
    r"groupId=(?P<group_id>(?s:"
)
_CLIENT_WORDS = tuple(
    f"[{kind} {instance}clientId={{client_id}}, groupId={{group_id}}] "
    for kind in ("Consumer", "ShareConsumer")
    for instance in ("", "instanceId={instance_id}, ")
)
_CLIENT = Table(CLIENT_TEMPLATES)


class Route(NamedTuple):
    side: str
    table: Table
    prefixes: tuple[Prefix | None, ...]
    """What stands before the wording, tried in turn; none where nothing does."""


ROUTES = {
    "broker": Route("broker", Table(BROKER_TEMPLATES), (by_pattern(_BROKER_PREFIX), None)),
    "consumer": Route(
        "client",
        _CLIENT,
        (
            by_words(*_CLIENT_WORDS, otherwise=by_pattern(_CLIENT_PREFIX + r".*?))\](?: |$))")),
            # The group's name may hold a bracket: then it ends at the last one that known words follow.
            by_pattern(_CLIENT_PREFIX + rf".*))\] )(?:{_CLIENT.known_words})", twice="] "),
        ),
    ),
    "consumer without prefix": Route("client", _CLIENT, (None,)),
    "librdkafka": Route("client", Table(LIBRDKAFKA), (None,)),
    "kafka-python": Route("client", Table(KAFKA_PYTHON), (None,)),
    "franz-go": Route("client", Table(FRANZ_GO), (None,)),
    "sarama": Route("client", Table(SARAMA), (None,)),
}
CONFIG = "config"


class Routed(NamedTuple):
    rows: dict[str, Rows]
    """The messages of each route, and the printed configurations; a message has one route at most."""
    of_coordinator: Mask
    """Lines of a group coordinator, on either side: these should be understood."""


def routed(message: pa.StringArray, logger: pa.StringArray, layout: str, of_librdkafka: Mask) -> Routed:
    loggers = logger.dictionary_encode()
    logger_of = loggers.indices.to_numpy()

    def begins(*openings: str) -> Mask:
        found = np.zeros(len(message), dtype=bool)
        for opening in openings:
            found |= mask(pc.starts_with(message, opening))
        return found

    def logged_by(pattern: str) -> Mask:
        found: Mask = mask(pc.match_substring_regex(loggers.dictionary, pattern))[logger_of]
        return found

    everything = np.ones(len(message), dtype=bool)
    broker = begins(*_BROKER_OPENINGS) | logged_by(_BROKER_LOGGERS)
    shared = logged_by(_SHARED_LOGGERS) & begins(*_SHARED_PREFIXES)
    coordinator, python = logged_by(_CLIENT_COORDINATORS), logged_by(_PYTHON_LOGGERS)
    unprefixed = coordinator | logged_by(_UNPREFIXED_CLIENTS)
    rows, free = {}, everything.copy()
    for route, wanted in (
        ("librdkafka", of_librdkafka),
        (CONFIG, begins(*consumer_config.OPENINGS)),
        ("consumer", begins(*_CLIENT_OPENINGS) & ~logged_by(_NETWORK_LOGGERS)),
        ("broker", broker | shared),
        ("kafka-python", python),
        ("consumer without prefix", everything if layout.endswith(UNKNOWN) else unprefixed),
        ("franz-go", everything & (layout == "franz-go")),
        ("sarama", everything & (layout == "sarama")),
    ):
        rows[route] = np.flatnonzero(wanted & free)
        free &= ~wanted
    return Routed(rows, broker | coordinator | python)
