"""What a page may load and do, told with every answer: only what comes from here, and nothing is kept."""

from __future__ import annotations

import re
import secrets
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, MutableMapping

    Message = MutableMapping[str, Any]
    Receive = Callable[[], Awaitable[Message]]
    Send = Callable[[Message], Awaitable[None]]
    App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

ASSETS = "/_nicegui/"
"""Below the secret path: scripts and styles of the library that draws the page, the same for everybody."""

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; sandbox"
"""Of a report: a page without scripts, shown in a frame of the page."""

PRINTING = "addEventListener('load', () => print())"
"""The one script of a report that is opened to be printed."""
PRINT_POLICY = (
    f"default-src 'none'; script-src 'sha256-{b64encode(sha256(PRINTING.encode()).digest()).decode()}'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox allow-scripts allow-modals"
)
"""Of a report in a tab of its own: that script to the letter and no other, which has no origin and reaches nothing."""

_ALWAYS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]
_SCRIPT = re.compile(rb"<script(?=[\s>])")


def page_policy(nonce: str) -> str:
    """Of the page: scripts that it came with, styles, and connections to where it came from.

    Its templates are compiled in the browser, which is why `unsafe-eval` is there; without it nothing is drawn.
    """
    return (
        "default-src 'none'; "
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
        "connect-src 'self'; frame-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


async def with_policy(app: App, scope: MutableMapping[str, Any], receive: Receive, send: Send, path: str) -> None:
    """Serve a request with the headers of the policy; of a page every script is marked as its own."""
    nonce = secrets.token_urlsafe(16)
    is_asset = scope["path"].startswith(f"{path}{ASSETS}")
    start: Message | None = None
    pieces: list[bytes] = []

    async def with_headers(message: Message) -> None:
        nonlocal start
        if message["type"] == "http.response.start":
            message = {**message, "headers": _headers(message["headers"], nonce, is_asset=is_asset)}
            if _is_page(message["headers"]):
                start = message
                return
        elif start is not None and message["type"] == "http.response.body":
            pieces.append(message.get("body", b""))
            if not message.get("more_body"):
                await _marked(send, start, b"".join(pieces), nonce)
            return
        await send(message)

    await app(scope, receive, with_headers)


async def _marked(send: Send, start: Message, page: bytes, nonce: str) -> None:
    """The whole page, its scripts marked with the nonce that the policy names."""
    page = _SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), page)
    kept = [(name, value) for name, value in start["headers"] if name.lower() != b"content-length"]
    await send({**start, "headers": [*kept, (b"content-length", str(len(page)).encode())]})
    await send({"type": "http.response.body", "body": page})


def _headers(given: Any, nonce: str, *, is_asset: bool) -> list[tuple[bytes, bytes]]:
    ours = {
        b"x-content-type-options",
        b"referrer-policy",
        b"cross-origin-opener-policy",
        b"cross-origin-resource-policy",
    }
    own_policy = any(name.lower() == b"content-security-policy" for name, _ in given)
    kept = [
        (name, value)
        for name, value in given
        if name.lower() not in ours and (is_asset or name.lower() != b"cache-control")
    ]
    if not is_asset:
        kept.append((b"cache-control", b"no-store"))
    if not own_policy:
        kept.append((b"content-security-policy", page_policy(nonce).encode()))
    return [*kept, *_ALWAYS]


def _is_page(headers: list[tuple[bytes, bytes]]) -> bool:
    """A page of our own: HTML that brings no policy of its own, such as a report."""
    named = {name.lower(): value for name, value in headers}
    is_html = named.get(b"content-type", b"").startswith(b"text/html")
    return is_html and b"'nonce-" in named[b"content-security-policy"]
