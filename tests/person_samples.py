"""Small tables in which persons have several records, and who they are, counted one by one."""

from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import strategies as st
from local_outcomes import with_orders
from strategies import samples

from shoal.data.people.incidence import Incidence
from shoal.data.unit import Unit


def with_persons(table, owners):
    """The same table, `owners` naming the person of each record, distinct record by distinct record."""
    record = np.repeat(np.arange(len(table.counts)), table.counts.sizes)
    persons = Incidence.of(record, np.asarray(owners), np.ones(len(record), dtype=np.int64), len(table.counts))
    return replace(table, persons=persons, unit=Unit.PERSON)


@st.composite
def person_tables(draw, *, one_each=False, **shape):
    """A sample, and its table with persons; each has one record, or there are about as few persons as may be."""
    sample = draw(samples(**{"records": (1, 16), "max_leaves": 6, **shape}))
    table = with_orders(sample.table, draw(st.integers(0, 63)))
    random = Random(draw(st.integers(0, 2**32 - 1)))
    if one_each:
        owners = random.sample(range(table.total), table.total)
    else:
        people = draw(st.integers(1, max(table.total, 1)))
        owners = [random.randrange(people) for _ in range(table.total)]
    return sample, with_persons(table, owners)


def persons_of(table, rows):
    """Who has one of some distinct records."""
    return {int(p) for r, p in zip(table.persons.record, table.persons.person, strict=True) if int(r) in rows}


def published_classes(outcome):
    """Per published class, the distinct records of the original that are in it."""
    names = [attribute.name for attribute in outcome.table.quasi_identifiers]
    alike, groups = outcome.published.group(names)
    classes = [set() for _ in range(groups)]
    for source, label in zip(outcome.sources.source, outcome.sources.label, strict=True):
        classes[alike[label]].add(int(source))
    return classes
