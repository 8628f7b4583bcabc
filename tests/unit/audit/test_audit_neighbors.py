import math

import pytest

from shoal.audit import add_remove_neighbors, replace_neighbors


@pytest.mark.parametrize(("domain", "most"), [("ab", 1), ("abc", 3), ((0, 1), 2)])
def test_adding_reaches_every_table_from_every_smaller_one(domain, most):
    pairs = list(add_remove_neighbors(domain, most=most))
    tables = sum(math.comb(len(domain) + size - 1, size) for size in range(most))
    assert len(pairs) == len(set(pairs)) == tables * len(domain)
    for smaller, larger in pairs:
        left = list(larger)
        for record in smaller:
            left.remove(record)
        assert len(left) == 1
        assert list(larger) == sorted(larger)


@pytest.mark.parametrize(("domain", "size"), [("ab", 1), ("abc", 2), ((0, 1), 3)])
def test_replacing_keeps_the_size_and_changes_one_record(domain, size):
    pairs = list(replace_neighbors(domain, size=size))
    assert len(pairs) == len({frozenset(pair) for pair in pairs})
    for one, other in pairs:
        assert len(one) == len(other) == size
        left = list(other)
        for record in one:
            if record in left:
                left.remove(record)
        assert len(left) == 1
