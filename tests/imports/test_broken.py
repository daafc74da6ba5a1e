"""Files that are broken, strangely written or made to harm: named with their place, at a bounded cost."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.imports import exports
from tests.imports.exports import as_json, write, zipped
from tests.imports.test_formats import read

from confide.errors import InvalidInput
from confide.imports import Said, Wrong
from confide.imports.fed import Fed
from confide.imports.said import ASSISTANT

TELEGRAM = {"id": 1, "type": "message", "date": "2024-01-01T00:00:00", "from": "A", "from_id": "user1"}  # fmt: skip


def telegram(*messages: dict[str, Any]) -> dict[str, bytes]:
    return {"result.json": as_json({"id": 7, "messages": [TELEGRAM | one for one in messages]})}


def texts(every: list[Any]) -> list[str]:
    return [one.text for one in every if isinstance(one, Said)]


def wrong(every: list[Any]) -> list[str]:
    return [str(one) for one in every if isinstance(one, Wrong)]


@pytest.mark.req("P8")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["telegram", "whatsapp", "jsonl", "text", "claude"])
def test_marks_and_utf_16_are_read(tmp_path: Path, name: str, encoding: str) -> None:
    mark = "" if encoding == "utf-8-sig" else "\ufeff"
    make, _ = exports.EVERY[name]
    plain = make()
    found, every = read(write(tmp_path / "a", plain, "folder"))
    coded = {part: (mark + body.decode()).encode(encoding) for part, body in plain.items()}
    again, recoded = read(write(tmp_path / "b", coded, "zip"))
    assert (again, texts(recoded)) == (found, texts(every))
    assert not wrong(recoded)


def test_other_encodings_are_named(tmp_path: Path) -> None:
    chat = "12/01/2024, 10:00 - Anna: I love caf\u00e9\n13/01/2024, 10:00 - Ben: Me too\n"
    name, every = read(write(tmp_path, {"chat.txt": chat.encode("latin-1")}, "file"))
    assert name == "whatsapp"
    assert "chat.txt, line 1: line: is not UTF-8" in wrong(every)[0]
    assert texts(every) == ["Me too"]
    body = '{"messages": [{"from_id": "caf\u00e9"}]}'.encode("latin-1")
    _, every = read(write(tmp_path, {"result.json": body}, "file"))
    assert wrong(every) == ["result.json: file: is not UTF-8 after 1 records"]


def test_a_broken_zip_gives_what_can_be_unpacked(tmp_path: Path) -> None:
    line = b'{"by": "A", "text": "I love tea %d", "at": "2024-01-01"}\n'
    packed = bytearray(zipped({"a.jsonl": b"".join(line % n for n in range(2000))}))
    path = tmp_path / "a.zip"
    packed[len(packed) // 2] ^= 0xFF
    path.write_bytes(bytes(packed))
    _, every = read(path)
    assert len(texts(every)) > 100
    assert wrong(every)
    strange = bytearray(zipped({"a.jsonl": line % 1}))
    strange[8] = 99  # a method of packing that nobody knows
    strange[strange.rfind(b"PK\x01\x02") + 10] = 99
    path.write_bytes(bytes(strange))
    with pytest.raises(InvalidInput, match="broken zip"):
        read(path)
    _, every = read(path, "jsonl")
    assert "is broken inside the zip" in wrong(every)[0]
    assert zipfile.is_zipfile(path)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_nesting_costs_no_memory(tmp_path: Path, opening: bytes) -> None:
    body = b'{"messages": [{"from_id": 1}], "x": ' + opening * 100_000
    _, every = read(write(tmp_path, {"result.json": body}, "file"))
    assert wrong(every)[-1] == "result.json: file: is nested too deeply after 1 records"


def test_an_endless_string_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fed, "LONGEST", 2_000_000)
    monkeypatch.setattr(Fed, "LONGEST_SLOW", 100_000)
    for long in ("x" * 3_000_000, '\\"' * 1_500_000, '[{"' * 100_000):
        _, every = read(write(tmp_path, telegram({"text": "I love tea"}, {"text": long}), "file"))
        assert "has a value that is too long for a chat" in wrong(every)[0]
    picture = telegram({"text": "I love tea", "photo": "x" * 1_000_000}, {"text": "and milk"})
    _, every = read(write(tmp_path, picture, "file"))
    assert texts(every) == ["I love tea", "and milk"]


def test_a_record_that_is_too_large_is_named_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from confide.imports import json_parts

    monkeypatch.setattr(json_parts, "MOST_BYTES", 1_000_000)
    nested: Any = 1
    for _ in range(json_parts.DEEPEST + 1):
        nested = [nested]
    large = {"text": "no", "x": ["y" * 1000] * 2000}
    files = telegram({"text": "one"}, large, {"text": "no", "x": nested}, {"text": "two"})
    _, every = read(write(tmp_path, files, "file"))
    assert texts(every) == ["one", "two"]
    assert wrong(every) == [
        f"result.json: record {n}: is too large for one conversation" for n in (2, 3)
    ]


@pytest.mark.req("P8", "A18")
@pytest.mark.parametrize(
    "begin",
    [
        "5.1.2024 klo 15.04 -", "2024. 01. 05. 15:04 -", "05/01/2024 \u00e0 15:04 -",
        "2024. 1. 5. \uc624\ud6c4 3:04,", "[2024/1/5 \u4e0b\u53483:04:00]", "2024\u5e741\u67085\u65e5 15:04 -",
        "\u0665\u200f/\u0661\u200f/\u0662\u0660\u0662\u0664\u060c \u0663:\u0660\u0664 \u0645 -",
        "5.01.24 \u0433., 15:04 \u0447. -", "05.01.24 um 15:04 -", "05.01.24, 15:04 Uhr -",
        "05. 01. 2024. 15:04 -", "5/1/24 3:04 p. m. -", "05-01-2024 15:04 -", "2024-01-05 15:04 -",
    ],
)  # fmt: skip
def test_phones_of_many_countries(tmp_path: Path, begin: str) -> None:
    body = f"{begin} Anna: hello\n{begin} Ben: me too\n".encode()
    name, every = read(write(tmp_path, {"chat.txt": body}, "file"))
    said = [one for one in every if isinstance(one, Said)]
    assert name == "whatsapp"
    assert [(one.by.name, one.text) for one in said] == [("Anna", "hello"), ("Ben", "me too")]
    assert {one.at.isoformat() for one in said} == {"2024-01-05T15:04:00+00:00"}


def test_the_order_of_a_date_is_the_one_in_which_time_goes_on(tmp_path: Path) -> None:
    body = b"1/11/24, 10:00 - A: one\n1/12/24, 10:00 - A: two\n2/1/24, 10:00 - A: three\n"
    _, every = read(write(tmp_path, {"chat.txt": body}, "file"))
    assert [one.at.month for one in every if isinstance(one, Said)] == [1, 1, 2]


def test_a_chat_downloaded_again_is_the_same_chat(tmp_path: Path) -> None:
    body = b"01.02.24, 10:00 - A: one\n"
    rooms = set[str]()
    for name in ("WhatsApp Chat with A.txt", "WhatsApp Chat with A (1).txt"):
        _, every = read(write(tmp_path, {name: body}, "file"))
        rooms |= {one.room for one in every if isinstance(one, Said)}
    path = tmp_path / "WhatsApp Chat - A (2).zip"
    path.write_bytes(zipped({"_chat.txt": body}))
    rooms |= {one.room for one in read(path)[1] if isinstance(one, Said)}
    assert rooms == {"A"}


def test_what_a_phone_adds_to_a_message_is_not_said(tmp_path: Path) -> None:
    body = (
        "[01.02.24, 10:00:00] A: \u200eBild weggelassen\n"
        "[01.02.24, 10:00:01] A: I love tea \u200e<Diese Nachricht wurde bearbeitet>\n"
    )
    _, every = read(write(tmp_path, {"_chat.txt": body.encode()}, "file"))
    assert texts(every) == ["I love tea"]


def test_old_and_left_chats_of_telegram_are_read(tmp_path: Path) -> None:
    chat = {"id": 7, "messages": [TELEGRAM | {"from_id": 12, "text": "I love tea"}]}
    left = {"id": 8, "messages": [TELEGRAM | {"text": "I love jam"}]}
    body = as_json({
        "personal_information": {"user_id": 12}, "chats": {"list": [chat]},
        "left_chats": {"list": [left]},
    })  # fmt: skip
    _, every = read(write(tmp_path, {"result.json": body}, "file"))
    said = [one for one in every if isinstance(one, Said)]
    assert [(one.room, one.by.is_importer) for one in said] == [("7", True), ("8", False)]


@pytest.mark.req("A19")
def test_memories_of_several_users_are_each_their_own(tmp_path: Path) -> None:
    def memory(user: str, **more: str) -> dict[str, str]:
        return {
            "memory": f"{user} sings",
            "user_id": user,
            "created_at": "2024-01-01T00:00:00Z",
        } | more

    one = as_json([memory("a"), memory("a", role="assistant")])
    _, every = read(write(tmp_path, {"mem0.json": one}, "file"))
    assert [one.by.is_importer for one in every if isinstance(one, Said)] == [True]
    assert ASSISTANT in every
    _, every = read(write(tmp_path, {"mem0.json": as_json([memory("a"), memory("b")])}, "file"))
    people = [one.by for one in every if isinstance(one, Said)]
    assert [(one.name, one.is_importer) for one in people] == [("a", False), ("b", False)]


def test_spoken_words_of_a_chat_are_read(tmp_path: Path) -> None:
    parts = [{"content_type": "audio_transcription", "text": "I love tea"}, {"asset_pointer": "x"}]
    content = {"content_type": "multimodal_text", "parts": parts}
    message = {"id": "1", "author": {"role": "user"}, "content": content, "create_time": 1.7e9}
    body = json.dumps([{"id": "c", "current_node": "n", "mapping": {"n": {"message": message}}}])
    _, every = read(write(tmp_path, {"conversations.json": body.encode()}, "file"))
    assert texts(every) == ["I love tea"]
