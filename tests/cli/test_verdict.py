"""When a machine is said to be no better than one answer for all rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernelopt.cli.judging import _check, _check_report
from kernelopt.cli.judging._check_plan import Plan
from kernelopt.sklearn import _beside


def a_check(ours: _beside.Losses, one: _beside.Losses, parts: int = 1) -> _check.Check:
    """Machines that lost so much on the rows of so many parts."""
    part = _beside.Part(0.0, {_beside.OURS: ours, "always x": one})
    return _check.Check("classification", Plan(2), (part,) * parts)


@given(st.lists(st.sampled_from([(0.0, 1.0), (1.0, 0.0), (0.0, 0.0), (1.0, 1.0)]), min_size=1, max_size=60))
def test_to_be_better_is_not_mutual_and_needs_fewer_errors(pairs: list[tuple[float, float]]) -> None:
    ours, one = (_beside.Losses(np.array(side)) for side in zip(*pairs, strict=True))
    if not a_check(ours, one).no_better:
        assert ours.errors.sum() < one.errors.sum()
        assert a_check(one, ours).no_better
    assert a_check(ours, ours).no_better
    # Rows that both get right or wrong say nothing against a difference, and more rows of the kind do not hide it.
    assert a_check(ours, one).no_better or not a_check(ours, one, parts=4).no_better


@pytest.mark.parametrize(("won", "lost", "better"), [(1, 0, False), (4, 0, True), (5, 3, False), (30, 10, True)])
def test_few_rows_more_than_one_answer_gets_right_may_be_chance(won: int, lost: int, better: bool) -> None:
    ours, one = np.zeros(100), np.zeros(100)
    one[:won], ours[won : won + lost] = 1.0, 1.0
    assert a_check(_beside.Losses(ours), _beside.Losses(one)).no_better is not better


def test_better_probabilities_are_told_where_labels_are_no_better() -> None:
    errors = np.array([1.0] + 39 * [0.0])
    ours, one = _beside.Losses(errors, np.full(40, 0.1)), _beside.Losses(errors, np.full(40, 0.2))
    better = _check_report.lines(a_check(ours, one))["caution"]
    assert better is not None
    assert better.endswith("its probabilities are better than the shares of the classes")
    assert "probabilities" not in _check_report.lines(a_check(one, ours))["caution"]
