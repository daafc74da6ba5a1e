"""Chats of other programs: a file, folder or zip in, messages out. Nothing here touches the store."""

from confide.imports.formats import FORMATS, recognise
from confide.imports.said import Format, LeftOut, Person, Read, Room, Said, Stay, Wrong
from confide.imports.source import Files, open_files

__all__ = [
    "FORMATS",
    "Files",
    "Format",
    "LeftOut",
    "Person",
    "Read",
    "Room",
    "Said",
    "Stay",
    "Wrong",
    "open_files",
    "recognise",
]
