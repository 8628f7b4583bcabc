"""Where a file is dropped or chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui.element import Element

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell


class DropZone(Element, component="../assets/dropzone.js"):
    """Where a file is dropped or chosen; it is sent past the page, to a route of its own."""

    def __init__(
        self, shell: Shell, label: str, hint: str = "", *, purpose: str = "table", small: bool = False
    ) -> None:
        super().__init__()
        t = shell.t
        self._props |= {
            "url": shell.address("upload"),
            "label": label,
            "hint": hint,
            "button": label if small else t("choose file"),
            "purpose": purpose,
            "small": small,
            "texts": {"large": t("too large"), "failed": t("upload failed")},
        }
