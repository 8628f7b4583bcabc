"""The secrets of one start of the page: an address that opens it once, a path nobody can guess, and a cookie on it."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field


def _secret() -> str:
    return secrets.token_urlsafe(32)


@dataclass(slots=True)
class Access:
    """What a browser must know.

    Other servers on this machine share its cookies, for cookies know no port; so the cookie is bound to a path that
    only a browser let in has seen, and every request is asked for more than the cookie (`guard`).

    Attributes:
        port: Where the page listens.
        path: Everything of the page stands below it.
        cookie: What every request must bring.
        token: Opens the page once, in exchange for the cookie; then there is another one.
    """

    port: int
    path: str = field(default_factory=lambda: f"/{_secret()}")
    cookie: str = field(default_factory=_secret)
    token: str = field(default_factory=_secret)

    @property
    def host(self) -> str:
        """The only name under which the page answers."""
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        """Where requests of the page itself come from."""
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie_name(self) -> str:
        """Its own for every port, so that two pages do not take it from each other."""
        return f"shoal-{self.port}"

    def admits(self, token: str) -> bool:
        """Whether a token opens the page; one that does never does again.

        An address that was opened stands in histories, and for a moment among the processes of the machine.
        """
        if not secrets.compare_digest(token.encode(), self.token.encode()):
            return False
        self.token = _secret()
        return True

    def knows(self, cookie: str) -> bool:
        """Whether a cookie is the one that was given out."""
        return secrets.compare_digest(cookie.encode(), self.cookie.encode())
