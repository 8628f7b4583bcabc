"""Groups by dragging: values and groups of a column, to be put into each other by mouse, finger or keyboard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from nicegui.element import Element

from shoal.errors import HierarchyError
from shoal.serve.grouping import MOST_GROUPED, Tree, dissolved, gathered, moved, read, renamed, values, written

if TYPE_CHECKING:
    from shoal.serve.view.shell import Shell

_TEXTS = (
    "label",
    "search",
    "all",
    "none",
    "chosen",
    "name",
    "gather",
    "to",
    "move",
    "choose",
    "rename",
    "dissolve",
    "more",
    "count",
    "records",
    "taken",
)


class GroupBoard(Element, component="../assets/groups.js"):
    """The groups; what is dragged is told, and the release file answers with the tree that comes of it."""

    def __init__(self, shell: Shell, tree: Tree, records: dict[str, int], problem: str) -> None:
        super().__init__()
        self._props |= {
            "tree": tree,
            "records": records,
            "problem": problem,
            "texts": {key: shell.t(f"groups {key}") for key in _TEXTS},
        }


def draw(shell: Shell, nested: Any, records: dict[str, int], on_change: Callable[[Any], None]) -> None:
    """The board, for as many values as somebody can sort by hand."""
    tree = read(nested)
    if len(values(tree)) > MOST_GROUPED:
        return
    board = GroupBoard(shell, tree, records, "")

    def change(edit: Callable[[], Tree]) -> None:
        try:
            now = edit()
        except HierarchyError as error:
            board.props["problem"] = shell.t.said(str(error))
        else:
            on_change(written(now))

    board.on("moved", lambda event: change(lambda: moved(tree, event.args["what"], event.args["to"])))
    board.on("gathered", lambda event: change(lambda: gathered(tree, event.args["what"], event.args["name"])))
    board.on("renamed", lambda event: change(lambda: renamed(tree, event.args["name"], event.args["now"])))
    board.on("dissolved", lambda event: change(lambda: dissolved(tree, str(event.args))))
