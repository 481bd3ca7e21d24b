"""The order of a sum is fixed: it says nothing of who has found a term first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernelopt_dask._tree import added, grown, in_order


def arrived(order, terms):
    """What is held when terms have come in this order: each node in words."""
    held = {}
    for i in order:
        held = grown({**held, (0, i): str(i)}, terms, lambda one, other: f"({one}+{other})")
    return held


def expected(terms):
    words = [str(i) for i in range(terms)]
    while len(words) > 1:
        pairs = [words[i : i + 2] for i in range(0, len(words), 2)]
        words = [pair[0] if len(pair) == 1 else f"({pair[0]}+{pair[1]})" for pair in pairs]
    return words[0]


@given(st.integers(1, 40).flatmap(lambda m: st.permutations(range(m))))
def test_terms_that_come_in_any_order_are_added_in_one(order):
    assert in_order(arrived(order, len(order))) == [expected(len(order))]


@given(st.integers(1, 40).flatmap(lambda m: st.tuples(st.just(m), st.sets(st.integers(0, m - 1)))))
def test_what_is_held_of_some_terms_is_each_of_them_once_in_order(given_terms):
    terms, some = given_terms
    words = "+".join(in_order(arrived(some, terms)))
    assert [int(word) for word in words.replace("(", "").replace(")", "").split("+") if word] == sorted(some)


@pytest.mark.parametrize("terms", [100, 64, 1000])
def test_few_sums_are_held_where_terms_come_nearly_in_order(terms):
    held, most = {}, 0
    for i in range(terms):
        held = grown({**held, (0, i): 1}, terms, int.__add__)
        most = max(most, len(held))
    assert most <= np.log2(terms) + 1
    assert in_order(held) == [terms]


def test_nothing_adds_nothing():
    class Number(int):
        def plus(self, other):
            return Number(self + other)

    assert added(None, None) is None
    assert added(None, Number(2)) == added(Number(2), None) == 2
    assert added(Number(1), Number(2)) == 3
