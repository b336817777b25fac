"""Lines into columns: what is read, what is passed over, what is reported."""

from pathlib import Path

import pytest

from harness.history.columns import ACK, OFFER, Columns
from harness.history.lines import read_lines

GOOD = b'{"e":"ack","t":5,"key":"a"}\n'


def read(folder: Path, *contents: bytes) -> Columns:
    files = [folder / f"{number}.jsonl" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    return read_lines([str(file) for file in files])


def test_time_orders_the_events_of_several_files_and_their_order_does_not(tmp_path: Path) -> None:
    one, other = GOOD + b'{"e":"ack","t":1,"key":"b"}\n', b'{"e":"ack","t":3,"key":"c"}\n'
    for contents in ((one, other), (other, one)):
        columns = read(tmp_path, *contents)
        assert [columns.keys[job] for job in columns.job] == ["b", "c", "a"]


def test_the_rows_of_a_kind_stand_together(tmp_path: Path) -> None:
    columns = read(tmp_path, GOOD + b'{"e":"offer","t":7,"key":"a","intended":6}\n')
    assert (columns.kind.tolist(), columns.t.tolist(), columns.intended.tolist()) == ([OFFER, ACK], [7, 5], [6])


@pytest.mark.parametrize("torn", [b"", b'{"e":"ack","t":6', b'{"e":"ack","t":6,"key":"b"}', b"\x00\xff\xfe"])
def test_a_last_line_without_a_newline_is_passed_over(tmp_path: Path, torn: bytes) -> None:
    columns = read(tmp_path, GOOD + torn)
    assert (columns.keys, columns.unreadable) == (["a"], ())


def test_an_empty_file_holds_nothing(tmp_path: Path) -> None:
    columns = read(tmp_path, b"")
    assert (len(columns.t), columns.keys, columns.notes, columns.unreadable) == (0, [], (), ())


@pytest.mark.parametrize(
    "line",
    [
        b"\x00\x01\xff binary junk",
        b"{}",
        b"[]",
        b'{"e":"nonsense","t":1}',
        b'{"e":"ack","t":1}',
        b'{"e":"ack","t":"1","key":"b"}',
        b'{"e":"ack","t":-1,"key":"b"}',
        b'{"e":"ack","t":9223372036854775807,"key":"b"}',
        b'{"e":"ack","t":99999999999999999999999,"key":"b"}',
        b'{"e":"ack","t":1,"key":"\xff"}',
        b'{"e":"ack","t":1,"key":"b"}{"e":"ack","t":1,"key":"c"}',
        b'{"e":"ack","t":1,\n"key":"b"}',
        b'{"e":"offer","t":1,"key":"b","intended":9223372036854775808}',
        b'{"e":"start","t":1,"worker":"w","pid":1,"key":"b","run":"1","attempt":2147483648}',
        b'{"e":"fault","t":1,"n":0,"fault":"f","state":"injected","evidence":{"a":' + b"[" * 100_000 + b"]" * 9 + b"}}",
    ],
    ids=lambda line: line[:40].decode("utf-8", "replace"),
)
def test_a_line_that_is_no_event_is_reported_and_nothing_else_suffers(tmp_path: Path, line: bytes) -> None:
    columns = read(tmp_path, GOOD + b"\n" + line + b"\n" + GOOD)
    assert columns.keys == ["a"]
    assert (columns.t.tolist(), columns.job.tolist()) == ([5, 5], [0, 0])
    assert [bad.line for bad in columns.unreadable] == [3 + n for n in range(line.count(b"\n") + 1)]
    assert columns.unreadable[0].file == "0.jsonl"


def test_keys_may_be_anything_that_a_string_may_be(tmp_path: Path) -> None:
    columns = read(tmp_path, b'{"e":"ack","t":1,"key":"a\\n\\"\\u0000\xe2\x98\x83<b>"}\n')
    assert (columns.keys, columns.unreadable) == (['a\n"\x00☃<b>'], ())
