"""A connection to a Kafka cluster that sends requests of the protocol and returns their answers."""

import contextlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kafka.errors import IncompatibleBrokerVersion, KafkaError
from kafka.net.manager import KafkaConnectionManager
from kafka.net.selector import NetworkSelector
from kafka.net.transport import KafkaSSLTransport, KafkaTCPTransport
from kafka.protocol.metadata import MetadataRequest

from spark_jobs.collect.client_properties import ClientProperties
from spark_jobs.collect.connection_errors import broker_problem, connection_problem
from spark_jobs.errors import UserError

OFFSETS_TOPIC = "__consumer_offsets"
_CONNECT_MS = 10_000
# Of one answer. What a TLS port answers to a client without TLS looks like a larger one.
_LARGEST_ANSWER = 256 << 20
# Requests to one broker that are sent before the first is answered.
_IN_FLIGHT = 50

# What a request is sent to, and the request.
NodeRequest = tuple[int, Any]
TopicPartition = tuple[str, int]


class Broker(NamedTuple):
    node_id: int
    host: str
    port: int


@dataclass(frozen=True)
class TopicMetadata:
    name: str
    is_internal: bool
    # The broker that leads each partition, None if none does.
    leaders: Mapping[int, int | None]
    error_code: int = 0


class ClusterClient:
    def __init__(self, manager: Any, cluster_id: str, brokers: Sequence[Broker], timeout_ms: int) -> None:
        self._manager = manager
        self._timeout_ms = timeout_ms
        self.cluster_id = cluster_id
        self.brokers = {broker.node_id: broker for broker in brokers}

    def supports(self, request: type[Any]) -> bool:
        try:
            self._manager.broker_version_data.api_version(request)
        except IncompatibleBrokerVersion:
            return False
        return True

    def send(self, node: int, request: Any) -> Any:
        return self.send_all([(node, request)])[0]

    def send_all(self, requests: Sequence[NodeRequest]) -> list[Any]:
        """The answers in the order of the requests. Raises UserError if a broker does not answer."""
        answers: list[Any] = []
        for first in range(0, len(requests), _IN_FLIGHT):
            answers += self._manager.run(self._answers, requests[first : first + _IN_FLIGHT])
        return answers

    def topics(self, names: Sequence[str] | None = None) -> dict[str, TopicMetadata]:
        """All topics that may be described, or those named."""
        request = MetadataRequest(
            topics=None if names is None else [MetadataRequest.MetadataRequestTopic(name=name) for name in names],
            allow_auto_topic_creation=False,
            max_version=9,
        )
        answer = self._ask_any(request)
        return {topic.name: _topic(topic) for topic in answer.topics}

    def _ask_any(self, request: Any) -> Any:
        """The answer of the first broker that gives one."""
        problem = UserError("the cluster names no broker", "Run this again")
        for node in self.brokers:
            try:
                return self.send(node, request)
            except UserError as error:
                problem = error
        raise problem

    async def _answers(self, requests: Sequence[NodeRequest]) -> list[Any]:
        sent = [(node, self._manager.send(request, node)) for node, request in requests]
        answers = []
        for node, future in sent:
            try:
                # The request has a timeout of its own, but not while the connection is being made.
                answers.append(await self._manager.wait_for(future, self._timeout_ms))
            except (KafkaError, OSError) as error:
                raise broker_problem(error, f"{self.brokers[node].host}:{self.brokers[node].port}") from error
        return answers


def _deliver_last_bytes(transport: Any) -> None:
    """A broker that refuses a login answers, and closes the connection at once. kafka-python 3.0 drops what it reads together
    with the end of a connection; with this it reads the end once more, alone."""
    receive = transport._sock_recv

    def received(self: Any) -> tuple[bytes, Exception | None]:
        content, error = receive(self)
        return content, None if content else error

    transport._sock_recv = received


for _transport in (KafkaTCPTransport, KafkaSSLTransport):
    _deliver_last_bytes(_transport)


def _topic(topic: Any) -> TopicMetadata:
    leaders = {each.partition_index: each.leader_id if each.leader_id >= 0 else None for each in topic.partitions}
    return TopicMetadata(topic.name, bool(topic.is_internal), leaders, topic.error_code)


@contextlib.contextmanager
def connected(bootstrap: str, properties: ClientProperties) -> Iterator[ClusterClient]:
    """Connects by the first address that answers. Raises UserError with the reason if none does."""
    # What goes wrong is raised; the library would write it to the terminal too.
    logger = logging.getLogger("kafka")
    logger.addHandler(logging.NullHandler())
    logger.propagate = False
    options = {
        "client_id": "lagoon-collect",
        **properties.options,
        "bootstrap_servers": bootstrap.replace(" ", "").split(","),
        "security_protocol": properties.protocol,
        "request_timeout_ms": properties.request_timeout_ms,
        "socket_connection_setup_timeout_ms": _CONNECT_MS,
        "max_in_flight_requests_per_connection": _IN_FLIGHT + 1,
        "receive_message_max_bytes": _LARGEST_ANSWER,
    }
    net = NetworkSelector(**options)
    manager = KafkaConnectionManager(net, **options)
    net.start()
    try:
        yield _bootstrapped(manager, bootstrap, properties)
    finally:
        with contextlib.suppress(KafkaError, RuntimeError):
            manager.run(manager.close)
        net.stop(timeout_ms=_CONNECT_MS)
        net.close()


def _bootstrapped(manager: Any, bootstrap: str, properties: ClientProperties) -> ClusterClient:
    problems: list[tuple[str, Exception]] = []
    for address in manager.cluster.bootstrap_brokers():
        try:
            answer = manager.run(_first_answer, manager, address.node_id)
        except (KafkaError, OSError, RuntimeError, ValueError) as error:
            problems.append((f"{address.host}:{address.port}", error))
            continue
        brokers = [Broker(each.node_id, each.host, each.port) for each in answer.brokers]
        timeout_ms = properties.request_timeout_ms + _CONNECT_MS
        return ClusterClient(manager, answer.cluster_id or "", brokers, timeout_ms)
    raise connection_problem(problems, bootstrap, properties) from (problems[-1][1] if problems else None)


async def _first_answer(manager: Any, node: Any) -> Any:
    """Metadata without topics: the cluster's id and brokers."""
    connection = manager.get_connection(node, timeout_ms=_CONNECT_MS, pop_on_close=False, refresh_metadata_on_err=False)
    await manager.wait_for(connection.init_future, _CONNECT_MS)
    answer = await connection.send_request(MetadataRequest(topics=[], allow_auto_topic_creation=False, max_version=9))
    manager.cluster.update_metadata(answer)
    return answer
