"""Options that are scalars of numpy, as a grid of options has them, are those of Python."""

import numpy as np
import pytest

import kernelopt
from kernelopt import Evidence, InvalidOption

ASKED = [
    ({"name": "tk", "basis": "x", "degree": 1}, {"name": "svc", "C": 2.0}),
    ({"name": "cosine", "beta": 2.0}, {"name": "svr", "C": 2.0, "epsilon": 0.125}),
    (kernelopt.Dictionary(("linear", ("rbf", {"gamma": 0.5})), normalize="diagonal"), {"name": "ridge", "lam": 0.5}),
    ("auto", {"name": "evidence", "effort": "quick"}),
]


def numpys(value):
    """The value with scalars of numpy in place of Python's."""
    match value:
        case dict():
            return {key: numpys(item) for key, item in value.items()}
        case tuple():
            return tuple(map(numpys, value))
        case str():
            return np.str_(value)
        case int():
            return np.int64(value)
        case float():
            return np.float32(value)
        case kernelopt.Dictionary():
            return kernelopt.Dictionary(numpys(value.kernels), normalize=numpys(value.normalize))
    raise AssertionError(value)


@pytest.mark.parametrize(("family", "criterion"), ASKED)
def test_they_are_taken_without_a_word_and_kept_in_files(family, criterion, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = np.sign(X[:, 0] + 0.3) if criterion["name"] == "svc" else X[:, 0]
    wanted = kernelopt.solve(X, y, family=family, criterion=criterion).predict(X)
    s = kernelopt.solve(X, y, family=numpys(family), criterion=numpys(criterion))
    np.testing.assert_array_equal(s.predict(X), wanted)
    s.save(tmp_path / "model.kernelopt")
    np.testing.assert_array_equal(kernelopt.load(tmp_path / "model.kernelopt").predict(X), wanted)


@pytest.mark.parametrize("effort", [np.str_("Quick"), np.int64(1), True, 1.0, None])
def test_what_is_no_choice_is_refused(effort):
    with pytest.raises(InvalidOption, match="effort must be one of 'quick', 'normal', 'thorough', got "):
        Evidence(effort=effort)
