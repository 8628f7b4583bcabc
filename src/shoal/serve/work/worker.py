"""A process that works for one tab, seen from the page: one job at a time, and killing it cancels the job."""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import ShoalError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Told = Callable[[str, float], None]


class Refused(ShoalError):  # noqa: N818  it says what became of a job
    """A job said no, in one sentence; or failed, in one sentence that quotes nothing."""


class Stopped(ShoalError):  # noqa: N818
    """A job was cancelled, or its process was ended by somebody else."""


class Worker:
    """Starts its process with the first job, and another one after it was killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._turn = asyncio.Lock()
        self._process: Any = None
        self._pipe: Connection | None = None
        self._answer: asyncio.Future[Any] | None = None
        self._told: Told = _nobody

    @property
    def is_busy(self) -> bool:
        """Whether a job is under way."""
        return self._answer is not None and not self._answer.done()

    @property
    def process_id(self) -> int | None:
        """The number of the process, if there is one."""
        return None if self._process is None else self._process.pid

    async def do(self, job: str, *arguments: Any, told: Told | None = None) -> Any:
        """What a job gives back; raises `Refused` with its sentence, or `Stopped` if its process is gone."""
        async with self._turn:
            self._told = told or _nobody
            if self._process is None or not self._process.is_alive():
                self._start()
            assert self._pipe is not None
            self._answer = asyncio.get_running_loop().create_future()
            try:
                self._pipe.send((job, arguments))
            except OSError:
                self.stop()
            return await self._answer

    def stop(self) -> None:
        """Kill the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is not None and process.is_alive():
            process.kill()
        if process is not None:
            process.join(timeout=5)
        self._settle(Stopped("stopped; nothing was written."))

    def _start(self) -> None:
        from shoal.serve.work.process import serve_jobs

        context = multiprocessing.get_context("spawn")  # a fork would copy the page, its threads and all it holds
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve_jobs, args=(theirs, str(self._folder)), daemon=True)
        self._process.start()
        theirs.close()
        loop = asyncio.get_running_loop()
        threading.Thread(target=_listen, args=(self._pipe, loop, self._heard), daemon=True).start()

    def _heard(self, pipe: Connection, kind: str, *content: Any) -> None:
        if pipe is not self._pipe:  # of a process that was killed
            return
        match kind:
            case "progress":
                self._told(*content)
            case "done":
                self._settle(content[0])
            case "refused":
                self._settle(Refused(content[0]))
            case _:
                self._process = None
                self._settle(Stopped("the process that worked on this has ended; nothing was written. Try again."))

    def _settle(self, answer: Any) -> None:
        waiting, self._answer = self._answer, None
        if waiting is None or waiting.done():
            return
        if isinstance(answer, ShoalError):
            waiting.set_exception(answer)
        else:
            waiting.set_result(answer)


def _listen(pipe: Connection, loop: asyncio.AbstractEventLoop, heard: Callable[..., None]) -> None:
    """Pass on what a process says until it is gone."""
    with suppress(RuntimeError):  # the page has ended
        try:
            while True:
                loop.call_soon_threadsafe(heard, pipe, *pipe.recv())
        except (EOFError, OSError):
            loop.call_soon_threadsafe(heard, pipe, "gone")


def _nobody(task: str, done: float) -> None:
    del task, done
