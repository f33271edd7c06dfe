"""Why a batch or a record isn't understood. Compiled code uses the numbers; tables contain the texts."""

NONE = 0

# Problems of a batch: it becomes one row of kind `damaged`.
LENGTH = 1
TOO_LONG = 2
MAGIC = 3
CRC = 4
CODEC = 5
DECOMPRESSION = 6
DECOMPRESSED_TOO_LARGE = 7
RECORDS = 8
OVERLAPS_NEXT_BATCH = 9

# Problems of a record: it becomes a row of kind `unknown`.
KEY = 10
KEY_TYPE = 11
KEY_UTF8 = 12
VALUE_VERSION = 13
VALUE = 14
VALUE_UTF8 = 15
TIME = 16
CONTROL_TYPE = 17
VALUE_TOO_LARGE = 18
OFFSET = 20

# A remark on a record that is understood.
TRAILING_BYTES = 19

TEXTS: list[str | None] = [
    None,
    "the batch's length can't be",
    "the batch is said to be longer than 256 MiB",
    "no batch begins here: its magic number isn't 0, 1 or 2",
    "the CRC doesn't match",
    "no codec has this number",
    "the records can't be unpacked",
    "the records unpack to more than 256 MiB",
    "the records don't fill the batch as its header says",
    "the batch reaches over the next ones",
    "the key can't be decoded",
    "the type of the key isn't known",
    "the key isn't UTF-8",
    "the version of the value isn't known",
    "the value can't be decoded",
    "the value isn't UTF-8",
    "a time is beyond the years 1 to 9999",
    "the type of the control record isn't known",
    "the value is too large",
    "the key or value goes on after its last known field",
    "the offset is negative",
]
