"""Small drawings, as the inside of a 16 by 16 SVG."""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

ICONS: Final = {
    name: Markup(shapes)
    for name, shapes in {
        "confide": '<path d="M3 1h10a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H8l-4 3.4V12H3a2 2 0 0 1-2-2V3a2 2 0 0 1 2-2zm2.6 3.2a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zm4.8 0a2.3 2.3 0 1 0 0 4.6 2.3 2.3 0 0 0 0-4.6zm0 1.5a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6z" fill-rule="evenodd"/>',
        "menu": '<path d="M2 4h12M2 8h12M2 12h12"/>',
        "check": '<path d="M3 8.5l3.2 3.2L13 4.8"/>',
        "told": '<path d="M3 8.5l3.2 3.2L13 4.8"/>',
        "withheld": '<circle cx="8" cy="8" r="6"/><path d="M5 8h6"/>',
        "waiting": '<circle cx="8" cy="8" r="6"/><path d="M8 4.8V8l2.2 1.6"/>',
        "personal": '<circle cx="8" cy="5.2" r="2.6"/><path d="M3 14c.4-3 2.4-4.4 5-4.4s4.6 1.4 5 4.4"/>',
        "sensitive": '<path d="M8 1.8l5 2v4c0 3-2.2 5-5 6.4-2.8-1.4-5-3.4-5-6.4v-4z"/>',
        "public": '<circle cx="8" cy="8" r="6"/><path d="M2 8h12M8 2c2.4 2 2.4 10 0 12M8 2c-2.4 2-2.4 10 0 12"/>',
        "pen": '<path d="M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2z"/>',
        "bin": '<path d="M3 4.5h10M6.5 4V2.5h3V4M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4"/>',
        "down": '<path d="M8 2v8M4.8 7L8 10.2 11.2 7M2.5 11v2.5h11V11"/>',
        "stop": '<circle cx="8" cy="8" r="6"/><path d="M6 6l4 4M10 6l-4 4"/>',
        "plus": '<path d="M8 3v10M3 8h10"/>',
        "arrow": '<path d="M3 8h10M9.5 4.5L13 8l-3.5 3.5"/>',
        "close": '<path d="M4 4l8 8M12 4l-8 8"/>',
        "eye": '<path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8z"/><circle cx="8" cy="8" r="1.8"/>',
        "bookmark": '<path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z"/>',
        "pin": '<path d="M5.5 2h5M6.5 2v4.5L4.5 9h7l-2-2.5V2M8 9v5"/>',
        "lock": '<rect x="3.5" y="7" width="9" height="6.5" rx="1"/><path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2"/>',
        "chat": '<path d="M2.5 3.5h11v7H7.5L5 13v-2.5H2.5z"/>',
        "people": '<circle cx="6" cy="5.5" r="2.3"/><path d="M1.8 13c.3-2.6 2-3.8 4.2-3.8s3.9 1.2 4.2 3.8M10.5 3.4a2.3 2.3 0 0 1 0 4.2M11.8 9.5c1.500.5 2.3 1.7 2.5 3.5"/>',
        "hash": '<path d="M6.5 2.5l-1 11M10.5 2.5l-1 11M3 6h10.5M2.5 10H13"/>',
        "thread": '<path d="M4 2v8h9M10.5 7.5L13 10l-2.5 2.5M4 5.5h6"/>',
        "care": '<rect x="3" y="2.5" width="10" height="11.5" rx="1"/><path d="M8 6v4.5M5.8 8.2h4.4M6 2.5h4"/>',
        "plug": '<path d="M6 2v3.5M10 2v3.5M4.5 5.5h7V8a3.5 3.5 0 0 1-7 0zM8 11.5V14"/>',
        "warning": '<path d="M8 2.2L14.5 13.5h-13zM8 6.5v3.5M8 12v.1"/>',
        "info": '<circle cx="8" cy="8" r="6"/><path d="M8 7.2V11M8 4.9v.1"/>',
        "undo": '<path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6M5.5 3.5L3 6.5l2.5 3"/>',
        "remembered": '<path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z"/>',
    }.items()
}
