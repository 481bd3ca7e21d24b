"""How large the noise and the function of each of several targets are under one kernel."""

import attrs

from kernelopt._base._typing import FloatArray


@attrs.frozen(eq=False)
class OwnNoise:
    """Target c is a function of covariance size_c K with noise of the variance size_c ratio_c tau.

    K and tau are the kernel and the variance of the noise that were learned for all targets together.

    Attributes:
        ratio: powers of the root of 2, shape (c,).
        size: >= 0, shape (c,); 0 of a target that is 0 everywhere.
    """

    ratio: FloatArray
    size: FloatArray
