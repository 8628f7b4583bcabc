"""redraw(): what is seen changes, and nothing else: elements that are still there stay the browser's own.

A step is drawn as a whole whenever something has happened. What is drawn is compared with what was there before; an
element that comes again keeps its number, and so do its listeners, and only those that differ are sent. So nobody
loses the focus, what they are typing, or a click that was under way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any

from nicegui.element import Element

_NAMED_BY_TEXT = frozenset({"button", "a", "th", "option", "h1", "h2", "h3", "summary", "strong", "dt"})
_ACTED_ON = frozenset({"button", "a", "input", "label"})
"""What must not become another one under somebody's finger, unless it stands alone where another did."""
_DEPTH = 3


def redraw(place: Element, draw: Callable[[], None]) -> None:
    """Draw what is in a place anew; what was there already stays."""
    slot = place.default_slot
    before, slot.children = slot.children, []
    told = [child.id for child in before]
    is_waiting = place.id in place.client.outbox.updates
    with place:
        draw()
    _settle(before, slot.children)
    if told != [child.id for child in slot.children]:
        place.update()
    elif not is_waiting:
        place.client.outbox.updates.pop(place.id, None)


def _settle(before: list[Element], after: list[Element]) -> None:
    """Let those that come again take the place of those that were there, and remove the others."""
    pairs = list(_paired(before, after))
    for old, new in pairs:
        _take_over(old, new)
    stays = {id(old) for old, _ in pairs}
    for old in before:
        if id(old) not in stays:
            old.client.remove_elements(old.descendants(include_self=True))


def _take_over(old: Element, new: Element) -> None:
    """Let a new element be the old one to the browser, and tell it what differs."""
    client, outbox = old.client, old.client.outbox
    told, is_waiting = old._to_dict(), old.id in outbox.updates  # noqa: SLF001  there is no other way to ask
    _settle(old.default_slot.children, new.default_slot.children)
    client.elements.pop(new.id, None)
    outbox.updates.pop(new.id, None)
    new.id = old.id
    client.elements[new.id] = new
    _keep_listeners(old, new)
    old._deleted = True  # noqa: SLF001
    if is_waiting or told != new._to_dict():  # noqa: SLF001
        outbox.enqueue_update(new)


def _keep_listeners(old: Element, new: Element) -> None:
    """Listeners for the same events keep their numbers, so that what was clicked a moment ago is heard."""
    known = list(old._event_listeners.values())  # noqa: SLF001
    kept: dict[str, Any] = {}
    for listener in new._event_listeners.values():  # noqa: SLF001
        same = next((one for one in known if (one.type, one.js_handler) == (listener.type, listener.js_handler)), None)
        if same is not None:
            known.remove(same)
            listener.id = same.id
        listener.element_id = new.id
        kept[listener.id] = listener
    new._event_listeners = kept  # noqa: SLF001


def _paired(before: list[Element], after: list[Element]) -> Iterator[tuple[Element, Element]]:
    """Which elements come again: those of the same kind and name in their order, then those of the same kind."""
    for is_same, olds, news in _runs([_named(one) for one in before], [_named(one) for one in after]):
        if is_same:
            yield from zip(before[olds], after[news], strict=True)
            continue
        some, others = before[olds], after[news]
        for is_alike, first, second in _runs([_kind(one) for one in some], [_kind(one) for one in others]):
            if is_alike:
                pairs = zip(some[first], others[second], strict=True)
                yield from (pair for pair in pairs if len(some) == len(others) or not _is_acted_on(pair[0]))


def _is_acted_on(element: Element) -> bool:
    return element.tag in _ACTED_ON or element.component is not None


def _runs(before: list[Any], after: list[Any]) -> Iterable[tuple[bool, slice, slice]]:
    for word, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        yield word == "equal", slice(a, b), slice(c, d)


def _kind(element: Element) -> tuple[type[Element], str]:
    return type(element), element.tag


def _named(element: Element) -> tuple[type[Element], str, str]:
    return (*_kind(element), _name(element, _DEPTH))


def _name(element: Element, depth: int) -> str:
    """What an element is called: its label, its text if that is a name, or what the first element in it is called."""
    label = element.props.get("data-key") or element.props.get("aria-label") or element.props.get("label")
    if isinstance(label, str):
        return label
    if element._text and (element.tag in _NAMED_BY_TEXT or (element.classes and "name" in element.classes[0])):  # noqa: SLF001
        return element._text  # noqa: SLF001
    if depth and element.default_slot.children:
        return _name(element.default_slot.children[0], depth - 1)
    return ""
