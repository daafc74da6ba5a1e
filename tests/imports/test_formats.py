"""Every format: bytes in, messages out; what is broken is named with its place and the rest is read."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import pytest
from tests.conftest import DATA
from tests.imports import exports
from tests.imports.exports import ALL, EVERY, MINE, as_json, write, zipped

from confide.errors import InvalidInput
from confide.imports import LeftOut, Read, Said, Wrong, open_files, recognise
from confide.imports.said import moment


def read(path: Path, wanted: str | None = None) -> tuple[str, list[Read]]:
    files = open_files(path)
    format = recognise(files, wanted)
    return format.name, list(format.read(files))


@pytest.mark.req("P8")
@pytest.mark.parametrize("packing", ["file", "folder", "zip"])
@pytest.mark.parametrize("name", EVERY)
def test_each_export_is_recognised_and_read(tmp_path: Path, name: str, packing: str) -> None:
    make, has_others = EVERY[name]
    found, every = read(write(tmp_path, make(), packing))
    said = [one for one in every if isinstance(one, Said)]
    assert found == name
    assert sorted(one.text for one in said) == sorted(ALL if has_others else MINE)
    assert not [one for one in every if isinstance(one, Wrong)]
    if name != "text":  # notes have no times of their own
        assert {one.at for one in said} <= {exports.at(n) for n in range(len(ALL))}
    assert len({(one.room, one.id) for one in said}) == len(said), "ids tell messages apart"
    if has_others:
        assert {one.by.name.title() for one in said} == {"Me", "Anna", "Ben"}, (
            "each has its speaker"
        )


STYLES = [
    ("%d/%m/%Y, %H:%M - ", ""), ("%m/%d/%y, %H:%M - ", ""), ("[%d.%m.%y, %H:%M:%S] ", ""),
    ("%m/%d/%y, %I:%M\u202f%p - ", ""), ("[%Y-%m-%d, %H:%M:%S] ", ""), ("%d.%m.%y, %H:%M - ", ""),
    ("[%d/%m/%Y, %I:%M:%S %p] ", "\u200e"), ("%Y/%m/%d, %H:%M - ", ""),
]  # fmt: skip


@pytest.mark.req("P8", "A18")
@pytest.mark.parametrize(("style", "mark"), STYLES)
def test_every_way_a_phone_writes_dates(tmp_path: Path, style: str, mark: str) -> None:
    _, every = read(write(tmp_path, exports.whatsapp(style, mark), "file"))
    said = [one for one in every if isinstance(one, Said)]
    assert [(one.at, one.text) for one in said] == [(exports.at(n), t) for n, t in enumerate(ALL)]


@pytest.mark.req("P8")
@pytest.mark.parametrize("fields", [{"is_do_not_remember": True}, {"memory_scope": "project_v2"}])
def test_chats_that_were_kept_out_of_memory_stay_out(tmp_path: Path, fields: object) -> None:
    tree = exports._tree("private") | fields  # pyright: ignore
    _, every = read(write(tmp_path, {"conversations.json": as_json([tree])}, "file"))
    assert not [one for one in every if isinstance(one, Said)]
    assert LeftOut("its conversation is excluded from memory") in every


def test_what_is_wrong_is_named_with_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    good = json.dumps({"by": "Ann", "text": "I like tea", "at": "2026-01-01T00:00:00Z"}).encode()
    lines = [
        good, b"{", b"[]", b"\xff\xfe\xfa", b'{"by": "x", "at": "2026-01-01"}',
        b'{"by": "x", "text": "hi", "at": "soon"}', b'{"text": "' + b"x" * (5 * 1024**2) + b'"}', good,
    ]  # fmt: skip
    _, every = read(write(tmp_path, {"a.jsonl": b"\n".join(lines)}, "file"))
    wrong = [one for one in every if isinstance(one, Wrong)]
    assert [(one.where, one.field) for one in wrong] == [
        ("a.jsonl, line 2", "line"), ("a.jsonl, line 3", "line"), ("a.jsonl, line 4", "line"),
        ("a.jsonl, line 5", "text"), ("a.jsonl, line 6", "at"), ("a.jsonl, line 7", "line"),
    ]  # fmt: skip
    assert len([one for one in every if isinstance(one, Said)]) == 2


def test_a_file_that_is_cut_off_gives_what_came_before(tmp_path: Path) -> None:
    (name, body), *_ = exports.telegram().items()
    _, every = read(write(tmp_path, {name: body[: body.index(b"service") + 3]}, "file"))
    assert [one for one in every if isinstance(one, Said)]
    assert isinstance(every[-1], Wrong)


@pytest.mark.parametrize("name", ["../evil.json", "/etc/evil.json", "a/../../b.json", "C:\\x.json"])
def test_paths_that_lead_out_of_a_zip_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(zipped({name: b"[]"}))
    with pytest.raises(InvalidInput, match="outside"):
        open_files(path)


def test_bombs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.zip"
    path.write_bytes(zipped({"conversations.json": b'[{"mapping":' + b" " * (40 * 1024**2)}))
    with pytest.raises(InvalidInput, match="far more"):
        open_files(path)


def test_a_zip_that_lies_about_its_size_is_not_read_on(tmp_path: Path) -> None:
    raw = bytearray(zipped({"a.jsonl": b'{"text": "hi"}\n' * 2000}))
    size = (30000).to_bytes(4, "little")
    while (found := raw.find(size)) >= 0:
        raw[found : found + 4] = (300).to_bytes(4, "little")
    path = tmp_path / "liar.zip"
    path.write_bytes(bytes(raw))
    with pytest.raises(InvalidInput, match="broken zip"):
        read(path)
    _, every = read(path, "jsonl")
    assert [str(one) for one in every] == [
        "a.jsonl: file: is broken inside the zip; download it again (0 lines were read)"
    ]


@pytest.mark.parametrize("name", EVERY)
def test_broken_files_never_crash_a_reader(tmp_path: Path, name: str) -> None:
    """A small part of `python -m benchmarks.fuzz_imports`."""
    from tests.imports.mutations import survives

    rng = random.Random(f"{name}-1")
    files = EVERY[name][0]()
    for _ in range(60):
        survives(name, files, rng)


def test_times_are_read_or_refused() -> None:
    assert moment("1700000000") == moment(1700000000.0) == moment("2023-11-14T22:13:20Z")
    for bad in (None, True, "soon", "", [], {}, 1e300, "9" * 400, float("nan")):
        assert moment(bad) is None


if DATA.is_dir():
    PUBLIC = DATA / "exports"

    @pytest.mark.req("P8")
    @pytest.mark.parametrize(
        ("file", "format", "messages"),
        [
            ("chatgpt-export-parser/example-conversation.json", "chatgpt", 2),
            ("polylogue/tests/fixtures/chatgpt/native-conversation-v1.json", "chatgpt", 1),
            ("polylogue/claude-ai/representatives/sample-01.json", "claude", 3),
            ("chat-analytics/telegram/BIG_20A_5475M.json", "telegram", 5475),
            ("slack-export-viewer/testarchive.zip", "slack", 49),
            ("zulip/slack_fixtures/test_slack_importer.zip", "slack", 79),
            ("langchain/slack_export.zip", "slack", 4),
            ("langchain/whatsapp_chat.txt", "whatsapp", 8),
            ("chat-analytics/whatsapp/4A_11M.zip", "whatsapp", 11),
            ("chat-analytics/discord/GC_3A_5M.json", "discord", 3),
            ("chat-analytics/discord/SV_5A_5M.json", "discord", 5),
            ("chat-analytics/telegram/DM_2A_7M.json", "telegram", 4),
        ],
    )
    def test_public_samples_are_read(file: str, format: str, messages: int) -> None:
        found, every = read(PUBLIC / file)
        assert found == format
        assert len([one for one in every if isinstance(one, Said)]) == messages


def test_a_zip_can_be_opened_again_and_again(tmp_path: Path) -> None:
    files = open_files(write(tmp_path, exports.claude(), "zip"))
    format = recognise(files)
    assert list(format.read(files)) == list(format.read(files))
    assert isinstance(files.open(files.parts[0]), io.BufferedReader)
