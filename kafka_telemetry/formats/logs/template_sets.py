"""Which templates a message is matched against: chosen by its prefix, its logger or the layout of its file."""

from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags, Integers
from kafka_telemetry.formats.logs import broker_config, consumer_config
from kafka_telemetry.formats.logs.arrow_masks import mask
from kafka_telemetry.formats.logs.log_layouts import UNKNOWN
from kafka_telemetry.formats.logs.message_prefix import SplitPrefix, prefix_by_pattern, prefix_by_templates
from kafka_telemetry.formats.logs.template_match import TemplateMatcher
from kafka_telemetry.formats.logs.templates.broker_templates import BROKER_TEMPLATES
from kafka_telemetry.formats.logs.templates.java_client_templates import CLIENT_TEMPLATES
from kafka_telemetry.formats.logs.templates.other_client_templates import FRANZ_GO, KAFKA_PYTHON, LIBRDKAFKA, SARAMA

# Class names with any package, since a layout may print no more than the class.
_BROKER_LOGGERS = (
    r"^(?:.*\.)?(?:GroupCoordinator|GroupMetadataManager|GroupMetadata\$?|GroupCoordinatorShard|OffsetMetadataManager"
    r"|ClassicGroup|GroupCoordinatorService|GroupCoordinatorAdapter)$"
)
# Other coordinators log here too, so a line counts only if it has the prefix of a group coordinator.
_SHARED_LOGGERS = r"^(?:.*\.)?(?:CoordinatorRuntime|MultiThreadedEventProcessor(?:\$EventProcessorThread)?)$"
_SHARED_PREFIXES = ("[Group", "[Share", "[group-", "[share-")
_CLIENT_COORDINATORS = (
    r"^(?:.*\.)?(?:ConsumerCoordinator|AbstractCoordinator|(?:Consumer|Share|Abstract)MembershipManager"
    r"|MembershipManagerImpl|CoordinatorRequestManager|(?:(?:Consumer|Share|Abstract)?Heartbeat|Commit)RequestManager"
    r"|ConsumerRebalanceListenerInvoker)(?:\$\w+)?$"
)
_UNPREFIXED_CLIENTS = r"^(?:.*\.)?(?:ConsumerUtils|AbstractStickyAssignor|SubscriptionState)$"
_PYTHON_LOGGERS = r"^(?:kafka\.coordinator(?:\.(?:base|consumer|heartbeat))?|aiokafka\.consumer\.group_coordinator)$"

# Their lines have a consumer's prefix and are not about its group. They can fill a log while a broker is away.
_NETWORK_LOGGERS = r"^(?:.*\.)?(?:Metadata|NetworkClient|FetchSessionHandler|Selector|ClientTelemetryReporter)$"

_BROKER_OPENINGS = ("[GroupCoordinator ", "[GroupMetadataManager ")
_BROKER_PREFIX = (
    r"(?P<prefix>^\[(?:GroupCoordinator (?:id=)?|GroupMetadataManager brokerId=)(?P<broker_id>\d+)"
    r"(?: topic=__consumer_offsets partition=(?P<offsets_partition>\d+))?\]:? )"
)
_CLIENT_OPENINGS = tuple(
    f"[{kind} {first}=" for kind in ("Consumer", "ShareConsumer") for first in ("clientId", "instanceId")
)
_CLIENT_PREFIX = (
    r"(?P<prefix>^\[(?:Share)?Consumer (?:instanceId=(?P<instance_id>(?s:.*?)), )?clientId=(?P<client_id>(?s:.*?)), "
    r"groupId=(?P<group_id>(?s:"
)
_CLIENT_PREFIX_TEMPLATES = tuple(
    f"[{kind} {instance}clientId={{client_id}}, groupId={{group_id}}] "
    for kind in ("Consumer", "ShareConsumer")
    for instance in ("", "instanceId={instance_id}, ")
)
_CLIENT_MATCHER = TemplateMatcher(CLIENT_TEMPLATES)


class TemplateSet(NamedTuple):
    side: str
    matcher: TemplateMatcher
    prefixes: tuple[SplitPrefix | None, ...]
    """The prefixes that a message of the set may have, in the order in which they are tried; None for no prefix."""


TEMPLATE_SETS = {
    "broker": TemplateSet("broker", TemplateMatcher(BROKER_TEMPLATES), (prefix_by_pattern(_BROKER_PREFIX), None)),
    "consumer": TemplateSet(
        "client",
        _CLIENT_MATCHER,
        (
            prefix_by_templates(
                *_CLIENT_PREFIX_TEMPLATES, otherwise=prefix_by_pattern(_CLIENT_PREFIX + r".*?))\](?: |$))")
            ),
            # A group id may contain brackets: then it ends at the last bracket that a known message follows.
            prefix_by_pattern(_CLIENT_PREFIX + rf".*))\] )(?:{_CLIENT_MATCHER.leading_texts})", needs_twice="] "),
        ),
    ),
    "consumer without prefix": TemplateSet("client", _CLIENT_MATCHER, (None,)),
    "librdkafka": TemplateSet("client", TemplateMatcher(LIBRDKAFKA), (None,)),
    "kafka-python": TemplateSet("client", TemplateMatcher(KAFKA_PYTHON), (None,)),
    "franz-go": TemplateSet("client", TemplateMatcher(FRANZ_GO), (None,)),
    "sarama": TemplateSet("client", TemplateMatcher(SARAMA), (None,)),
}
CONFIG = "config"
BROKER_CONFIG = "broker config"


class ChosenSets(NamedTuple):
    rows: dict[str, Integers]
    """The messages of each template set, and of CONFIG and BROKER_CONFIG the printed configurations. A message has at most
    one set."""
    of_coordinator: Flags
    """Lines of a group coordinator, on the broker or in a consumer: all of them should be understood."""


def choose_template_sets(
    messages: pa.StringArray, logger: pa.StringArray, layout: str, of_librdkafka: Flags
) -> ChosenSets:
    loggers = logger.dictionary_encode()
    logger_codes = loggers.indices.to_numpy()

    def starts_with(*openings: str) -> Flags:
        out = np.zeros(len(messages), dtype=bool)
        for opening in openings:
            out |= mask(pc.starts_with(messages, opening))
        return out

    def logged_by(pattern: str) -> Flags:
        out: Flags = mask(pc.match_substring_regex(loggers.dictionary, pattern))[logger_codes]
        return out

    all_messages = np.ones(len(messages), dtype=bool)
    broker = starts_with(*_BROKER_OPENINGS) | logged_by(_BROKER_LOGGERS)
    shared = logged_by(_SHARED_LOGGERS) & starts_with(*_SHARED_PREFIXES)
    client_coordinator, python = logged_by(_CLIENT_COORDINATORS), logged_by(_PYTHON_LOGGERS)
    unprefixed = client_coordinator | logged_by(_UNPREFIXED_CLIENTS)
    rows, is_free = {}, all_messages.copy()
    for name, belongs in (
        ("librdkafka", of_librdkafka),
        (CONFIG, starts_with(*consumer_config.OPENINGS)),
        (BROKER_CONFIG, starts_with(*broker_config.OPENINGS)),
        ("consumer", starts_with(*_CLIENT_OPENINGS) & ~logged_by(_NETWORK_LOGGERS)),
        ("broker", broker | shared),
        ("kafka-python", python),
        ("consumer without prefix", all_messages if layout.endswith(UNKNOWN) else unprefixed),
        ("franz-go", all_messages & (layout == "franz-go")),
        ("sarama", all_messages & (layout == "sarama")),
    ):
        rows[name] = np.flatnonzero(belongs & is_free)
        is_free &= ~belongs
    return ChosenSets(rows, broker | client_coordinator | python)
