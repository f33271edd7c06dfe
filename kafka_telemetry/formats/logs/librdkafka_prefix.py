"""librdkafka through the logging of the language that binds it: `FAC [client.id#consumer-1] [thrd:main]: …` is the message.

Its own lines, `%7|time|FAC|client.id#consumer-1| [thrd:main]: …`, are a layout of a file.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import Mask, lengths, mask, spread
from kafka_telemetry.formats.text_bytes import substrings

_HANDED_ON = (
    r"^(?P<opening>[A-Z][A-Z0-9_]* \[(?P<client>[^\n]*?#(?:consumer|producer)-\d+)\]:? "
    r"(?:\[thrd:(?P<thread>[^\n]*?)\]: )?)"
)


def handed_on(frames: dict[str, pa.Array]) -> tuple[dict[str, pa.Array], Mask]:
    """The frames with client, thread and words of such messages taken apart, and which these are."""
    message = frames["message"]
    found = pc.extract_regex(message, _HANDED_ON)
    fits = mask(found.is_valid())
    rows = np.flatnonzero(fits)
    if not len(rows):
        return frames, fits
    found, behind = found.drop_null(), message.filter(pa.array(fits))
    begin = lengths(pc.struct_field(found, "opening"))
    thread = pc.struct_field(found, "thread")
    parts = {
        "client": pc.struct_field(found, "client"),
        "thread": pc.if_else(pc.equal(thread, ""), None, thread),
        "message": substrings(behind, begin, lengths(behind)),
    }
    return frames | {name: spread(frames[name], rows, values) for name, values in parts.items()}, fits
