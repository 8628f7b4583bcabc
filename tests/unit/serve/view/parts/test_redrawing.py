"""What is drawn again stays the browser's own; only what differs is sent."""

import pytest

pytest.importorskip("nicegui")

from hypothesis import given
from hypothesis import strategies as st
from nicegui import Client, ui
from nicegui.outbox import Deleted

from shoal.serve.view.parts.controls import button, tag
from shoal.serve.view.parts.redrawing import redraw


@pytest.fixture
def place():
    with Client(ui.page("/nowhere"), request=None) as client:
        yield tag("div")
    client.delete()


def drawn(place, draw):
    """The numbers of what is sent for a drawing, and of what is removed."""
    place.client.outbox.updates.clear()
    redraw(place, draw)
    sent = dict(place.client.outbox.updates)
    removed = {number for number, one in sent.items() if isinstance(one, Deleted)}
    return set(sent) - removed, removed


def test_what_comes_again_is_not_sent_and_hears_what_was_clicked_before(place):
    heard = []

    def draw(words, answer):
        def inner():
            with tag("section"):
                tag("p", words)
                button("Go", lambda: heard.append(answer))

        return inner

    drawn(place, draw("one", 1))
    section = place.default_slot.children[0]
    paragraph, go = section.default_slot.children
    listener = next(iter(go._event_listeners))
    assert drawn(place, draw("one", 2)) == (set(), set())
    assert drawn(place, draw("two", 3)) == ({paragraph.id}, set())
    now = place.client.elements[go.id]
    assert now is place.default_slot.children[0].default_slot.children[1]
    now._handle_event({"listener_id": listener, "args": {}})
    assert heard == [3]


def test_what_is_put_before_others_leaves_them_alone(place):
    def draw(names):
        def inner():
            for name in names:
                with tag("label", "", "field"):
                    tag("span", name, "name")
                    tag("input")

        return inner

    drawn(place, draw(["k", "epsilon"]))
    k, epsilon = place.default_slot.children
    sent, removed = drawn(place, draw(["title", "k", "epsilon"]))
    assert not removed
    assert [one.id for one in place.default_slot.children][1:] == [k.id, epsilon.id]
    assert not {k.id, epsilon.id} & sent
    _, removed = drawn(place, draw(["epsilon"]))
    assert epsilon.id not in removed
    assert k.id in removed


TREES = st.recursive(
    st.tuples(st.sampled_from(["p", "span", "button"]), st.sampled_from("abc"), st.just(())),
    lambda below: st.tuples(st.sampled_from(["div", "section", "label"]), st.just(""), st.lists(below, max_size=4)),
    max_leaves=12,
)


def show(tree):
    name, text, below = tree
    with tag(name, text):
        for one in below:
            show(one)


def seen_by_browser(elements, number):
    one = elements[number]
    return one["tag"], one.get("text", ""), tuple(seen_by_browser(elements, child) for child in one.get("children", []))


@given(st.lists(st.lists(TREES, max_size=4), min_size=1, max_size=4))
def test_a_browser_that_is_told_only_what_differs_sees_what_was_drawn(drawings):
    with Client(ui.page("/nowhere"), request=None) as client:
        place = tag("div")
        browser = {}
        for trees in drawings:
            redraw(place, lambda trees=trees: [show(tree) for tree in trees])
            for number, one in list(client.outbox.updates.items()):
                if isinstance(one, Deleted):
                    del browser[number]
                else:
                    browser[number] = {**one._to_dict()}
            client.outbox.updates.clear()
            expected = ("div", "", tuple(_plain(tree) for tree in trees))
            assert seen_by_browser(browser, place.id) == expected
            assert set(browser) <= set(client.elements)
    client.delete()


def _plain(tree):
    name, text, below = tree
    return name, text, tuple(_plain(one) for one in below)
