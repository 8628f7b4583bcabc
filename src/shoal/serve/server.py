"""serve(): a page on this machine only, until it is stopped.

A socket of our own on the loopback, at a port that the system chooses; the guard outermost; the page below a secret
path; and at the end, however it comes, no process and no upload is left.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import OutputError, ParameterError
from shoal.serve.safety.access import Access
from shoal.serve.safety.guard import Guard
from shoal.serve.safety.private_folder import private_folder
from shoal.serve.safety.quiet_logs import quiet_logs
from shoal.serve.tabs import Tabs

if TYPE_CHECKING:
    import uvicorn

_LARGEST_MESSAGE = 1 << 20
_TIDY_EVERY = 15.0


def require_page() -> None:
    """Say in one sentence what to install, if the page's library is not there."""
    from importlib.util import find_spec

    if find_spec("nicegui") is None:
        raise ParameterError(
            'the page needs NiceGUI, which is not installed; install it with: pip install "shoal[page]"'
        )
    if find_spec("fcntl") is None:
        raise ParameterError(
            "the page keeps uploads safe by locks that this system does not have; use the other commands."
        )


def serve(
    *,
    port: int = 0,
    largest_upload: int = 8 << 30,
    language: str = "en",
    base: Path | None = None,
    opened: Callable[[str], None] = lambda _address: None,
) -> None:
    """Serve the page until the process is asked to stop.

    Args:
        port: Where to listen; 0 lets the system choose.
        largest_upload: Bytes that an uploaded file may have.
        language: `en` or `de`.
        base: Where private folders go, if not to the user's cache.
        opened: Told the address to open, at the start and again whenever it has been used up.
    """
    require_page()
    with quiet_logs(), private_folder(base) as folder, _listening(port) as sock:
        access = Access(sock.getsockname()[1])
        tabs = Tabs(folder, language)
        server = _server(page_app(access, tabs, largest_upload, lambda: opened(access.address)), tabs)
        with _stopped_by_signals(server):
            opened(access.address)
            try:
                server.run(sockets=[sock])
            finally:
                tabs.stop()


def page_app(access: Access, tabs: Tabs, largest_upload: int, used: Callable[[], None] = lambda: None) -> Any:
    """The whole application: the guard, then the routes and the page below the secret path."""
    from fastapi import FastAPI
    from nicegui import app as page
    from nicegui import ui

    from shoal.serve.routes import add_routes
    from shoal.serve.view.shell import add_page

    outer = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    add_routes(outer, tabs, access.path)
    add_page(tabs, access.path)
    page.on_page_exception(_one_sentence)
    ui.run_with(
        outer,
        title="Shoal",
        favicon=Path(__file__).parent / "view" / "assets" / "fish.svg",
        mount_path=access.path,
        gzip_middleware_factory=None,
        tailwind=False,
        show_welcome_message=False,
        reconnect_timeout=10.0,
        dark=None,
        language="de" if tabs.language == "de" else "en-US",
    )
    return Guard(outer, access, largest_upload, used)


def _one_sentence() -> None:
    """What is seen where drawing the page failed: nothing of the error, which may quote a record."""
    from nicegui import ui

    ui.label("Shoal failed where it should not; reload the page, and please report this.")


def _server(app: Any, tabs: Tabs) -> uvicorn.Server:
    import uvicorn

    class Server(uvicorn.Server):
        """Leaves signals to us, and tidies up now and then."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

        async def main_loop(self) -> None:
            tidying = asyncio.create_task(self._tidy())
            try:
                await super().main_loop()
            finally:
                tidying.cancel()

        async def _tidy(self) -> None:
            while True:
                await asyncio.sleep(_TIDY_EVERY)
                tabs.tidy()

    return Server(
        uvicorn.Config(
            app,
            access_log=False,
            log_config=None,
            log_level="error",
            ws_max_size=_LARGEST_MESSAGE,
            timeout_graceful_shutdown=1,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            lifespan="on",
        )
    )


@contextlib.contextmanager
def _listening(port: int) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
        try:
            sock.bind(("127.0.0.1", port))
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            raise OutputError(
                f"port {port} cannot be used ({reason}); leave out --port, and a free one is found."
            ) from None
        sock.listen(128)
        yield sock


@contextlib.contextmanager
def _stopped_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """A polite kill, Ctrl-C and a closed terminal end the page as it should end; asked twice, at once."""

    def stop(*_: object) -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    numbers = [signal.SIGTERM, signal.SIGINT, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
