"""A request's head is read up to a size; what goes on beyond it is cut off."""

from __future__ import annotations

from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

#: The request line and all headers. Keys, tokens and what proxies add need a few kilobytes.
MOST_BYTES: Final = 32 * 1024
_REFUSED: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)


class BoundedHeads(HttpToolsProtocol):
    """uvicorn's reader keeps all that arrives until the headers end; this one gives up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head = 0
        self._is_in_body = False

    def data_received(self, data: bytes) -> None:
        if not self._is_in_body:
            self._head += len(data)
        super().data_received(data)
        if self._head > MOST_BYTES and not self.transport.is_closing():
            self.transport.write(_REFUSED)
            self.transport.close()

    def on_headers_complete(self) -> None:
        self._head, self._is_in_body = 0, True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._is_in_body = False
        super().on_message_complete()
