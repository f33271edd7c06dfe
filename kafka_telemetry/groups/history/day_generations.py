"""The generations that the logs of one day report, each under its incarnation and its number."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from kafka_telemetry.groups.history.broker_log import BrokerLog
from kafka_telemetry.groups.history.incarnations import (
    SAME_INCARNATION_WITHIN,
    GenerationLine,
    incarnations_of_lines,
)
from kafka_telemetry.groups.history.log_event import LogEvent
from kafka_telemetry.groups.history.logged_generation import LoggedGeneration
from kafka_telemetry.groups.history.previous_generation import GenerationKey
from kafka_telemetry.groups.history.recorded_generation import RecordedGeneration

# Events of the broker log by which a generation comes into force.
IN_FORCE_EVENTS = ("stabilized", "epoch_bumped", "group_emptied")
# A client joins a generation within this time. Its later lines name the generation for as long as it lasts.
_CLIENT_JOINS_WITHIN = 10_000_000


class DayGenerations:
    def __init__(self, log: BrokerLog, events: Sequence[LogEvent], recorded: Iterable[RecordedGeneration]) -> None:
        """`events` are all of the day in the order of time."""
        self.logged: dict[GenerationKey, LoggedGeneration] = {}
        self._log = log
        self._recorded: dict[int, list[RecordedGeneration]] = defaultdict(list)
        for one in recorded:
            self._recorded[one.generation].append(one)
        self._incarnations: dict[GenerationLine, int] = incarnations_of_lines(
            [
                (event.at, event.generation)
                for event in events
                if event.side == "broker" and event.event in IN_FORCE_EVENTS and event.generation is not None
            ],
            self._recorded,
            last_generation=log.last_generation,
            incarnation=log.incarnation,
            lowest_incarnation=log.lowest_incarnation,
            deletions=[event.at for event in events if event.event in ("group_dead", "group_deleted")],
        )
        log.lowest_incarnation = min([log.lowest_incarnation, *self._incarnations.values()])
        # By number: when the broker log last put it into force, and its key.
        self._last_in_force: dict[int, tuple[int, GenerationKey]] = {}

    def put_into_force(self, event: LogEvent) -> GenerationKey:
        """The key of the generation that a line of the broker log puts into force."""
        number = event.generation or 0
        key = self._incarnations[event.at, number], number
        self._last_in_force[number] = event.at, key
        self._log.incarnation = max(self._log.incarnation, key[0])
        return key

    def find(self, event: LogEvent) -> LoggedGeneration | None:
        return self.logged.get(self.key_of(event))

    def add_from_broker(self, key: GenerationKey, generation: LoggedGeneration) -> None:
        """The first report of a broker counts; what clients reported before it is kept beside it."""
        known = self.logged.setdefault(key, generation)
        if known is generation or known.in_broker_log:
            return
        generation.sides += known.sides
        generation.first_client_line_at, generation.last_synced_at = known.first_client_line_at, known.last_synced_at
        generation.members, generation.partitions = known.members, known.partitions
        generation.assignor = generation.assignor or known.assignor
        generation.client_cause = known.client_cause
        self.logged[key] = generation

    def reported_by_client(self, event: LogEvent) -> LoggedGeneration:
        generation = self.logged.setdefault(self.key_of(event), LoggedGeneration(event.generation or 0))
        if "client" not in generation.sides:
            generation.sides.append("client")
            generation.first_client_line_at = event.at
        return generation

    def key_of(self, event: LogEvent) -> GenerationKey:
        """The generation that the broker log last put into force under this number; where there is none, or the line of
        a client is too late for it, the one whose record is nearest in time."""
        number = event.generation or 0
        in_force = self._last_in_force.get(number)
        if in_force is not None and (event.side == "broker" or event.at - in_force[0] <= _CLIENT_JOINS_WITHIN):
            return in_force[1]
        distances = [
            (abs(one.in_force_at - event.at), one.incarnation)
            for one in self._recorded.get(number, ())
            if one.in_force_at is not None
        ]
        distance, incarnation = min(distances, default=(SAME_INCARNATION_WITHIN, 0))
        return incarnation if distance < SAME_INCARNATION_WITHIN else self._log.incarnation, number
