"""How one field of a valid silver row is changed so that it breaks one rule and no other."""

from typing import NamedTuple


class Mutation(NamedTuple):
    rule: str
    # SQL for the changed field, and for fields that repeat it.
    changed: dict[str, str]
    # Which rows can be changed so.
    where: str = "true"


COMMITS, LAG, GENERATIONS, MEMBERS, CONFIGS = (
    f"silver.{name}"
    for name in ("offset_commits", "lag_samples", "group_generations", "group_members", "client_configs")
)
_HAS_PARTITIONS = "exists(owned, of -> size(of.partitions) > 0)"

# What the cut of the recording lacks: enough groups to find the number of partitions, logs of all consumers.
COMPLETED: dict[tuple[str, str], dict[str, str]] = {
    (COMMITS, "parsed"): {"offsets_partitions": "offsets_partition + 1", "group_hash": "offsets_partition"},
    (COMMITS, "accepted"): {
        "owner_client_id": "'a-client'",
        "owner_since": "null",
        "auto_commit_interval_ms": "5000",
        "after_tombstone": "false",
        "transaction": "'none'",
        "previous_committed_at": "committed_at - interval 5 seconds",
    },
}

MUTATIONS: dict[tuple[str, str], list[Mutation]] = {
    (COMMITS, "parsed"): [
        Mutation("committed_offset_is_not_negative", {"committed_offset": "-1"}),
        Mutation("commit_names_a_real_partition", {"group_id": "''"}),
        Mutation("commit_names_a_real_partition", {"topic": "'two words'"}),
        Mutation("commit_names_a_real_partition", {"topic": "null"}),
        Mutation("commit_names_a_real_partition", {"partition_id": "-1"}),
        Mutation("one_record_per_log_position", {"contradicted": "true"}),
        Mutation("group_is_in_its_own_partition", {"offsets_partition": "offsets_partition + 1"}),
        Mutation("commit_time_is_possible", {"committed_at": "timestamp'2009-12-31 00:00:00'"}),
        Mutation("commit_time_is_possible", {"recorded_at": "cast(date_add(delivered_on, 2) as timestamp)"}),
        Mutation(
            "commit_is_not_past_the_log_end",
            {"committed_offset": "log_end_after + 1"},
            "committed_offset is not null and log_end_before <= log_end_after",
        ),
    ],
    (COMMITS, "accepted"): [
        Mutation(
            "commit_moves_forward",
            {"committed_offset": "previous_committed_offset - 1"},
            "previous_committed_offset > 0 and committed_offset is not null and reached_by_reader is null",
        ),
        Mutation(
            "auto_commit_keeps_its_interval",
            {"previous_committed_at": "committed_at - interval 11 seconds"},
            "committed_at is not null",
        ),
        Mutation(
            "last_commit_before_leaving", {"reached_by_reader": "committed_offset + 1"}, "committed_offset is not null"
        ),
    ],
    (LAG, "parsed"): [
        Mutation(
            "lag_is_end_minus_committed",
            {"reported_lag": "lag + 7"},
            "lag >= 0 and lag_meaning in ('signed', 'clamped')",
        ),
        Mutation(
            "log_start_is_not_past_log_end", {"log_start_offset": "log_end_offset + 1"}, "log_end_offset is not null"
        ),
        Mutation(
            "commit_is_not_behind_the_log_start",
            {"log_start_offset": "committed_offset + 1"},
            "committed_offset < log_end_offset",
        ),
        Mutation("lag_is_not_negative", {"lag": "-1", "reported_lag": "null"}, "reporter = 'describe'"),
        Mutation(
            "log_end_moves_forward", {"previous_log_end_offset": "log_end_offset + 1"}, "log_end_offset is not null"
        ),
        Mutation(
            "commit_names_the_next_record",
            {"lag": "1", "reported_lag": "1", "unchanged_since": "sampled_at - interval 1 minute"},
            "generation_changed_at is null and lag_meaning is not null",
        ),
        Mutation(
            "lag_is_not_frozen",
            {
                "unchanged_since": "sampled_at - interval 20 minutes",
                "generation_changed_at": "sampled_at - interval 10 minutes",
                "other_log_end_offset": "null",
            },
            "lag > 1",
        ),
    ],
    (GENERATIONS, "parsed"): [
        Mutation("one_record_per_log_position", {"contradicted": "true"}),
        Mutation(
            "generation_moves_forward", {"generation": "previous_generation - 1"}, "previous_generation is not null"
        ),
        Mutation("leader_is_a_member", {"leader_member_id": "'nobody'"}, "leader_member_id is not null"),
    ],
    (MEMBERS, "parsed"): [
        Mutation("partition_has_one_owner", {"shared_partitions": "1"}, "owned is not null"),
        Mutation("owner_is_subscribed", {"subscribed_topics": "array('another')"}, _HAS_PARTITIONS),
        Mutation("instance_id_is_unique", {"shares_instance": "true"}),
        Mutation("every_partition_has_an_owner", {"unassigned_partitions": "1"}),
        Mutation(
            "assignment_is_what_the_assignor_computes",
            {"computed": "filter(computed, of -> false)"},
            f"computed is not null and {_HAS_PARTITIONS}",
        ),
        Mutation(
            "members_do_not_outnumber_partitions",
            {"owned": "filter(owned, of -> false)", "computed": "null", "members_in_generation": "99"},
            "owned is not null and partitions_in_generation is not null",
        ),
    ],
    (MEMBERS, "accepted"): [
        Mutation(
            "static_rejoin_keeps_the_generation",
            {"previous_member_id": "'before'", "rebalance_reason": "'static_member_changed'"},
        ),
    ],
    (CONFIGS, "parsed"): [
        Mutation(
            "heartbeat_is_a_third_of_the_session",
            {
                "settings": """map_concat(
                    map_filter(settings, (name, value) -> name <> 'heartbeat.interval.ms'),
                    map('heartbeat.interval.ms', settings['session.timeout.ms']))"""
            },
            "coalesce(lower(settings['group.protocol']), 'classic') = 'classic' and settings['session.timeout.ms'] rlike '^[0-9]+$'",
        ),
    ],
    (CONFIGS, "accepted"): [
        Mutation(
            "fetch_can_hold_the_largest_message",
            {"largest_message_bytes": "2000000000"},
            "settings['max.partition.fetch.bytes'] rlike '^[0-9]+$'",
        ),
        Mutation("poll_interval_fits_the_batch", {"poll_interval_leaves": "1"}),
    ],
}
