"""Bytes in and out, beside the page: files that are uploaded as they stream, files to download, points of a picture."""

from __future__ import annotations

import asyncio
import io
import os
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from shoal.serve.safety.guard import UPLOAD
from shoal.serve.safety.names import safe_name
from shoal.serve.safety.page_policy import PRINT_POLICY, PRINTING, REPORT_POLICY

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from fastapi.responses import Response

    from shoal.serve.tabs import Tabs

_SILENCE = 60.0
"""Seconds that an upload may pause."""
_KINDS = {
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".toml": "application/toml; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".zip": "application/zip",
}


def add_routes(app: FastAPI, tabs: Tabs, below: str) -> None:
    """Add the routes below the secret path; the guard has let in whoever gets here."""
    from fastapi import Request
    from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

    async def upload(number: str, request: Request) -> Response:
        tab = tabs.known.get(number)
        if tab is None:
            return PlainTextResponse("This tab is not known; reload the page.", status_code=404)
        name = safe_name(unquote(request.headers.get("x-file-name", "")))
        folder = tab.work if request.headers.get("x-purpose") == "hierarchy" else tab.folder
        target = folder / f"incoming-{name}"
        await _receive(request, target)
        return JSONResponse({"name": name, "size": target.stat().st_size})

    async def download(number: str, token: str) -> Response:
        tab = tabs.known.get(number)
        path = None if tab is None else tab.downloads.get(token)
        if path is None or not path.exists():
            return PlainTextResponse("This file is not there any more.", status_code=404)
        if path.is_dir():
            return _attached(await asyncio.to_thread(_zipped, path), f"{path.name}.zip")
        kind = _KINDS.get(path.suffix, "application/octet-stream")
        headers = {"content-disposition": f'attachment; filename="{safe_name(path.name)}"'}
        return StreamingResponse(_chunks(path), media_type=kind, headers=headers)

    async def report(number: str) -> Response:
        return await owners_page(number, "report.html")

    async def attacks(number: str) -> Response:
        return await owners_page(number, "attack.html")

    async def printed(number: str) -> Response:
        return await owners_page(number, "report.html", PRINT_POLICY, f"<script>{PRINTING}</script>")

    async def owners_page(number: str, name: str, policy: str = REPORT_POLICY, script: str = "") -> Response:
        tab = tabs.known.get(number)
        path = None if tab is None else tab.owner_folder / name
        if path is None or not path.exists():
            return PlainTextResponse("There is no report yet.", status_code=404)
        page = await asyncio.to_thread(path.read_text, "utf-8")
        return Response(page + script, media_type="text/html", headers={"content-security-policy": policy})

    async def points(number: str) -> Response:
        tab = tabs.known.get(number)
        if tab is None or tab.lattice is None:
            return JSONResponse({})
        kept = ("losses", "suppressed", "limit")
        return JSONResponse({key: tab.lattice[key] for key in kept})

    for add, path, answer in (
        (app.put, f"{UPLOAD}/{{number}}", upload),
        (app.get, "/download/{number}/{token}", download),
        (app.get, "/report/{number}", report),
        (app.get, "/print/{number}", printed),
        (app.get, "/attacks/{number}", attacks),
        (app.get, "/points/{number}", points),
    ):
        answer.__annotations__ |= {"request": Request} if "request" in answer.__annotations__ else {}
        add(f"{below}{path}", response_model=None)(answer)


async def _receive(request: Request, target: Path) -> None:
    """Write a body to a private file as it comes; one that is not finished is removed."""
    handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    is_whole = False
    try:
        stream = request.stream()
        while True:
            chunk = await asyncio.wait_for(anext(stream, None), _SILENCE)
            if chunk is None:
                break
            await asyncio.to_thread(_write, handle, chunk)
        is_whole = True
    finally:
        os.close(handle)
        if not is_whole:
            await asyncio.to_thread(target.unlink, missing_ok=True)


def _write(handle: int, chunk: bytes) -> None:
    view = memoryview(chunk)
    while view:
        view = view[os.write(handle, view) :]


async def _chunks(path: Path, size: int = 1 << 20) -> AsyncIterator[bytes]:
    with path.open("rb") as file:
        while chunk := await asyncio.to_thread(file.read, size):
            yield chunk


def _zipped(folder: Path) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder.parent))
    return held.getvalue()


def _attached(content: bytes, name: str) -> Response:
    from fastapi.responses import Response

    headers = {"content-disposition": f'attachment; filename="{safe_name(name)}"'}
    return Response(content, media_type=_KINDS[".zip"], headers=headers)
