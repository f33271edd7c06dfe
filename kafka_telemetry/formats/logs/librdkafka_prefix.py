"""Splits messages that librdkafka passes to the logging of an application: `FAC [client.id#consumer-1] [thrd:main]: …`.

The lines that librdkafka writes itself, `%7|time|FAC|client.id#consumer-1| [thrd:main]: …`, are a layout of their own.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.columns import Flags
from kafka_telemetry.formats.logs.arrow_masks import byte_lengths, mask, with_rows_replaced
from kafka_telemetry.formats.text_bytes import substrings

_PREFIX = (
    r"^(?P<prefix>[A-Z][A-Z0-9_]* \[(?P<client>[^\n]*?#(?:consumer|producer)-\d+)\]:? "
    r"(?:\[thrd:(?P<thread>[^\n]*?)\]: )?)"
)


def split_librdkafka_messages(parts: dict[str, pa.Array]) -> tuple[dict[str, pa.Array], Flags]:
    """Returns the parts of all entries, with the client, thread and message of such messages, and marks these."""
    message = parts["message"]
    found = pc.extract_regex(message, _PREFIX)
    matched = mask(found.is_valid())
    rows = np.flatnonzero(matched)
    if not len(rows):
        return parts, matched
    found, prefixed = found.drop_null(), message.filter(pa.array(matched))
    thread = pc.struct_field(found, "thread")
    replaced = {
        "client": pc.struct_field(found, "client"),
        "thread": pc.if_else(pc.equal(thread, ""), None, thread),
        "message": substrings(prefixed, byte_lengths(pc.struct_field(found, "prefix")), byte_lengths(prefixed)),
    }
    return parts | {name: with_rows_replaced(parts[name], rows, values) for name, values in replaced.items()}, matched
