"""A report comes without scripts, or with the one that prints it; and to whom a tab belongs."""

import asyncio
import base64
import hashlib
import re

import pytest

from shoal.serve.safety.page_policy import with_policy
from shoal.serve.tabs import Tabs

PAGE = "<h1>A report</h1><script>evil()</script>"


@pytest.fixture
def asked(tmp_path):
    app = pytest.importorskip("fastapi").FastAPI()
    from shoal.serve.routes import add_routes

    tabs = Tabs(tmp_path)
    tab = tabs.of("one")
    tab.owner_folder.mkdir(parents=True)
    (tab.owner_folder / "report.html").write_text(PAGE)
    add_routes(app, tabs, "/below")

    def ask(path):
        sent = []

        async def receive():
            return {"type": "http.request", "body": b""}

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": f"/below{path}", "query_string": b"", "headers": []}
        asyncio.run(with_policy(app, scope, receive, send, "/below"))
        body = b"".join(message.get("body", b"") for message in sent[1:]).decode()
        return sent[0]["status"], dict(sent[0]["headers"]).get(b"content-security-policy", b"").decode(), body

    return ask


def test_a_report_has_no_scripts_and_one_to_be_printed_has_that_one(asked):
    status, policy, body = asked("/report/one")
    assert (status, body) == (200, PAGE)
    assert "script-src" not in policy
    assert policy.endswith("sandbox")
    status, policy, body = asked("/print/one")
    assert status == 200
    assert body.startswith(PAGE)  # no script is marked as ours
    own = re.fullmatch(r"<script>(.+)</script>", body.removeprefix(PAGE))[1]
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; ")
    assert "allow-same-origin" not in policy
    assert policy.endswith("sandbox allow-scripts allow-modals")


@pytest.mark.parametrize("path", ["/report/other", "/print/other", "/attacks/one"])
def test_what_is_not_there_is_not_shown(asked, path):
    status, _, body = asked(path)
    assert status == 404
    assert "report" in body
