"""The groups of verbs that the console is made of, on a memory here or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from confide.verbs.browser import Browser
from confide.verbs.reach import Reaches
from confide.verbs.rooms import Rooms
from confide.verbs.trends import Trends
from confide.verbs.viewing import Viewing

if TYPE_CHECKING:
    from confide.declare import Door


class ConsoleVerbs:
    """Part of `Confide` and of `ConfideClient`."""

    def _offer(self, door: Door) -> None:
        self.browser = Browser(door)
        self.reaches = Reaches(door)
        self.rooms = Rooms(door)
        self.viewing = Viewing(door)
        self.trends = Trends(door)
