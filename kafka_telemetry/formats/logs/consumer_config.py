"""What settings a printed consumer configuration holds: `ConsumerConfig values: ` and a line for each."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

OPENINGS = ("ConsumerConfig values:", "ShareConsumerConfig values:")
_SETTING = r"^\s+(?P<key>[A-Za-z0-9_.-]+) = ?(?P<value>.*?)\s*$"


def settings_of(texts: pa.StringArray) -> pa.MapArray:
    """A map for each text. What was printed as null is null; a password stands as it was printed, hidden."""
    lines = pc.split_pattern(texts, "\n")
    text_of = pc.list_parent_indices(lines).to_numpy()
    found = pc.extract_regex(pc.list_flatten(lines), _SETTING)
    here = found.is_valid().to_numpy(zero_copy_only=False)
    found = found.drop_null()
    value = pc.struct_field(found, "value")
    offsets = np.zeros(len(texts) + 1, dtype=np.int32)
    np.cumsum(np.bincount(text_of[here], minlength=len(texts)), out=offsets[1:])
    values = pc.if_else(pc.equal(value, "null"), None, value)
    return pa.MapArray.from_arrays(pa.array(offsets), pc.struct_field(found, "key"), values)
