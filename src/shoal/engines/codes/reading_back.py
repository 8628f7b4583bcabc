"""Published files back to codes: what a reader of a release sees, over the codes of the original.

Only values, their hierarchies and what the certificate says go in; who became which record does not come out, unless
a recoding of single values decides it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from shoal.arrays import Codes, Keys
from shoal.data.attribute import Attribute
from shoal.data.counts import Counts
from shoal.data.domain import Grid
from shoal.data.encoded import EncodedTable
from shoal.data.outcome import Outcome
from shoal.data.recoding import FullDomain
from shoal.data.schema import Role
from shoal.data.shown import Distributions, Numbers, Shown, Spans, TreeNodes, ValueSets
from shoal.engines.bridge import from_numpy, is_null, to_numpy
from shoal.engines.codes.coding import Coder, as_labels
from shoal.engines.codes.meanings import Leaves, Meanings, numbers_of
from shoal.engines.codes.reading_shares import in_whole_numbers, read_distributions
from shoal.errors import DataError, listed

if TYPE_CHECKING:
    import pyarrow as pa

    from shoal.engines.reading.source import Source


@dataclass(frozen=True, slots=True)
class _Claims:
    """What a certificate says about a column."""

    role: Role
    level: int | None


@dataclass(frozen=True, slots=True, eq=False)
class _Read:
    """A column: what its entries are (None: leaves), the code of each row, and how many codes there are."""

    shown: Shown | None
    codes: Codes
    size: int


def read_back(
    source: Source, table: EncodedTable, columns: Sequence[Mapping[str, Any]], *, whole: int | None = None
) -> Outcome:
    """The outcome that published rows tell.

    Args:
        source: The published rows.
        table: The original, coded as it was for the method.
        columns: What the certificate says about the columns: name, role, and the level where it has one.
        whole: How many people a published distribution is made of, if it is known: shares are then parts of it.

    Raises:
        DataError: Rows and original do not belong together, or a published value can be read in several ways.
    """
    claims = _claims_by_column(table, columns)
    attributes = tuple(replace(a, role=claims[a.name].role) for a in table.attributes)
    rows = _rows(source, table)
    read = {a.name: _column(a, rows, claims[a.name].level, whole) for a in attributes}
    names = tuple(table.counts.names)
    published = Counts.of(names, [read[name].codes for name in names], [read[name].size for name in names])
    levels = {a.name: claims[a.name].level for a in attributes if a.role is Role.QUASI_IDENTIFIER}
    decided = {name: level for name, level in levels.items() if level is not None}
    return Outcome(
        table=replace(table, attributes=attributes),
        published=published,
        shown={name: one.shown for name, one in read.items() if one.shown is not None},
        recoding=FullDomain(decided) if decided and len(decided) == len(levels) else None,
    )


def _claims_by_column(table: EncodedTable, columns: Sequence[Mapping[str, Any]]) -> dict[str, _Claims]:
    """What is said about each counted column; of one that is spread over several, by any of them."""
    found = {}
    for attribute in table.attributes:
        name = attribute.name
        own = [column for column in columns if column.get("name") == name]
        own = own or [column for column in columns if str(column.get("name")).startswith(f"{name}=")]
        role, level = (own[0].get("role"), own[0].get("level")) if own else (None, None)
        is_level = level is None or (isinstance(level, int) and 0 <= level <= attribute.hierarchy.height)
        if role not in {known.value for known in Role} or not is_level:
            raise DataError(
                f"what the certificate says about column {name!r} does not fit the release file; it belongs to another."
            )
        found[name] = _Claims(Role(role), level)
    return found


def _rows(source: Source, table: EncodedTable) -> pa.Table:
    import pyarrow as pa

    present, wanted = source.types(), []
    for name in table.counts.names:
        wanted += [name] if name in present else _titles(name, list(present))
    absent = [n for n in table.counts.names if n not in present and not _titles(n, list(present))]
    if absent:
        raise DataError(f"{source.where} has no column {listed(absent)}; it belongs to another release file.")
    batches = [batch for batch, _ in source.batches(wanted)]
    if not batches:
        return pa.table({name: pa.array([], present[name]) for name in wanted})
    return pa.Table.from_batches(batches).unify_dictionaries()


def _titles(name: str, present: Sequence[str]) -> list[str]:
    return [title for title in present if title.startswith(f"{name}=")]


def _column(attribute: Attribute, rows: pa.Table, level: int | None, whole: int | None) -> _Read:
    if attribute.name not in rows.column_names:
        return _spread_out(attribute, rows, whole)
    distinct, where = _distinct(rows.column(attribute.name))
    coder = Coder(attribute.name, attribute.domain, ("",))
    positions, coded = coder.local(distinct)
    leaves, labels = coded[positions], as_labels(distinct)
    texts = [None if label == "" and leaf < 0 else label for label, leaf in zip(labels, leaves, strict=True)]
    gone = np.array([text is None for text in texts], dtype=np.bool_)
    missing = attribute.domain.missing
    if missing is not None:
        leaves = np.where(gone, missing, leaves)
    if level is not None and attribute.role is Role.QUASI_IDENTIFIER:
        return _at_level(attribute, level, leaves, texts, where)
    if (leaves >= 0).all():
        if attribute.role is Role.SENSITIVE:
            return _Read(None, leaves[where], attribute.domain.size)
        nodes, entry = np.unique(leaves, return_inverse=True)
        return _Read(TreeNodes(nodes.astype(np.int32)), entry[where], max(len(nodes), 1))
    numbers = numbers_of(texts) if isinstance(attribute.domain, Grid) else None
    if numbers is not None:
        values, entry = np.unique(np.array(numbers), return_inverse=True)
        return _Read(Numbers(values), entry[where], len(values))
    distributions = read_distributions(attribute, texts, whole)
    if distributions is not None:
        return _merged_distributions(distributions, where)
    return _generalized(attribute, leaves, texts, where)


def _distinct(column: pa.ChunkedArray) -> tuple[pa.Array, Keys]:
    """The distinct values of a column, null last if there is one, and which of them each row has."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    whole = column.combine_chunks()
    whole = whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
    values, nulls = whole.dictionary, is_null(whole.indices)
    where = np.where(nulls, len(values), to_numpy(whole.indices).astype(np.int64))
    used, where = np.unique(where, return_inverse=True)  # a list of values may name some that no row has
    values = pa.concat_arrays([values, pa.nulls(1, values.type)]) if nulls.any() else values
    return values.take(from_numpy(used)), where


def _at_level(attribute: Attribute, level: int, leaves: Keys, texts: Sequence[str | None], where: Keys) -> _Read:
    """Texts as nodes of one level, so that names need be different only there."""
    lookup = FullDomain({attribute.name: level}).lookup(attribute)
    assert isinstance(lookup.shown, TreeNodes)
    nodes = lookup.shown.nodes
    named: dict[str, set[int]] = {}
    inner = np.flatnonzero(nodes >= attribute.hierarchy.leaves)
    for entry, label in zip(inner.tolist(), attribute.labels(nodes[inner]), strict=True):
        named.setdefault(label, set()).add(entry)
    entries = []
    for leaf, text in zip(leaves.tolist(), texts, strict=True):
        own = {int(lookup.codes[leaf])} if leaf >= 0 and nodes[lookup.codes[leaf]] == leaf else set()
        entries.append(_only(attribute, own | named.get(text or "", set())))
    return _Read(lookup.shown, np.array(entries, dtype=np.int64)[where], lookup.size)


def _generalized(attribute: Attribute, leaves: Keys, texts: Sequence[str | None], where: Keys) -> _Read:
    """Texts as nodes, ranges or sets of values."""
    meanings = Meanings(attribute)
    found: list[Leaves] = []
    for leaf, text in zip(leaves.tolist(), texts, strict=True):
        readings = set() if text is None else meanings.of(text)
        if leaf >= 0:
            readings.add(range(leaf, leaf + 1))
        found.append(_only(attribute, readings))
    entries = sorted(set(found), key=lambda one: (one[0], one[-1], len(one)))
    number = {one: i for i, one in enumerate(entries)}
    codes = np.array([number[one] for one in found], dtype=np.int64)[where]
    return _Read(_shown(attribute, entries), codes, len(entries))


def _shown(attribute: Attribute, entries: Sequence[Leaves]) -> Shown:
    if not all(isinstance(one, range) for one in entries):
        starts = np.cumsum([0, *map(len, entries)])
        return ValueSets(starts, np.concatenate([np.array(one, dtype=np.int64) for one in entries]))
    hierarchy = attribute.hierarchy
    inner = range(hierarchy.leaves, len(hierarchy.parent))
    covering = {(int(hierarchy.first[node]), int(hierarchy.leaf_count[node])): node for node in inner}
    nodes = [one[0] if len(one) == 1 else covering.get((one[0], len(one))) for one in entries]
    known = [node for node in nodes if node is not None]
    if len(known) == len(nodes):
        return TreeNodes(np.array(known, dtype=np.int32))
    return Spans(np.array([one[0] for one in entries]), np.array([one[-1] for one in entries]))


def _only(attribute: Attribute, readings: set[Any]) -> Any:
    if len(readings) == 1:
        return readings.pop()
    if readings:
        raise DataError(
            f"column {attribute.name!r}: a published value can be read in several ways, for its hierarchy gives one "
            "name to different groups; give each a name of its own."
        )
    raise DataError(
        f"column {attribute.name!r}: a published value is not in the domain or hierarchy that the release file "
        "declares; the release was made from another table, or under another release file."
    )


def _spread_out(attribute: Attribute, rows: pa.Table, whole: int | None) -> _Read:
    """A distribution that stands in one column for each value that occurs."""
    leaf = {label: i for i, label in enumerate(attribute.domain.labels(range(attribute.domain.size)))}
    titles = _titles(attribute.name, rows.column_names)
    shares = np.zeros((rows.num_rows, attribute.domain.size))
    for title in titles:
        distinct, where = _distinct(rows.column(title))
        numbers = numbers_of(as_labels(distinct))
        value = leaf.get(title.removeprefix(f"{attribute.name}="))
        if value is None or numbers is None:
            _only(attribute, set())
        assert value is not None
        shares[:, value] = np.array(numbers)[where]
    distinct_shares, where = np.unique(shares, axis=0, return_inverse=True)
    found = in_whole_numbers(attribute, distinct_shares, whole)
    return _merged_distributions(replace(found, as_columns=True), where.ravel())


def _merged_distributions(found: Distributions, where: Keys) -> _Read:
    shares, entry = np.unique(found.shares, axis=0, return_inverse=True)
    merged = Distributions(shares, shares.sum(axis=1), as_columns=found.as_columns)
    return _Read(merged, entry.ravel()[where], len(merged))
