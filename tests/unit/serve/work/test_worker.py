"""The process of a tab: it answers, refuses in one sentence, can be stopped, and is missed when somebody kills it."""

import asyncio
import os
import signal

import pytest

from shoal.serve.work.worker import Refused, Stopped, Worker


def test_a_process_answers_refuses_and_can_be_stopped(tmp_path):
    async def story():
        worker = Worker(tmp_path)
        seen = await worker.do("example", str(tmp_path))
        assert seen["records"] == 5000
        assert seen["singled_out"]["alone"] > 4000
        with pytest.raises(Refused, match="there is no column 'nobody'") as refusal:
            await worker.do("hierarchy", str(tmp_path), "nobody")
        assert str(tmp_path) not in str(refusal.value)
        with pytest.raises(Refused, match=r"Shoal failed where it should not \(KeyError"):
            await worker.do("no such job")
        first = worker.process_id
        waiting = asyncio.ensure_future(worker.do("check", str(tmp_path)))
        await asyncio.sleep(0)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(Stopped, match="has ended"):
            await waiting
        worker.stop()
        assert not worker.is_busy
        assert worker.process_id is None

    asyncio.run(story())
