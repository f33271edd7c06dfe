"""A delivery with log lines and an offsets record that no Kafka release has written."""

from pathlib import Path

CLUSTER = "unknown-records"
# The second and the third are messages of the group coordinator that no template matches.
MESSAGES = (
    "Stabilized group g generation 1 with 1 members.",
    "Something new of group g at 7.",
    "Something new of group h at 9.",
    "Starting up.",
)
_LOGGER = "org.apache.kafka.coordinator.group.GroupMetadataManager"
_LINE = "[2026-11-18 10:00:0{},120] INFO [GroupCoordinator id=1 topic=__consumer_offsets partition=3] {} ({})\n"
_CUT_OFF_LINE = "[2026-11-18 10:00:09,120] INFO [GroupCoordinator i\n"
_DUMP = (
    "Dumping /data/__consumer_offsets-3/0.log\nLog starting offset: 0\n"
    "baseOffset: 0 lastOffset: 1 count: 2 baseSequence: -1 lastSequence: -1 producerId: -1 producerEpoch: -1 "
    "partitionLeaderEpoch: 0 isTransactional: false isControl: false deleteHorizonMs: OptionalLong.empty position: 0 "
    "CreateTime: 1795001238204 size: 200 magic: 2 compresscodec: none crc: 1 isvalid: true\n"
    "| offset: 0 CreateTime: 1795001238204 keySize: 24 valueSize: 42 sequence: -1 headerKeys: [] key: "
    '{"type":"99","data":{"groupId":"g"}} payload: {"version":"0","data":{}}\n'
)


def deliver(landing: Path) -> None:
    log = "".join(_LINE.format(second, message, _LOGGER) for second, message in enumerate(MESSAGES)) + _CUT_OFF_LINE
    for source, name, text in (
        ("group_logs", "server.log", log),
        ("offset_dumps", "dump-__consumer_offsets-3.txt", _DUMP),
    ):
        file = landing / source / f"cluster={CLUSTER}" / "date=2026-11-18" / "b1" / name
        file.parent.mkdir(parents=True)
        file.write_text(text)
