"""The guard, case by case, without a browser: what is not exactly a request of the page itself is not let in."""

import asyncio
import re

import pytest

from shoal.serve.safety.access import Access
from shoal.serve.safety.guard import SMALL_BODY, Guard

PORT = 40001


async def _inner(scope, receive, send):
    """An application that reads what it is sent and answers with a page."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    arrived = 0
    while True:
        message = await receive()
        arrived += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    kind = b"text/javascript" if "/_nicegui/" in scope["path"] else b"text/html; charset=utf-8"
    page = b"<script>1</script><script src='x'></script><scripted>" + str(arrived).encode()
    headers = [(b"content-type", kind), (b"content-length", str(len(page)).encode()), (b"cache-control", b"public")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": page[:9], "more_body": True})
    await send({"type": "http.response.body", "body": page[9:]})


class Visitor:
    """Somebody who sends requests to a guarded application."""

    def __init__(self, largest=1000):
        self.access, self.used = Access(PORT), 0
        self.app = Guard(_inner, self.access, largest, self._opened)
        self.good = {
            "host": f"127.0.0.1:{PORT}",
            "cookie": f"other=1; {self.access.cookie_name}={self.access.cookie}",
            "sec-fetch-site": "same-origin",
        }

    def _opened(self):
        self.used += 1

    def ask(self, path="/x", method="GET", kind="http", below=True, query="", chunks=(b"",), drop=(), **headers):
        given = {**self.good, **{key.replace("_", "-"): value for key, value in headers.items()}}
        pairs = []
        for key, value in given.items():
            if key not in drop:
                pairs += [(key.encode(), one.encode()) for one in (value if isinstance(value, list) else [value])]
        scope = {
            "type": kind,
            "method": method,
            "path": (self.access.path if below else "") + path,
            "query_string": query.encode(),
            "headers": pairs,
        }
        parts = [{"type": "http.request", "body": c, "more_body": i + 1 < len(chunks)} for i, c in enumerate(chunks)]
        if kind == "websocket":
            parts = [{"type": "websocket.connect"}]
        sent = []

        async def receive():
            return parts.pop(0)

        async def send(message):
            sent.append(message)

        asyncio.run(self.app(scope, receive, send))
        return sent

    def status(self, *args, **kwargs):
        return self.ask(*args, **kwargs)[0]["status"]


@pytest.fixture
def visitor():
    return Visitor()


def headers_of(sent):
    return {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}


def test_the_page_itself_is_let_in(visitor):
    origin = visitor.access.origin
    assert visitor.status() == 200
    assert visitor.status(drop=("sec-fetch-site",)) == 200
    assert visitor.status(sec_fetch_site="none") == 200
    assert visitor.status(method="PUT", origin=origin) == 200
    assert visitor.ask(kind="websocket", origin=origin) == [{"type": "websocket.accept"}]


@pytest.mark.parametrize(
    "wrong",
    [
        {"host": "localhost:40001"},
        {"host": "127.0.0.1"},
        {"host": "127.0.0.1:40002"},
        {"host": "evil.example:40001"},
        {"host": ["127.0.0.1:40001", "127.0.0.1:40001"]},
        {"drop": ("host",)},
        {"drop": ("cookie",)},
        {"cookie": "shoal-40001=guess"},
        {"cookie": ["shoal-40001=a", "shoal-40001=b"]},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": ["same-origin", "cross-site"]},
        {"origin": "http://127.0.0.1:40002"},
        {"origin": "null"},
        {"method": "PUT"},
        {"method": "POST", "origin": "https://evil.example"},
        {"method": "DELETE"},
        {"below": False},
        {"below": False, "path": "/_nicegui/x.js"},
        {"below": False, "path": "/", "query": "token=guess"},
        {"below": False, "path": "/"},
    ],
    ids=lambda wrong: " ".join(f"{key}={value}" for key, value in wrong.items()),
)
def test_anything_else_is_refused_alike(visitor, wrong):
    sent = visitor.ask(**wrong)
    assert sent[0]["status"] == 403
    assert visitor.access.cookie not in str(sent)
    assert visitor.access.path not in str(sent)
    assert "set-cookie" not in headers_of(sent)
    assert headers_of(sent)["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"origin": "http://127.0.0.1:40002"},
        {"origin": "null"},
        {"origin": ["http://127.0.0.1:40001", "http://evil.example"]},
        {"origin": "http://127.0.0.1:40001", "drop": ("cookie",)},
        {"origin": "http://127.0.0.1:40001", "host": "evil.example"},
        {"origin": "http://127.0.0.1:40001", "sec_fetch_site": "cross-site"},
        {"origin": "http://127.0.0.1:40001", "below": False},
    ],
    ids=str,
)
def test_a_websocket_needs_its_origin_too(visitor, wrong):
    assert visitor.ask(kind="websocket", **wrong) == [{"type": "websocket.close", "code": 1008}]


def test_a_token_opens_the_page_once(visitor):
    token, access = visitor.access.token, visitor.access
    door = {"path": "/", "below": False, "query": f"token={token}", "drop": ("cookie",), "sec_fetch_site": "none"}
    assert visitor.status(**door, host="evil.example") == 403
    assert visitor.status(**{**door, "sec_fetch_site": "cross-site"}) == 403
    assert visitor.status(**door, method="HEAD") == 403
    assert access.token == token
    sent = visitor.ask(**door)
    assert sent[0]["status"] == 303
    assert headers_of(sent)["location"] == f"{access.path}/"
    cookie = f"shoal-40001={access.cookie}; Path={access.path}; HttpOnly; SameSite=Strict"
    assert headers_of(sent)["set-cookie"] == cookie
    assert visitor.used == 1
    assert visitor.status(**door) == 403
    assert access.address == f"http://127.0.0.1:40001/?token={access.token}"
    assert access.token != token


def test_a_body_is_counted_as_it_comes(visitor):
    put = {"path": "/upload/tab", "method": "PUT", "origin": visitor.access.origin}
    assert visitor.status(**put, chunks=[b"x" * 500, b"x" * 500]) == 200
    assert visitor.status(**put, chunks=[b"x" * 500, b"x" * 501]) == 413
    assert visitor.status(**put, chunks=[b"x" * 500, b"x" * 501], content_length="3") == 413
    assert visitor.status(**put, content_length="1001") == 413
    assert visitor.status(**put, content_length="-1") == 413
    elsewhere = {**put, "path": "/other"}
    assert visitor.status(**elsewhere, chunks=[bytes(SMALL_BODY)]) == 200
    assert visitor.status(**elsewhere, chunks=[bytes(SMALL_BODY), b"x"]) == 413


def test_a_page_runs_its_own_scripts_only_and_is_not_kept(visitor):
    sent = visitor.ask()
    found, body = headers_of(sent), b"".join(message.get("body", b"") for message in sent[1:]).decode()
    policy = found["content-security-policy"]
    nonce = re.search(r"'nonce-([\w-]{20,})'", policy)[1]
    assert body == f'<script nonce="{nonce}">1</script><script nonce="{nonce}" src=\'x\'></script><scripted>0'
    assert int(found["content-length"]) == len(body)
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in re.search(r"script-src[^;]*", policy)[0]
    assert "frame-ancestors 'none'" in policy
    assert found["cache-control"] == "no-store"
    assert found["x-content-type-options"] == "nosniff"
    assert found["referrer-policy"] == "no-referrer"
    assert nonce not in headers_of(visitor.ask())["content-security-policy"]


def test_scripts_of_the_library_may_be_kept(visitor):
    found = headers_of(visitor.ask("/_nicegui/x.js"))
    assert found["cache-control"] == "public"
    assert "content-security-policy" in found


def test_the_start_and_end_of_the_server_pass():
    seen = []

    async def inner(scope, _receive, _send):
        seen.append(scope["type"])

    guard = Guard(inner, Access(PORT), 1)
    asyncio.run(guard({"type": "lifespan"}, None, None))
    asyncio.run(guard({"type": "something else"}, None, None))
    assert seen == ["lifespan"]
