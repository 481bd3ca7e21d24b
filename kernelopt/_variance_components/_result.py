"""What is known of the variance components of a trait: estimates, errors, tests, and predictions of each component."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData, MissingLibrary, UnknownName
from kernelopt._base._input import check_matrix
from kernelopt._base._typing import FloatArray
from kernelopt._variance_components import _table
from kernelopt._variance_components._input import INTERCEPT, RESIDUAL, covariate_columns
from kernelopt._variance_components._parts import FixedEffect, VarianceComponent

if TYPE_CHECKING:
    import pandas as pd

_CALLED = {"reml": "restricted maximum likelihood", "ml": "maximum likelihood"}


@attrs.frozen(eq=False, repr=False)
class VarianceComponents:
    """The variance components of a trait; print it for a table, as `summary()` gives it.

    The likelihood of variances is not concave. The estimates are a stationary point of it, and nobody proved that no
    other point is higher; `start=` climbs from elsewhere.

    Attributes:
        components: one for each kernel, in the order given.
        residual: the variance that no kernel explains.
        fixed_effects: the intercept first, and then one for each covariate.
        heritability: the share of all kernels together, 1 - residual.share.
        heritability_error: its standard error, by the delta method.
        covariance: of the estimated variances, the residual last, the inverse of the average information; NaN for
            variances of 0, shape (m + 1, m + 1).
        information: the average information, shape (m + 1, m + 1).
        score: the derivative of the log-likelihood in each variance; 0 where a variance of 0 would have to fall, shape
            (m + 1,).
        gradient_norm: how far the next step would go, in standard errors: the root of score' information^-1 score.
        method: "reml" or "ml", the likelihood that was maximised.
        reml_log_likelihood: of n - q contrasts of the trait that no fixed effect moves, at the estimates.
        ml_log_likelihood: of the trait, at the estimates.
        fixed_covariance: of the fixed effects, shape (q, q).
        dual_coef: V^-1 (y - X b), shape (n,).
        steps: that the climb took.
        converged: whether the next step would gain less than the tolerance.
        notes: sentences on what there is to know about the estimates.
        random_effects: the best linear unbiased prediction of each kernel's effect on each row, shape (m, n).
    """

    components: tuple[VarianceComponent, ...]
    residual: VarianceComponent
    fixed_effects: tuple[FixedEffect, ...]
    heritability: float
    heritability_error: float
    covariance: FloatArray
    information: FloatArray
    score: FloatArray
    gradient_norm: float
    method: str
    reml_log_likelihood: float
    ml_log_likelihood: float
    fixed_covariance: FloatArray
    dual_coef: FloatArray
    random_effects: FloatArray
    steps: int
    converged: bool
    notes: tuple[str, ...]

    @property
    def log_likelihood(self) -> float:
        """The one that was maximised."""
        return self.reml_log_likelihood if self.method == "reml" else self.ml_log_likelihood

    @property
    def names(self) -> tuple[str, ...]:
        """Of the kernels."""
        return tuple(component.name for component in self.components)

    @property
    def variances(self) -> FloatArray:
        """Of the kernels and, last, of the residual, shape (m + 1,)."""
        return np.array([*(component.variance for component in self.components), self.residual.variance])

    def __getitem__(self, name: str) -> VarianceComponent:
        """One component by the name of its kernel, or "residual"."""
        return self.residual if name == RESIDUAL else self.components[self._place(name)]

    def blup(self, name: str, cross: Any = None) -> FloatArray:
        """The best linear unbiased prediction of one component: its effect on each row, without the fixed effects.

        Args:
            name: of the kernel, or "residual".
            cross: the kernel between new rows and the rows of the fit, shape (k, n); None: the rows of the fit.

        Returns:
            shape (n,), or (k,) of new rows.

        Raises:
            UnknownName: no kernel has this name.
            InvalidData: cross is of another shape.
        """
        if name == RESIDUAL:
            if cross is not None:
                raise InvalidData("cross: got a matrix for the residual, which new rows do not share; leave it out")
            return np.asarray(self.residual.variance * self.dual_coef)
        a = self._place(name)
        if cross is None:
            return np.array(self.random_effects[a])
        K = check_matrix(cross, "cross", len(self.dual_coef))
        return np.asarray(self.components[a].variance * (K @ self.dual_coef))

    def predict(self, cross: Mapping[str, Any], covariates: Any = None) -> FloatArray:
        """The expected trait of new rows: fixed effects, and the predicted effect of each kernel.

        Args:
            cross: by the name of each kernel, its values between new rows and the rows of the fit, shape (k, n); it
                may lack kernels of variance 0.
            covariates: of the new rows, as in the fit, without the intercept, shape (k, q).

        Returns:
            shape (k,).

        Raises:
            UnknownName: no kernel has one of the names.
            InvalidData: a kernel is missing, or something is of another shape.
        """
        missing = [c.name for c in self.components if c.name not in cross and not c.on_boundary]
        if missing or not cross:
            raise InvalidData(f"cross: got {sorted(cross)!r}, wanted a matrix for each of {list(self.names)!r}")
        parts = [self.blup(name, K) for name, K in cross.items()]
        if len({len(part) for part in parts}) != 1:
            raise InvalidData(f"cross: got matrices of {[len(part) for part in parts]} rows, wanted as many in each")
        k, q = len(parts[0]), len(self.fixed_effects)
        level = bool(self.fixed_effects) and self.fixed_effects[0].name == INTERCEPT
        given = np.zeros((k, 0)) if covariates is None else covariate_columns(covariates)
        if given.shape != (k, q - level):
            raise InvalidData(f"covariates has shape {given.shape}, wanted ({k}, {q - level}): the columns of the fit")
        columns = np.hstack([np.ones((k, int(level))), given])
        effects = np.array([effect.estimate for effect in self.fixed_effects])
        return np.asarray(columns @ effects + np.sum(parts, axis=0))

    def summary(self) -> str:
        """The table in words, 78 letters wide."""
        return _table.text(_sheet(self))

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return _table.html(_sheet(self))

    def __repr__(self) -> str:
        shares = ", ".join(f"{c.name} {c.share:.2f}" for c in self.components)
        return f"<VarianceComponents: shares {shares}, residual {self.residual.share:.2f}>"

    def to_frame(self) -> "pd.DataFrame":
        """A data frame with one row for each kernel, and one for the residual.

        Raises:
            MissingLibrary: pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingLibrary(
                "to_frame needs pandas, which is not installed; install it with: python -m pip install pandas"
            ) from None
        whole = (*self.components, self.residual)
        rows = [{**attrs.asdict(component), "p_value": component.p_value} for component in whole]
        return DataFrame(rows).set_index("name")

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName(f"there is no component {name!r}; there are {', '.join([*self.names, RESIDUAL])}")
        return self.names.index(name)


def _sheet(found: VarianceComponents) -> _table.Sheet:
    """The table of a result."""
    facts = (
        ("Rows", f"{len(found.dual_coef)}"),
        ("Log-likelihood (REML)", f"{found.reml_log_likelihood:.3f}"),
        ("Fixed effects", f"{len(found.fixed_effects)}"),
        ("Log-likelihood (ML)", f"{found.ml_log_likelihood:.3f}"),
        ("Steps", f"{found.steps}"),
        ("Next step, in std errors", f"{found.gradient_norm:.1e}"),
        ("Converged", "yes" if found.converged else "no"),
        ("Heritability", f"{_table.number(found.heritability)} +- {_table.number(found.heritability_error)}"),
    )
    variances = [
        (
            c.name,
            *map(_table.number, (c.variance, c.std_error, c.share, c.share_error, c.statistic)),
            _table.small(c.p_value),
        )
        for c in (*found.components, found.residual)
    ]
    effects = [
        (
            e.name,
            *map(_table.number, (e.estimate, e.std_error, e.z)),
            _table.small(e.p_value),
            *map(_table.number, e.interval),
        )
        for e in found.fixed_effects
    ]
    title = f"Variance components by {_CALLED[found.method]}"
    return _table.Sheet(title, facts, tuple(variances), tuple(effects), found.notes)
