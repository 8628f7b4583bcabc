"""The guard: asked about every request and every websocket before anything else sees them.

It is plain ASGI and stands outermost, because middlewares for HTTP never see websockets. A request passes if it names
exactly this host, comes from the page itself or from the address bar, stands below the secret path and brings the
cookie; what it sends is counted as it comes.
"""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from shoal.serve.safety.page_policy import with_policy

if TYPE_CHECKING:
    from collections.abc import Awaitable, MutableMapping

    from shoal.serve.safety.access import Access

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

SMALL_BODY = 1 << 20
"""Bytes that a request may send if it is no upload."""

UPLOAD = "/upload"
"""Below the secret path: where files are sent to."""

_READING = ("GET", "HEAD")


class TooLarge(Exception):  # noqa: N818  it says what a request is
    """A request sent more than it may."""


class Guard:
    """Lets in what the page itself asks for, and nothing else."""

    def __init__(
        self, app: App, access: Access, largest_upload: int, opened: Callable[[], None] = lambda: None
    ) -> None:
        self.app, self.access, self.largest_upload, self.opened = app, access, largest_upload, opened

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """One request, websocket, or the start and end of the server."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] not in ("http", "websocket"):
            return
        refusal = self._refusal(scope)
        if refusal is None:
            await self._served(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
        elif refusal == "door" and self._opens(scope):
            self.opened()
            await _answer(send, 303, "", self._entry())
        else:
            await _answer(send, 403, _NOT_HERE)

    def _refusal(self, scope: MutableMapping[str, Any]) -> str | None:
        """Why a request is not let in; `door` if it asks to be let in."""
        headers = _headers(scope)
        if headers.get("host") != [self.access.host]:
            return "host"
        if any(site not in ("same-origin", "none") for site in headers.get("sec-fetch-site", [])):
            return "site"
        is_reading = scope["type"] == "http" and scope["method"] in _READING
        origins = headers.get("origin", [])
        if origins != [self.access.origin] and not (is_reading and not origins):
            return "origin"
        if scope["type"] == "http" and is_reading and scope["path"] == "/":
            return "door"
        if not scope["path"].startswith(f"{self.access.path}/"):
            return "path"
        return None if self.access.knows(_cookie(headers, self.access.cookie_name)) else "cookie"

    def _opens(self, scope: MutableMapping[str, Any]) -> bool:
        if scope["method"] != "GET":
            return False
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [])
        return len(given) == 1 and self.access.admits(given[0])

    def _entry(self) -> list[tuple[bytes, bytes]]:
        """To the page, with the cookie: no script can read it, and no other site's request brings it."""
        access = self.access
        cookie = f"{access.cookie_name}={access.cookie}; Path={access.path}; HttpOnly; SameSite=Strict"
        return [(b"location", f"{access.path}/".encode()), (b"set-cookie", cookie.encode())]

    async def _served(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        limit = self.largest_upload if scope["path"].startswith(f"{self.access.path}{UPLOAD}") else SMALL_BODY
        has_begun = False

        async def watched(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await with_policy(self.app, scope, _counted(scope, receive, limit), watched, self.access.path)
        except TooLarge:
            if not has_begun:
                await _answer(send, 413, "This is more than may be sent here.")


def _counted(scope: MutableMapping[str, Any], receive: Receive, limit: int) -> Receive:
    """The body, until it is more than allowed: what a request says of its own length is not believed."""
    arrived = 0
    said = _headers(scope).get("content-length", ["0"])
    is_announced = any(not text.isdecimal() or int(text) > limit for text in said)

    async def counting() -> Message:
        nonlocal arrived
        if is_announced:
            raise TooLarge
        message = await receive()
        arrived += len(message.get("body", b""))
        if arrived > limit:
            raise TooLarge
        return message

    return counting


def _headers(scope: MutableMapping[str, Any]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope.get("headers", []):
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _cookie(headers: dict[str, list[str]], name: str) -> str:
    given: list[str] = []
    for line in headers.get("cookie", []):
        try:
            jar = SimpleCookie(line)
        except CookieError:
            return ""
        given += [jar[name].value] if name in jar else []
    return given[0] if len(given) == 1 else ""


_NOT_HERE = "Nothing here. Open the address that `shoal serve` printed last; each opens the page once."


async def _answer(send: Send, status: int, text: str, more: list[tuple[bytes, bytes]] | None = None) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
        *(more or []),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
