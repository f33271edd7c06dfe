"""Parses the settings of a printed consumer configuration: `ConsumerConfig values: ` and a line for each setting."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafka_telemetry.formats.logs.arrow_masks import mask

OPENINGS = ("ConsumerConfig values:", "ShareConsumerConfig values:")
_SETTING = r"^\s+(?P<key>[A-Za-z0-9_.-]+) = ?(?P<value>.*?)\s*$"


def parse_settings(texts: pa.StringArray) -> pa.MapArray:
    """Returns one map per text. A value printed as null is null; a password is printed hidden, and stays so."""
    lines = pc.split_pattern(texts, "\n")
    text_of_line = pc.list_parent_indices(lines).to_numpy()
    found = pc.extract_regex(pc.list_flatten(lines), _SETTING)
    is_setting = mask(found.is_valid())
    found = found.drop_null()
    offsets = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum(np.bincount(text_of_line[is_setting], minlength=len(texts)), out=offsets[1:])
    value = pc.struct_field(found, "value")
    values = pc.if_else(pc.equal(value, "null"), None, value)
    return pa.MapArray.from_arrays(pa.array(offsets), pc.struct_field(found, "key"), values)
