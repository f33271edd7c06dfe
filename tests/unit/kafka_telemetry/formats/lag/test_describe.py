"""--describe of every version: recorded tables compared with a simpler parser, and layouts that were never recorded."""

import re

import pytest
from support.recorded_lag import Row, read_lag, recorded_files, select, select_kind

OFFSETS = "GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID"
NOISE = ("[", "Error:", "Warning:", "Consumer group '", "Share group '", "java.", "\tat ", "\t... ", "Caused by:")


def number(word: str) -> int | None:
    return None if word == "-" else int(word)


def table_lines(text: str) -> list[tuple[str, str]]:
    """Each row with the header above it; the names in the recordings contain no blanks."""
    header, rows = "", []
    for line in text.splitlines():
        if line.startswith("GROUP "):
            header = line
        elif line.strip() and not line.startswith(NOISE):
            rows.append((header, line))
    return rows


@pytest.mark.parametrize(
    ("name", "content"), recorded_files("*/lag/describe-*offsets-*") + recorded_files("*/lag/*one-group*")
)
def test_every_recorded_offset_and_lag_is_read(name: str, content: bytes) -> None:
    expected = []
    for header, line in table_lines(content.decode()):
        words = line.split()
        if "START-OFFSET" in header:
            expected.append((words[0], words[1], int(words[2]), None, None, number(words[4]), None, None, None))
        else:
            group, topic, partition, committed, end, lag, member, host, client = words
            owner = [None if word == "-" else word for word in (member, client, host)]
            expected.append((group, topic, int(partition), number(committed), number(end), number(lag), *owner))
    rows, receipt = read_lag(content, name)
    columns = ("group_id", "topic", "partition_id", "committed_offset", "log_end_offset", "reported_lag")
    positions = select(select_kind(rows, "group_offset"), *columns, "owner_member_id", "client_id", "client_host")
    assert sorted(positions, key=repr) == sorted(expected, key=repr)
    assert (receipt.format, receipt.understood, receipt.not_understood) == ("describe", len(expected), 0)


def test_recordings_have_thousands_of_lags_and_some_are_negative_or_without_a_commit() -> None:
    rows = [row for name, content in recorded_files("*/lag/describe-offsets-*") for row in read_lag(content, name)[0]]
    lags = [row.get("reported_lag") for row in rows]
    assert len(rows) > 2000
    assert any(lag is None for lag in lags)
    assert any(lag is not None and lag < 0 for lag in lags)
    assert all(row["lag_meaning"] == "signed" for row in rows)


@pytest.mark.parametrize(("name", "content"), recorded_files("*/lag/describe-state-*"))
def test_every_recorded_state_and_member_count_is_read_with_and_without_a_strategy(name: str, content: bytes) -> None:
    expected = []
    for _, line in table_lines(content.decode()):
        words = line.split()  # group, host:port, (id), perhaps a strategy, state, members
        assignor = words[3] if len(words) == 6 and words[3] != "-" else None
        expected.append((words[0], f"{words[1]} {words[2]}", assignor, words[-2], words[-1]))
    rows, receipt = read_lag(content, name)
    states = [
        (row["group_id"], *(row["details"].get(key) for key in ("coordinator", "assignor", "state", "members")))
        for row in select_kind(rows, "group_state")
    ]
    assert sorted(states, key=repr) == sorted(expected, key=repr)
    assert receipt.not_understood == 0


@pytest.mark.parametrize(("name", "content"), recorded_files("*/lag/describe-members-*"))
def test_every_recorded_member_is_read(name: str, content: bytes) -> None:
    expected = []
    for header, line in table_lines(content.decode()):
        match = re.fullmatch(r"(\S+) +(\S+) +(?:([^/\s]\S*) +)?(/\S+) +(\S+) +(\d+) +(.*?) *", line)
        assert match
        group, member, instance, host, client, partitions, rest = match.groups()
        assignment = rest.split()[1] if "CURRENT-ASSIGNMENT" in header else rest
        expected.append((group, member, instance, host, client, partitions, None if assignment == "-" else assignment))
    rows, receipt = read_lag(content, name)
    members = select_kind(rows, "member")
    keys = ("group_id", "owner_member_id", "instance_id", "client_host", "client_id", "partitions", "assignment")
    values = select([row | row["details"] for row in members], *keys)
    assert sorted(values, key=repr) == sorted(expected, key=repr)
    assert receipt.not_understood == 0


def test_a_table_directly_after_another_one_is_read() -> None:
    # 3.9 prints tables like this, without a line feed at the end.
    text = f"{OFFSETS}\na t 0 1 2 1 - - -\n{OFFSETS}\nb t 0 1 2 1 - - -"
    assert select(read_lag(text)[0], "source_position", "group_id") == [(2, "a"), (4, "b")]


def test_a_warning_printed_right_after_the_last_row_is_removed() -> None:
    text = (
        f"{OFFSETS}\ng t 0 1 2 1 m-1 /10.0.0.1 c-1[2026-01-31 12:00:00,123] WARN [AdminClient clientId=a-1] Connection"
        " to node -1 (/10.0.0.9:9092) could not be established. (org.apache.kafka.clients.NetworkClient)"
    )
    rows, receipt = read_lag(text)
    assert select(rows, "group_id", "client_id", "client_host") == [("g", "c-1", "/10.0.0.1")]
    assert receipt.understood == 1


@pytest.mark.parametrize("client", ["-", "my client"])
@pytest.mark.parametrize("group", ["nightly batch 7", "7 8 9", "g"])
def test_group_ids_and_client_ids_may_contain_blanks(group: str, client: str) -> None:
    row = f"{group:<15} orders-x        3          -5              18              -23             m-1             /10.0.0.1       {client}"
    rows, receipt = read_lag(f"{OFFSETS}\n{row}\n")
    columns = ("group_id", "topic", "partition_id", "committed_offset", "log_end_offset", "reported_lag", "client_id")
    assert select(rows, *columns) == [(group, "orders-x", 3, -5, 18, -23, None if client == "-" else client)]
    assert receipt.understood == 1


def test_values_that_overflow_their_columns_are_split_by_what_they_look_like() -> None:
    row = "a group with a long name orders.with.a.long.name 12 1234567890123456 1234567890123460 4 m-1 /10.0.0.1 c 1"
    rows, _ = read_lag(f"{OFFSETS}\n{row}\n")
    columns = ("group_id", "topic", "partition_id", "committed_offset", "client_id")
    assert select(rows, *columns) == [
        ("a group with a long name", "orders.with.a.long.name", 12, 1234567890123456, "c 1"),
    ]


def test_the_leader_epoch_of_the_verbose_view_is_a_detail() -> None:
    text = (
        "GROUP  TOPIC  PARTITION  LEADER-EPOCH  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID\n"
        "g      t      0          5             7               9               2    -            -     -\n"
        "g      t      1          -             -               9               -    -            -     -\n"
    )
    rows, _ = read_lag(text)
    assert select(rows, "partition_id", "committed_offset", "details") == [
        (0, 7, {"leader_epoch": "5"}),
        (1, None, None),
    ]


def test_a_blank_strategy_and_a_state_wider_than_its_column_as_in_2_8_are_read() -> None:
    text = (
        "GROUP                     COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE           #MEMBERS\n"
        "empty-one                 10.0.0.1:9092 (1)                              Empty           0\n"
        "moving one                10.0.0.1:9092 (1)         range                CompletingRebalance 2\n"
        "preparing                 10.0.0.1:9092 (1)                              PreparingRebalance 3\n"
    )
    rows, _ = read_lag(text)
    coordinator = {"coordinator": "10.0.0.1:9092 (1)"}
    assert select(rows, "kind", "group_id", "details") == [
        ("group_state", "empty-one", coordinator | {"state": "Empty", "members": "0"}),
        (
            "group_state",
            "moving one",
            coordinator | {"assignor": "range", "state": "CompletingRebalance", "members": "2"},
        ),
        ("group_state", "preparing", coordinator | {"state": "PreparingRebalance", "members": "3"}),
    ]


def test_members_of_2_8_with_assignments_of_several_topics_are_read() -> None:
    text = (
        "GROUP           CONSUMER-ID     GROUP-INSTANCE-ID HOST            CLIENT-ID   #PARTITIONS     ASSIGNMENT\n"
        "g               m-1             pod-1             /10.0.0.1       c-1         3               a(0,1), b(2)\n"
        "g               m-2                               /10.0.0.2       c-2         0               -\n"
    )
    rows, _ = read_lag(text)
    assert select(rows, "owner_member_id", "client_host", "details") == [
        ("m-1", "/10.0.0.1", {"instance_id": "pod-1", "partitions": "3", "assignment": "a(0,1), b(2)"}),
        ("m-2", "/10.0.0.2", {"partitions": "0"}),
    ]


def test_the_assignment_of_members_in_3_9_stays_unparsed_because_it_names_no_topics() -> None:
    text = "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\ng m-1 /10.0.0.1 c-1 4 (0,1), (0,1)\n"
    rows, _ = read_lag(text)
    assert select(rows, "topic", "details") == [(None, {"partitions": "4", "assignment": "(0,1), (0,1)"})]


def test_members_of_a_group_that_migrates_to_the_new_protocol_are_read() -> None:
    ((name, content),) = [(name, content) for name, content in recorded_files("*/lag/*") if b"UPGRADED" in content]
    rows, _ = read_lag(content, name)
    details = {row["client_id"]: row["details"] for row in rows if "upgraded" in row.get("details", {})}
    assert details["profile-v2-1"] == {
        "partitions": "0",
        "current_epoch": "2",
        "target_epoch": "2",
        "target_assignment": "profiles:2",
        "upgraded": "true",
    }
    assert details["consumer-customer-profile-1"]["assignment"] == "profiles:0,2"


def test_the_epochs_of_the_verbose_state_are_details() -> None:
    text = (
        "GROUP COORDINATOR (ID)          ASSIGNMENT-STRATEGY STATE GROUP-EPOCH TARGET-ASSIGNMENT-EPOCH #MEMBERS\n"
        "g     10.0.0.1:9092  (1)        uniform             Stable 12         12                      3\n"
    )
    assert read_lag(text)[0][0]["details"] == {
        "coordinator": "10.0.0.1:9092 (1)",
        "assignor": "uniform",
        "state": "Stable",
        "members": "3",
        "group_epoch": "12",
        "target_assignment_epoch": "12",
    }


def test_a_share_group_has_no_committed_offsets() -> None:
    ((name, content),) = recorded_files("*/lag/describe-share-offsets*")
    rows, _ = read_lag(content, name)
    assert select(rows, "partition_id", "committed_offset", "reported_lag", "lag_meaning", "details") == [
        (0, None, 905, None, {"share_start_offset": "620", "group_type": "share"}),
        (1, None, None, None, {"group_type": "share"}),
        (2, None, 471, None, {"share_start_offset": "558", "group_type": "share"}),
    ]


@pytest.mark.parametrize(("name", "content"), recorded_files("*/lag/list-*"))
def test_a_list_of_groups_is_ignored(name: str, content: bytes) -> None:
    rows, receipt = read_lag(content, name)
    assert rows == []
    assert (receipt.format, receipt.ignored) == ("describe", len(content.splitlines()) - 1)


@pytest.mark.parametrize(("name", "content"), recorded_files("*/lag/describe-missing-group-*"))
def test_errors_and_stack_traces_are_ignored(name: str, content: bytes) -> None:
    rows, receipt = read_lag(content, name)
    assert rows == []
    assert receipt.ignored == sum(line.strip() != "" for line in content.decode().splitlines()) > 0


def test_a_line_that_is_neither_a_row_nor_a_warning_is_stored_as_text() -> None:
    rows, receipt = read_lag(
        f"{OFFSETS}\ng t 0 1 2 1 - - -\ng t zero 1 2 1 - - -\ng t 0 1234567890123456789 2 1 - - -\n"
    )
    assert select(select_kind(rows, "unknown"), "source_position", "text") == [
        (3, "g t zero 1 2 1 - - -"),
        (4, "g t 0 1234567890123456789 2 1 - - -"),
    ]
    assert (receipt.understood, receipt.not_understood) == (1, 2)


def test_long_tables_are_read_and_may_contain_rows_with_blanks() -> None:
    lines = [f"g-{at} t {at} {at * 3} {at * 5} {at * 2} - - -" for at in range(3000)] + ["two words t 1 1 2 1 - - -"]
    rows, receipt = read_lag("\n".join([OFFSETS, *lines]))

    def expected(line: str) -> Row:
        match = re.match(r"(.*) t (\d+) (\d+) (\d+) (\d+) ", line)
        assert match
        group, *numbers = match.groups()
        names = ("partition_id", "committed_offset", "log_end_offset", "reported_lag")
        return {"group_id": group} | {name: int(number) for name, number in zip(names, numbers, strict=True)}

    keys = ("group_id", "partition_id", "committed_offset", "log_end_offset", "reported_lag")
    assert [{key: row[key] for key in keys} for row in rows] == [expected(line) for line in lines]
    assert receipt.understood == len(lines)
