"""The lists of the screen."""

from confide.language.lists import Lists

_LISTS = Lists("confide.screen")
table, lines = _LISTS.table, _LISTS.lines
