"""The jobs that a page asks for, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from shoal.serve.work import attacking, checking, exploring, hierarchies, looking, running, signing, stand_in

JOBS: dict[str, Callable[..., Any]] = {
    "look": looking.look,
    "look at": looking.look_at,
    "example": looking.example,
    "reopen": looking.reopen,
    "original rows": looking.original_rows,
    "methods": checking.methods,
    "check": checking.check,
    "confirm": checking.confirm,
    "hierarchy": hierarchies.shown,
    "hierarchy rows": hierarchies.written_out,
    "groups": hierarchies.grouped,
    "is declared": hierarchies.is_declared,
    "run": running.run,
    "lattice": exploring.lattice,
    "scheme": exploring.scheme,
    "rows": exploring.published_rows,
    "attack": attacking.attack,
    "sign": signing.sign,
    "new key": signing.make_key,
    "stand-in": stand_in.tried,
}
