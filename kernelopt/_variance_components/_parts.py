"""The lines of the table: a kernel with its variance, and a covariate with its coefficient."""

import math

import attrs
from scipy.special import chdtrc, ndtr, ndtri

_WIDTH = float(ndtri(0.975))
"""Of an interval that holds a normal variable with a probability of 95 %, on either side, in standard errors."""


@attrs.frozen
class VarianceComponent:
    """The variance that one kernel explains, or the residual variance, which no kernel explains.

    Attributes:
        name: the name of the kernel, or "residual".
        variance: the weight w_a of the kernel, >= 0.
        std_error: the standard error of the variance; NaN if the variance is 0, or if the information is singular.
        share: w_a d_a / sum_b w_b d_b, between 0 and 1: the part of the heritability that is due to this kernel.
        share_error: the standard error of the share, by the delta method.
        mean_diagonal: d_a, the mean of the diagonal of the kernel; 1 for the residual.
        statistic: the statistic of the likelihood-ratio test of w_a = 0, >= 0; NaN if the kernel was not tested, and
            for the residual.
    """

    name: str
    variance: float
    std_error: float
    share: float
    share_error: float
    mean_diagonal: float
    statistic: float = math.nan

    @property
    def p_value(self) -> float:
        """The probability of a statistic at least as large if the kernel explains nothing.

        The statistic is then 0 with probability 1/2, and otherwise chi-squared with one degree of freedom. NaN: no
        test.
        """
        if math.isnan(self.statistic):
            return math.nan
        return 1.0 if self.statistic <= 0.0 else 0.5 * float(chdtrc(1, self.statistic))

    @property
    def on_boundary(self) -> bool:
        """Whether the variance is estimated as 0."""
        return self.variance == 0.0


@attrs.frozen
class FixedEffect:
    """The coefficient of one covariate, or the intercept.

    Attributes:
        name: the name of the covariate, or that of the intercept.
        estimate: the coefficient, by generalised least squares at the estimated variances.
        std_error: the standard error of the coefficient, computed as if the estimated variances were the true ones.
    """

    name: str
    estimate: float
    std_error: float

    @property
    def z(self) -> float:
        """The estimate divided by its standard error."""
        return self.estimate / self.std_error

    @property
    def p_value(self) -> float:
        """The p-value of the two-sided test that the coefficient is 0, by the normal distribution."""
        return 2.0 * float(ndtr(-abs(self.z)))

    @property
    def interval(self) -> tuple[float, float]:
        """The two ends of the 95 % confidence interval of the coefficient, by the normal distribution."""
        return self.estimate - _WIDTH * self.std_error, self.estimate + _WIDTH * self.std_error
