"""A small chat in the format of every program: written for these tests, in the shape of real exports."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 2, 20, 9, 30, tzinfo=UTC)
#: (room, who, text). Whoever exports is "Me"; Anna and Ben are others.
CHAT = [
    ("private", "Me", "I love oolong tea"),
    ("private", "Anna", "My favourite tea is gunpowder"),
    ("group", "Ben", "I live in Lisbon now"),
    ("group", "Me", "I play the cello on Sundays"),
]
IDS = {"Me": "100", "Anna": "200", "Ben": "300"}
MINE = [text for _, who, text in CHAT if who == "Me"]
ALL = [text for _, _, text in CHAT]


def at(number: int) -> datetime:
    return START + timedelta(minutes=number)


def of(room: str) -> list[tuple[int, str, str]]:
    return [(n, who, text) for n, (where, who, text) in enumerate(CHAT) if where == room]


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return packed.getvalue()


def chatgpt() -> dict[str, bytes]:
    return {"conversations.json": as_json([_tree(room) for room in ("private", "group")])}


def _tree(room: str, **fields: Any) -> dict[str, Any]:
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": []}
    }
    before = "root"
    for n, who, text in of(room):
        for role, words in (("user" if who == "Me" else "assistant", text), ("tool", "{}")):
            id = f"{room}-{n}-{role}"
            mapping[before]["children"].append(id)
            mapping[id] = {
                "id": id, "parent": before, "children": [],
                "message": {
                    "id": id, "author": {"role": role}, "create_time": at(n).timestamp(),
                    "content": {"content_type": "text", "parts": [words]}, "metadata": {},
                    "recipient": "all",
                },
            }  # fmt: skip
            before = id
    # A branch that was edited away.
    mapping["root"]["children"].append("edited")
    edited = {"id": "edited", "author": {"role": "user"}, "create_time": at(0).timestamp(),
              "content": {"content_type": "text", "parts": ["I hate oolong tea"]}}  # fmt: skip
    mapping["edited"] = {"id": "edited", "parent": "root", "children": [], "message": edited}
    return {"conversation_id": room, "title": room, "current_node": before, "mapping": mapping,
            "create_time": at(0).timestamp()} | fields  # fmt: skip


def claude() -> dict[str, bytes]:
    return {
        "conversations.json": as_json(
            [
                {
                    "uuid": room, "name": room, "created_at": at(0).isoformat(),
                    "chat_messages": [
                        {"uuid": f"{room}-{n}", "sender": "human" if who == "Me" else "assistant",
                         "text": "", "content": [{"type": "text", "text": text}],
                         "created_at": at(n).isoformat().replace("+00:00", "Z")}
                        for n, who, text in of(room)
                    ],
                }
                for room in ("private", "group")
            ]
        )
    }  # fmt: skip


def gemini() -> dict[str, bytes]:
    return {
        "Takeout/My Activity/Gemini Apps/MyActivity.json": as_json(
            [
                {"header": "Gemini Apps", "title": f"Prompted {text}",
                 "time": at(n).isoformat().replace("+00:00", "Z"), "products": ["Gemini Apps"]}
                for n, (_, who, text) in enumerate(CHAT) if who == "Me"
            ] + [{"header": "Gemini Apps", "title": "Used Gemini", "time": at(9).isoformat()}]
        )
    }  # fmt: skip


def ai_studio() -> dict[str, bytes]:
    chunks = [
        {"role": "user" if who == "Me" else "model", "text": text, "createTime": at(n).isoformat()}
        for n, (_, who, text) in enumerate(CHAT)
    ]
    return {"Tea and music": as_json({"runSettings": {}, "chunkedPrompt": {"chunks": chunks}})}


def discord() -> dict[str, bytes]:
    return {
        f"{room} [{n}].json": as_json(
            {
                "guild": {"id": "0", "name": "Direct Messages"},
                "channel": {"id": f"77{n}", "type": "DirectTextChat", "name": room},
                "messages": [
                    {"id": f"9{m}", "type": "Default", "timestamp": at(m).isoformat(),
                     "content": text, "author": {"id": IDS[who], "name": who, "isBot": False}}
                    for m, who, text in of(room)
                ] + [{"id": "1", "type": "Default", "timestamp": at(0).isoformat(), "content": "beep",
                      "author": {"id": "5", "name": "bot", "isBot": True}}],
            }
        )
        for n, room in enumerate(("private", "group"))
    }  # fmt: skip


def discord_package() -> dict[str, bytes]:
    files: dict[str, bytes] = {"account/user.json": as_json({"id": "100", "username": "me"})}
    for n, room in enumerate(("private", "group")):
        files[f"messages/c{n}/channel.json"] = as_json({"id": str(n), "type": 1})
        files[f"messages/c{n}/messages.json"] = as_json(
            [{"ID": m, "Timestamp": f"{at(m):%Y-%m-%d %H:%M:%S}", "Contents": text}
             for m, who, text in of(room) if who == "Me"]
        )  # fmt: skip
    return files


def slack() -> dict[str, bytes]:
    users = [{"id": f"U{id}", "name": who.lower(), "profile": {"display_name": who}}
             for who, id in IDS.items()]  # fmt: skip
    files = {
        "users.json": as_json(users),
        "channels.json": as_json([{"id": "C1", "name": "group", "members": ["U100", "U300"]}]),
        "dms.json": as_json([{"id": "D1", "members": ["U100", "U200"]}]),
    }
    for room, folder in (("private", "D1"), ("group", "group")):
        files[f"{folder}/2026-02-20.json"] = as_json(
            [{"type": "message", "user": f"U{IDS[who]}", "text": text, "ts": f"{at(n).timestamp():.6f}"}
             for n, who, text in of(room)]
            + [{"type": "message", "subtype": "channel_join", "user": "U300", "text": "joined", "ts": "1"}]
        )  # fmt: skip
    return files


def telegram() -> dict[str, bytes]:
    chats = [
        {
            "name": room, "type": "personal_chat", "id": n,
            "messages": [
                {"id": m, "type": "message", "date": f"{at(m):%Y-%m-%dT%H:%M:%S}",
                 "date_unixtime": str(int(at(m).timestamp())), "from": who,
                 "from_id": f"user{IDS[who]}", "text": [text[:2], {"type": "bold", "text": text[2:]}]}
                for m, who, text in of(room)
            ] + [{"id": 99, "type": "service", "actor": "Ben", "actor_id": "user300", "text": ""}],
        }
        for n, room in enumerate(("private", "group"))
    ]  # fmt: skip
    me = {"user_id": 100, "first_name": "Me"}
    return {"result.json": as_json({"personal_information": me, "chats": {"list": chats}})}


def whatsapp(style: str = "%d/%m/%Y, %H:%M - ", end: str = "") -> dict[str, bytes]:
    lines = [f"{START:{style}}Messages and calls are end-to-end encrypted."]
    lines += [f"{at(n):{style}}{end}{who}: {text}" for n, (_, who, text) in enumerate(CHAT)]
    lines += [f"{at(8):{style}}{end}Anna: <Media omitted>"]
    return {"WhatsApp Chat with Anna.txt": "\n".join(lines).encode()}


def json_lines() -> dict[str, bytes]:
    lines = [
        json.dumps({"id": str(n), "room": room, "by": who, "text": text, "at": at(n).isoformat()})
        for n, (room, who, text) in enumerate(CHAT)
    ]
    return {"chat.jsonl": "\n".join(lines).encode()}


def mem0() -> dict[str, bytes]:
    found = [{"id": str(n), "memory": text, "user_id": "me", "created_at": at(n).isoformat()}
             for n, text in enumerate(MINE)]  # fmt: skip
    return {"memories.json": as_json({"results": found})}


def markdown() -> dict[str, bytes]:
    return {"notes.md": ("# Notes\n\n" + "\n".join(f"- {text}" for text in MINE) + "\n").encode()}


#: Format by its name, what it makes, and whether others' words are in it.
EVERY: dict[str, tuple[Callable[[], dict[str, bytes]], bool]] = {
    "chatgpt": (chatgpt, False),
    "claude": (claude, False),
    "gemini": (gemini, False),
    "ai-studio": (ai_studio, False),
    "discord": (discord, True),
    "discord-package": (discord_package, False),
    "slack": (slack, True),
    "telegram": (telegram, True),
    "whatsapp": (whatsapp, True),
    "jsonl": (json_lines, True),
    "mem0": (mem0, False),
    "text": (markdown, False),
}


def write(folder: Path, files: dict[str, bytes], packing: str) -> Path:
    """As a file, a folder or a zip: what people have on their disk."""
    if packing == "zip":
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "export.zip"
        path.write_bytes(zipped(files))
        return path
    for name, body in files.items():
        path = folder / "export" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        os.utime(path, (START.timestamp(), START.timestamp()))
    if packing == "file" and len(files) == 1:
        return folder / "export" / next(iter(files))
    return folder / "export"
