"""What the journal of a recording proves about the rules that warn: which warnings are justified."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from benchmarks.journal_facts import Entry, Partition

# (group, what the warning is about, ...)
Warned = tuple[object, ...]
_AUTO_COMMIT_MS = 5000
_LATE_INTERVALS = 2
_HEARTBEATS = 3


def moved_back(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group, partition, offset): a position that is committed, or set by an administrator, below the one before."""
    last: dict[Partition, int] = {}
    for entry in entries:
        is_commit = entry["event"] == "commit" and entry["result"] == "ok"
        if is_commit or entry.get("op") == "alter-offsets":
            for name, offset in entry["offsets"].items():
                if offset < last.get((entry["group"], name), 0):
                    yield entry["group"], name, offset
                last[entry["group"], name] = offset


def late_auto_commits(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group, partition, offset): an automatic commit more than two intervals after the consumer's one before."""
    interval, last = _AUTO_COMMIT_MS, dict[tuple[str, str, str], int]()
    for entry in entries:
        if entry["event"] == "commit" and entry["kind"] == "auto" and entry["result"] == "ok":
            for name, offset in entry["offsets"].items():
                reader = entry["group"], entry["client"], name
                if entry["ts"] - last.get(reader, entry["ts"]) > _LATE_INTERVALS * interval:
                    yield entry["group"], name, offset
                last[reader] = entry["ts"]


def off_by_one(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group, partition): the last commit names the last record that was polled, and not the next one."""
    committed: dict[Partition, int] = {}
    position: dict[Partition, int] = {}
    for entry in entries:
        if entry["event"] == "commit" and entry["result"] == "ok":
            committed |= {(entry["group"], name): offset for name, offset in entry["offsets"].items()}
        if entry["event"] == "poll":
            position |= {(entry["group"], name): offset for name, offset in (entry.get("position") or {}).items()}
    for partition, offset in committed.items():
        if offset == position.get(partition, 0) - 1:
            yield partition


def rare_heartbeats(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group, client): a heartbeat interval above a third of the session timeout, or one that the client refused for it."""
    for entry in entries:
        config = entry.get("config") or {}
        heartbeat, session = config.get("heartbeat.interval.ms"), config.get("session.timeout.ms")
        is_refused = entry["event"] == "exception" and "Heartbeat must be set lower" in entry["message"]
        if is_refused or (heartbeat and session and int(heartbeat) * _HEARTBEATS > int(session)):
            yield entry["group"], entry["client"]


def slow_polls(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group, client): a batch that took longer than max.poll.interval.ms."""
    limits = {
        (entry["group"], entry["client"]): int(limit)
        for entry in entries
        if entry["event"] == "start" and (limit := (entry.get("config") or {}).get("max.poll.interval.ms"))
    }
    for entry in entries:
        client = entry["group"], entry.get("client")
        if entry["event"] == "slow" and entry["ms"] > limits.get(client, entry["ms"]):
            yield client


def crowded_groups(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group,): one that had more members in a generation than partitions in all."""
    members: dict[tuple[str, int], set[str]] = defaultdict(set)
    partitions: dict[str, set[str]] = defaultdict(set)
    for entry in entries:
        if entry["event"] == "assigned":
            members[entry["group"], entry["generation"]].add(entry["member_id"])
            partitions[entry["group"]] |= set(entry["owned"])
    for (group, _), of_generation in members.items():
        if len(of_generation) > len(partitions[group]):
            yield (group,)


def read_again_after_an_orderly_stop(entries: Sequence[Entry]) -> Iterator[Warned]:
    """(group, partition): a reader revoked the partition or closed, and the next one began below where it had stopped."""
    owned: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    reached: dict[Partition, int] = {}
    stopped: dict[Partition, int] = {}
    for entry in entries:
        event, group = entry["event"], entry["group"]
        reader = group, entry["app"], entry.get("client", "")
        if event == "assigned":
            owned[reader] |= set(entry["partitions"])
        elif event in ("revoked", "close"):
            ended = set(entry["partitions"]) if event == "revoked" else owned[reader]
            stopped |= {(group, name): reached[group, name] for name in ended if (group, name) in reached}
            owned[reader] -= ended
        elif event in ("lost", "kill", "seek", "exception"):
            # It was fenced, died or moved its position itself.
            for name in owned[reader]:
                reached.pop((group, name), None)
                stopped.pop((group, name), None)
        elif event == "poll":
            for name, first in (entry.get("first") or {}).items():
                if first < stopped.pop((group, name), first):
                    yield group, name
                reached[group, name] = entry["position"][name]


JUSTIFIED: Mapping[str, Callable[[Sequence[Entry]], Iterable[Warned]]] = {
    "commit_moves_forward": moved_back,
    "auto_commit_keeps_its_interval": late_auto_commits,
    "last_commit_before_leaving": read_again_after_an_orderly_stop,
    "commit_names_the_next_record": off_by_one,
    "heartbeat_is_a_third_of_the_session": rare_heartbeats,
    "poll_interval_fits_the_batch": slow_polls,
    "members_do_not_outnumber_partitions": crowded_groups,
}

# What a row that breaks the rule is compared by. The rule on last commits needs a column that is only added to judge it.
_POSITION = "group_id, concat(topic, '-', partition_id), committed_offset"
COMPARED_BY: Mapping[str, str] = {
    "commit_moves_forward": _POSITION,
    "auto_commit_keeps_its_interval": _POSITION,
    "commit_names_the_next_record": "group_id, concat(topic, '-', partition_id)",
    "heartbeat_is_a_third_of_the_session": "group_id, client_id",
    "poll_interval_fits_the_batch": "group_id, client_id",
    "members_do_not_outnumber_partitions": "group_id",
}
