"""What the tests of working sets share."""

import pytest

import kernelopt
from kernelopt.testing import Affine


@pytest.fixture
def rows(near_margin):
    return near_margin.rows


@pytest.fixture
def target(near_margin):
    return near_margin.target


@pytest.fixture(params=["svc", "l2-svc", "svr"])
def criterion(request, near_margin):
    return near_margin.criteria[request.param]


@pytest.fixture(params=["matrix", "list", "matrix and identity"])
def families(request, near_margin):
    return {
        "matrix": (Affine(),),
        "list": (near_margin.gaussians(),),
        "matrix and identity": (Affine(), kernelopt.Delta()),
    }[request.param]
