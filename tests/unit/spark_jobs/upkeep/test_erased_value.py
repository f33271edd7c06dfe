"""Where the value that is erased is found, and where another name is."""

import pyarrow as pa
import pytest

from spark_jobs.upkeep.erased_value import ErasedValue

_UUID = "-5f0c2f4e-1111-4222-8333-444455556666"


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("group", "orders", "orders"),
        ("group", "orders", "[Consumer clientId=c-1, groupId=orders] Revoked"),
        ("group", "orders", "Group orders. Next sentence"),
        ("group", "orders", f"member consumer-orders-1{_UUID} left"),
        ("group", "orders", f"orders{_UUID}"),
        ("group", "orders", "group_logs/cluster=eu/date=2026-01-01/orders-2/app.log"),
        ("group", "orders", '{"text":"first\\norders second"}'),
        ("client_host", "10.0.0.1", "from /10.0.0.1:9092"),
        ("client_host", "/10.0.0.1", "host 10.0.0.1."),
        ("client_id", 'a"b<c>\n', '{"client_id":"a\\"b<c>\\n"}'),
        ("client_id", 'a"b<c>', "<td>a&quot;b&lt;c&gt;</td>"),
        ("client_id", "Zoë", '{"client_id":"Zo\\u00eb"}'),
        ("client_id", "a/b c", "cluster%3Dx/a%2Fb%20c"),
        ("client_id", "c-1", f"c-1{_UUID}"),
    ],
)
def test_the_value_is_found_in_every_spelling(kind: str, value: str, text: str) -> None:
    assert ErasedValue(kind, value).is_in(text)


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("group", "orders", "orders-billing"),
        ("group", "orders", "old.orders"),
        ("group", "orders", "orders.eu"),
        ("group", "orders", "preorders"),
        ("group", "orders", "ordersx"),
        ("client_id", "c-1", "c-11"),
        ("client_id", "c", "c-1"),
        ("client_host", "10.0.0.1", "10.0.0.12"),
        ("client_host", "10.0.0.1", "110.0.0.1"),
    ],
)
def test_other_names_are_not_taken_for_it(kind: str, value: str, text: str) -> None:
    assert not ErasedValue(kind, value).is_in(text)


def test_an_instance_of_a_group_is_found_unless_its_name_is_another_groups() -> None:
    value = ErasedValue("group", "orders", other_groups=frozenset({"orders-1", "billing"}))

    assert [value.is_in(text) for text in ("orders-1", "orders-2", "orders-11")] == [False, True, True]


def test_a_group_with_the_name_of_a_topic_is_found_where_a_text_says_that_it_is_a_group() -> None:
    value = ErasedValue("group", "orders", is_other_name=True)

    assert value.is_in("groupId=orders")
    assert value.is_in('{"group_id":"orders"}')
    assert not value.is_in("Subscribed to topic(s): orders")


def test_rows_are_found_in_nested_columns_and_topics_are_left() -> None:
    owned = pa.list_(pa.struct([("topic", pa.string()), ("client_id", pa.string())]))
    rows = pa.table(
        {
            "group_id": ["orders", None, "b", "b", "b", "b", "b"],
            "topic": ["t", "orders", "t", "t", "t", "t", "t"],
            "owned": pa.array(
                [
                    None,
                    [{"topic": "orders", "client_id": "x"}],
                    [{"topic": "t", "client_id": "orders"}],
                    [],
                    None,
                    [],
                    [],
                ],
                owned,
            ),
            "details": pa.array(
                [[], [], [], [("k", "orders")], [("orders", "v")], None, []], pa.map_(pa.string(), pa.string())
            ),
            "key_bytes": pa.array([None, None, None, None, None, b"\x00\x01orders\xff", b"other"], pa.binary()),
        }
    )

    assert ErasedValue("group", "orders").rows(rows).tolist() == [True, False, True, True, True, True, False]
