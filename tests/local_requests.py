"""What is asked of local recodings in tests: tables, criteria that they meet as a whole, whether a class meets them."""

import naive
from hypothesis import assume
from hypothesis import strategies as st
from local_outcomes import with_orders
from strategies import criteria_about, samples

from shoal.criteria import KAnonymity

PUBLISH = st.sampled_from(["intervals", "nodes"])


def meets(sample, criteria, records):
    """Whether {row of the table: records} is an admissible class, value by value."""
    table = sample.table
    sensitive = {name: table[name].domain.values for name in sample.sensitive_names}
    for criterion in criteria:
        if isinstance(criterion, KAnonymity):
            good = sum(records.values()) >= criterion.k
        else:
            codes, values = table.counts.column(criterion.column), sensitive[criterion.column]
            here = [values[codes[row]] for row, size in records.items() for _ in range(size)]
            whole = [values[code] for code, size in zip(codes, table.counts.sizes, strict=True) for _ in range(size)]
            good = naive.holds(criterion, here, whole, naive.column_of(sample, criterion)[1])
        if not good:
            return False
    return True


@st.composite
def requests(draw, with_criteria=True):
    """A sample, the table with some orders, and criteria that the table as a whole meets."""
    sample = draw(samples(records=(1, 16), max_leaves=6))
    table = with_orders(sample.table, draw(st.integers(0, 63)))
    criteria = [KAnonymity(draw(st.integers(1, 6)))]
    if with_criteria:
        criteria += draw(criteria_about(sample, max_size=2))
    whole = dict(enumerate(table.counts.sizes.tolist()))
    assume(meets(sample, criteria, whole))
    return sample, table, tuple(criteria)
