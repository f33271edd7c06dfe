"""Groups are printed as the tools of Kafka 4.3 printed such groups in the recording."""

from spark_jobs.collect.cluster_client import Broker
from spark_jobs.collect.describe_text import has_unprintable_text, members_table, offsets_table, states_table
from spark_jobs.collect.described_groups import DescribedGroup, DescribedMember

BROKER = Broker(1, "127.0.0.1", 19092)
STATIC = DescribedGroup(
    "pricing-engine",
    BROKER,
    "Stable",
    "range",
    (
        DescribedMember(
            "pricing-engine-2-240d8e2f-aa3e-410b-9650-ea32aa1fb640",
            "pricing-engine-2",
            "consumer-pricing-engine-pricing-engine-2",
            "/127.0.0.1",
            (("prices", 3), ("prices", 2)),
        ),
    ),
    None,
    {("prices", 2): 40, ("prices", 9): 7},
)
EMPTY = DescribedGroup("archive-writer", BROKER, "Empty", "", ())


def test_members_have_the_columns_of_the_recording() -> None:
    assert members_table([STATIC]) == (
        "\nGROUP           CONSUMER-ID                                           GROUP-INSTANCE-ID HOST            "
        "CLIENT-ID                                #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    "
        "TARGET-ASSIGNMENT   \n"
        "pricing-engine  pricing-engine-2-240d8e2f-aa3e-410b-9650-ea32aa1fb640 pricing-engine-2  /127.0.0.1      "
        "consumer-pricing-engine-pricing-engine-2 2               -               prices:2,3           -               "
        "-                   \n"
    )


def test_a_group_without_members_has_a_header() -> None:
    assert members_table([EMPTY]) == (
        "\nGROUP           CONSUMER-ID     HOST            CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   "
        "CURRENT-ASSIGNMENT   TARGET-EPOCH    TARGET-ASSIGNMENT   \n"
    )


def test_a_group_of_both_protocols_says_which_member_uses_the_new_one() -> None:
    members = [
        DescribedMember(name, "", name, "/h", (("t", 0),), (("t", 0), ("u", 1)), 4, upgraded)
        for name, upgraded in (("a", True), ("b", False))
    ]
    lines = members_table([DescribedGroup("g", BROKER, "Stable", "uniform", tuple(members), 5)]).splitlines()
    assert lines[1].endswith("TARGET-EPOCH    TARGET-ASSIGNMENT    UPGRADED")
    assert [line.split()[4:] for line in lines[2:]] == [
        ["1", "4", "t:0", "5", "t:0;u:1", "true"],
        ["1", "4", "t:0", "5", "t:0;u:1", "false"],
    ]


def test_positions_without_an_end_or_a_commit_are_unknown_and_not_zero() -> None:
    rows = [line.split() for line in offsets_table([EMPTY, STATIC], {("prices", 2): 42}).splitlines()[2:]]
    owner = ["pricing-engine-2-240d8e2f-aa3e-410b-9650-ea32aa1fb640", "/127.0.0.1"]
    client = "consumer-pricing-engine-pricing-engine-2"
    assert rows == [
        ["pricing-engine", "prices", "2", "40", "42", "2", *owner, client],
        ["pricing-engine", "prices", "3", "-", "-", "-", *owner, client],
        ["pricing-engine", "prices", "9", "7", "-", "-", "-", "-", "-"],
    ]


def test_states_have_the_columns_of_the_recording() -> None:
    assert states_table([EMPTY]) == (
        "\nGROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                #MEMBERS\n"
        "archive-writer  127.0.0.1:19092  (1)      -                    Empty                0\n"
    )


def test_a_name_that_would_be_another_line_of_the_table_is_noticed() -> None:
    member = DescribedMember("m", "", "client\ngroup t 0 1 1 0 - - -", "/h", ())
    assert has_unprintable_text(DescribedGroup("g", BROKER, "Stable", "", (member,)))
    assert has_unprintable_text(DescribedGroup("g\u2028", BROKER, "Stable", "", ()))
    assert not has_unprintable_text(STATIC)
