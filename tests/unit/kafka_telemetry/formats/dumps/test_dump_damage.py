"""Damaged and malicious text dumps: no reader fails, and every record is counted."""

import random

import pytest
from support.dump_reading import read_dump, recorded_console_dumps
from support.segment_reading import read_file, recorded_dumps

_PIECES = (
    *(b"\n", b"\r\n", b'"', b"\\", b"{", b"}", b"]", b",", b"-", b"9" * 19, b"9" * 18, b"\xff", b"\0", b"null"),
    *(b'{"key":', b"\\ud800", b" payload: ", b"| offset: ", b"Dumping ", b"baseOffset: ", b"key: ", b"::NULL"),
    *(
        b"<DELETE>",
        b"[g,t,0]::NULL\n",
        b"| key: offset_commit::group=a,partition=b-1 payload: offset=1\n",
        b"offset: 1 ",
    ),
    *(b"Dumping x/__consumer_offsets-99999999999/0.log\n", b"true", b"false", b"(", b")", b"[", b"=", b"consumer"),
)
_OLD = (
    b"Dumping /d/__consumer_offsets-7/00000000000000000000.log\nStarting offset: 0\n"
    b"offset: 3 position: 0 CreateTime: 5 size: 10 magic: 1 compresscodec: NONE crc: 7 isvalid: true\n"
    b"| offset: 0 isValid: true crc: null keySize: 24 valueSize: 27 CreateTime: 7 baseOffset: 0 lastOffset: 0 "
    b"headerKeys: [] key: offset_commit::group=orders-x,partition=orders-1 payload: offset=459,metadata=abc\n"
    b"| offset: 1 CreateTime: 7 keySize: 24 valueSize: 27 sequence: 0 headerKeys: [] key: group_metadata::group=g payload: "
    b'{"protocolType":"consumer","protocol":"range","generationId":1,"assignment":"{a=[t-0],b=[]:00}"}\n'
)
_OLD_CONSOLE = (
    b"[g,t,1]::OffsetAndMetadata(offset=5, leaderEpoch=Optional[7], metadata=m, commitTimestamp=5, expireTimestamp=None)\n"
    b"G::GroupMetadata(groupId=G, generation=1, protocolType=Some(consumer), currentState=Stable, members=HashMap("
    b"M -> MemberMetadata(memberId=M, groupInstanceId=None, clientId=c, clientHost=/h, sessionTimeoutMs=1, "
    b"rebalanceTimeoutMs=3, supportedProtocols=List(range), )))\nG::NULL\n"
)


def _samples() -> list[bytes]:
    recorded = [read_file(path)[:6000] for path in (*recorded_dumps()[::9], *recorded_console_dumps()[::3])]
    return [*recorded, _OLD * 3, _OLD_CONSOLE * 3]


@pytest.mark.parametrize("seed", range(12))
def test_damaged_records_are_counted(seed: int) -> None:
    chance = random.Random(seed)
    samples = _samples()
    assert len(samples) > 8
    for sample in samples:
        for _ in range(4):
            data = bytearray(sample)
            for _ in range(chance.randrange(1, 12)):
                at = chance.randrange(len(data))
                data[at : at + chance.choice((0, 0, 1, 3, 30))] = chance.choice(_PIECES)
            rows, receipt = read_dump(bytes(data))
            assert receipt.records >= len(rows) - receipt.ignored


@pytest.mark.parametrize("sample", range(3))
def test_a_dump_that_is_cut_anywhere_is_read_up_to_there(sample: int) -> None:
    data = (read_file(recorded_dumps()[0])[:2500], _OLD, _OLD_CONSOLE)[sample]
    all_rows, _ = read_dump(data + b"\n" if sample == 0 else data)
    for end in range(200, len(data), 37):
        rows, _ = read_dump(data[:end])
        understood = [row for row in rows if row["kind"] != "unknown"]
        assert understood == all_rows[: len(understood)]
        assert len(rows) - len(understood) <= 1
