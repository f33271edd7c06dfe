"""Collects a live cluster into landing, once or again and again."""

import datetime as dt
import time
from collections.abc import Mapping
from dataclasses import dataclass

from spark_jobs.cluster_settings import Cluster
from spark_jobs.collect.broker_settings import read_retention, settings_lines
from spark_jobs.collect.client_properties import ClientProperties
from spark_jobs.collect.cluster_client import OFFSETS_TOPIC, ClusterClient, TopicMetadata, TopicPartition, connected
from spark_jobs.collect.collect_state import CollectState, UnreadableStateError, decode_state
from spark_jobs.collect.describe_text import has_unprintable_text, members_table, offsets_table, states_table
from spark_jobs.collect.described_groups import DescribedGroup, read_groups
from spark_jobs.collect.landing_target import STATE_FOLDER, LandingTarget, landing_target, only_collector
from spark_jobs.collect.offsets_topic import CopiedOffsets, OffsetsCopy, plan_reading
from spark_jobs.collect.partition_ends import offsets_text, read_ends
from spark_jobs.errors import UserError
from spark_jobs.progress import Progress, Step, Verbosity, counted
from spark_jobs.settings import Settings

_NOT_ALLOWED = 29
_TIME = "%Y%m%dT%H%M%SZ"
_MOST_SENTENCES = 5


@dataclass(frozen=True)
class CollectedCluster:
    name: str
    bootstrap: str
    properties: ClientProperties


def collect_cluster(settings: Settings, cluster: CollectedCluster, progress: Progress, every: int | None) -> bool:
    """Returns whether everything could be read. With `every`, it goes on until it is stopped."""
    with only_collector(settings.landing, cluster.name):
        target = landing_target(settings.landing, cluster.name, settings.store)
        collection = _Collection(settings, cluster, target, progress)
        whole = collection.run(is_first=True)
        if every is None:
            progress.print(f"Next: lagoon run --landing {settings.landing}", Verbosity.NORMAL)
        while every is not None:
            time.sleep(every)
            try:
                collection.run(is_first=False)
            except UserError as error:
                # What is away for a while comes back; the first collection has shown that the call is right.
                progress.warn(f"{error} The next try is in {every} s.")
    return whole


@dataclass(frozen=True)
class _Collection:
    settings: Settings
    cluster: CollectedCluster
    target: LandingTarget
    progress: Progress

    def run(self, *, is_first: bool) -> bool:
        now = dt.datetime.now(dt.UTC)
        missing: list[str] = []
        with (
            self.progress.step("collect", f"{self.cluster.name} from {self.cluster.bootstrap}") as step,
            connected(self.cluster.bootstrap, self.cluster.properties) as client,
        ):
            topics = client.topics()
            offsets_topic = client.topics([OFFSETS_TOPIC])[OFFSETS_TOPIC]
            missing += self._collect_offsets(client, offsets_topic, now, step)
            missing += self._collect_lag(client, topics, step)
            if is_first:
                self._compare_settings(client, offsets_topic)
        for sentence in missing[:_MOST_SENTENCES]:
            self.progress.warn(f"{sentence}.")
        if len(missing) > _MOST_SENTENCES:
            self.progress.warn(f"… and {len(missing) - _MOST_SENTENCES} more could not be read.")
        return not missing

    def _collect_offsets(self, client: ClusterClient, topic: TopicMetadata, now: dt.datetime, step: Step) -> list[str]:
        if topic.error_code == _NOT_ALLOWED:
            return [f"{OFFSETS_TOPIC} may not be read: allow DESCRIBE and READ on the topic {OFFSETS_TOPIC}"]
        if not topic.leaders:
            step.report(f"{OFFSETS_TOPIC} does not exist yet: no group has committed")
            return []
        copied = CopiedOffsets()
        state_file = f"{STATE_FOLDER}/cluster={self.cluster.name}.json"
        state = self._state(client, state_file, copied)
        plans = plan_reading(topic, read_ends(client, [topic]), state, copied)
        folder = f"{self._folder('offset_dumps', now)}/collect"
        copy = OffsetsCopy(self.target, state, state_file, folder, now, copied)
        copy.copy(client, plans, step.doing)
        for note in copied.notes[:_MOST_SENTENCES]:
            self.progress.warn(f"{note}.")
        if len(copied.notes) > _MOST_SENTENCES:
            self.progress.warn(f"… and {counted(len(copied.notes) - _MOST_SENTENCES, 'more partition')}.")
        step.report(
            f"{OFFSETS_TOPIC}: {counted(copied.partitions, 'partition')} read, {counted(copied.records, 'new record')}, "
            f"{copied.size:,} bytes in {counted(len(copied.files), 'file')}"
        )
        return copied.missing

    def _state(self, client: ClusterClient, state_file: str, copied: CopiedOffsets) -> CollectState:
        new = CollectState(client.cluster_id)
        content = self.target.read(state_file)
        if content is None:
            return new
        try:
            state = decode_state(content)
        except UnreadableStateError as error:
            raise UserError(
                f"{state_file} in {self.settings.landing} can't be used: {error}",
                "Delete it to read everything from the start of the log again, or update Lagoon",
            ) from error
        if state.cluster_id == client.cluster_id:
            return state
        copied.notes.append(
            f"{self.cluster.name} is another cluster than the one collected before (id {client.cluster_id}, was "
            f"{state.cluster_id}), and is read from its start. Offsets begin anew, so better collect it under another name"
        )
        return new

    def _collect_lag(self, client: ClusterClient, topics: Mapping[str, TopicMetadata], step: Step) -> list[str]:
        step.doing("groups and log offsets")
        # Before anything is read: what is read is then never older than the name says.
        at = dt.datetime.now(dt.UTC)
        found = read_groups(client)
        ends = read_ends(client, topics.values())
        groups = [group for group in found.groups if not has_unprintable_text(group)]
        missing = list(found.missing)
        if len(groups) < len(found.groups):
            missing.append(
                f"{counted(len(found.groups) - len(groups), 'group')} with control characters in a name left out of the "
                "tables: its records are in the segments"
            )
        files = {
            "start-offsets": offsets_text(ends.starts, topics.values()),
            "end-offsets": offsets_text(ends.ends, topics.values()),
            **_tables(groups, ends.ends),
        }
        written = {name: text for name, text in files.items() if text}
        for name, text in written.items():
            self.target.replace(f"{self._folder('lag_metrics', at)}/collect/{name}-{at:{_TIME}}.txt", text.encode())
        unread = sum(len(topic.leaders) for topic in topics.values()) - len(ends.ends)
        if unread:
            missing.append(f"the log ends of {counted(unread, 'partition')} can't be read now: they have no leader")
        if not found.groups and not missing and OFFSETS_TOPIC in topics:
            # Kafka does not list groups to a user who may not describe them, and says nothing of it.
            self.progress.warn("No group is visible. If there are some, allow DESCRIBE on groups.")
        step.report(
            f"{counted(len(groups), 'group')}, log offsets of {counted(sum(map(_is_public, topics.values())), 'topic')}, in "
            f"{counted(len(written), 'file')}"
        )
        return missing

    def _compare_settings(self, client: ClusterClient, offsets_topic: TopicMetadata) -> None:
        retention = read_retention(client)
        minutes = retention if isinstance(retention, int) else None
        known = self.settings.cluster(self.cluster.name)
        if isinstance(retention, str) and known.offsets_retention_minutes == Cluster.offsets_retention_minutes:
            # No telemetry is missing without it.
            self.progress.warn(f"{retention}.")
        lines = settings_lines(self.cluster.name, known, len(offsets_topic.leaders) or None, minutes)
        if lines:
            self.progress.say("The brokers are set otherwise than lagoon.toml says. Add to it:")
            for line in lines:
                self.progress.say(line)

    def _folder(self, source: str, at: dt.datetime) -> str:
        return f"{source}/cluster={self.cluster.name}/date={at:%Y-%m-%d}"


def _tables(groups: list[DescribedGroup], ends: Mapping[TopicPartition, int]) -> dict[str, str]:
    return {
        "describe-offsets": offsets_table(groups, ends),
        "describe-members": members_table(groups),
        "describe-state": states_table(groups),
    }


def _is_public(topic: TopicMetadata) -> bool:
    return not topic.is_internal
