"""What is known of the variance components of a trait: estimates, errors, tests, and predictions of each component."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from kernelopt._base._errors import InvalidData, MissingLibrary, UnknownName
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._input import check_matrix
from kernelopt._variance_components import _table
from kernelopt._variance_components._input import RESIDUAL, covariate_columns, names_of, refuse_other
from kernelopt._variance_components._parts import FixedEffect, VarianceComponent

if TYPE_CHECKING:
    import pandas as pd

_CALLED = {"reml": "restricted maximum likelihood", "ml": "maximum likelihood"}


@attrs.frozen(eq=False, repr=False)
class VarianceComponents:
    """The variance components of a trait; `print` shows them as a table, and `summary()` returns this table.

    The likelihood is not a concave function of the variances. The estimates are a stationary point of the likelihood,
    and there is no proof that no other point has a higher likelihood; with `start=` the search starts at other
    variances.

    Attributes:
        components: one `VarianceComponent` for each kernel, in the order given.
        residual: the variance that no kernel explains.
        fixed_effects: the intercept first, if there is one, and then one `FixedEffect` for each covariate.
        heritability: the share of all kernels together, 1 - residual.share.
        heritability_error: the standard error of the heritability, by the delta method.
        covariance: the covariance matrix of the estimated variances, the inverse of the average information, shape (m +
            1, m + 1); the residual comes last, and variances of 0 have NaN.
        information: the average information, shape (m + 1, m + 1).
        score: the derivative of the log-likelihood in each variance, shape (m + 1,). It is set to 0 for a variance of 0
            that could raise the likelihood only by a fall below 0.
        gradient_norm: the length of the next step in standard errors: the root of score' information^-1 score.
        method: "reml" or "ml", the likelihood that was maximised.
        reml_log_likelihood: the restricted log-likelihood at the estimates, in nats: that of n - q contrasts of the
            trait, which do not depend on the fixed effects.
        ml_log_likelihood: the log-likelihood of the trait at the estimates, in nats.
        fixed_covariance: the covariance matrix of the fixed effects, shape (q, q).
        dual_coef: V^-1 (y - X b), where V is the covariance of the trait, shape (n,).
        steps: the number of steps of the fit.
        converged: whether another step would raise the log-likelihood by less than the tolerance.
        notes: sentences on what the reader should know about the estimates.
        random_effects: the best linear unbiased prediction of the effect of each kernel on each row, shape (m, n).
        intercept: whether the first of the fixed effects is the intercept that was added to the covariates.
        covariate_names: the names of the columns of the covariates, if they came with names; otherwise empty.
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
    intercept: bool
    covariate_names: tuple[str, ...]

    @property
    def log_likelihood(self) -> float:
        """The log-likelihood that was maximised, restricted or not, in nats."""
        return self.reml_log_likelihood if self.method == "reml" else self.ml_log_likelihood

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the kernels."""
        return tuple(component.name for component in self.components)

    @property
    def variances(self) -> FloatArray:
        """The variance of each kernel, and last that of the residual, shape (m + 1,)."""
        return np.array([*(component.variance for component in self.components), self.residual.variance])

    def __getitem__(self, name: str) -> VarianceComponent:
        """One component by the name of its kernel, or "residual"."""
        return self.residual if name == RESIDUAL else self.components[self._place(name)]

    def blup(self, name: str, cross: Any = None) -> FloatArray:
        """The best linear unbiased prediction of one component: its effect on each row, without the fixed effects.

        Args:
            name: the name of the kernel, or "residual".
            cross: the kernel between new rows and the rows of the fit, shape (k, n). None: the effects on the rows of
                the fit.

        Returns:
            the effects, shape (n,), or (k,) for new rows.

        Raises:
            UnknownName: no kernel has this name.
            InvalidData: cross has another shape.
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
        """The expected trait of new rows: the fixed effects plus the predicted effect of each kernel.

        Args:
            cross: a mapping from the name of each kernel to its values between the new rows and the rows of the fit,
                shape (k, n). Kernels of variance 0 may be left out.
            covariates: the covariates of the new rows, with the same columns in the same order as in the fit and
                without the intercept, shape (k, q). If both have names, as in a table, the names must be the same.

        Returns:
            the expected trait, shape (k,).

        Raises:
            UnknownName: no kernel has one of the names.
            InvalidData: a kernel is missing, an array has another shape, or the covariates have other names.
        """
        if not isinstance(cross, Mapping):
            raise InvalidData(
                f"cross: got {type(cross).__name__}, wanted a mapping from names of kernels to matrices; the names are "
                f"{list(self.names)!r}"
            )
        missing = [c.name for c in self.components if c.name not in cross and not c.on_boundary]
        if missing or not cross:
            raise InvalidData(f"cross: got {sorted(cross)!r}, wanted a matrix for each of {list(self.names)!r}")
        parts = [self.blup(name, K) for name, K in cross.items()]
        if len({len(part) for part in parts}) != 1:
            raise InvalidData(f"cross: got matrices of {[len(part) for part in parts]} rows, wanted as many in each")
        columns = self._columns(covariates, len(parts[0]))
        effects = np.array([effect.estimate for effect in self.fixed_effects])
        return np.asarray(columns @ effects + np.sum(parts, axis=0))

    def _columns(self, covariates: Any, k: int) -> FloatArray:
        """The fixed effects' columns of k new rows, shape (k, q), the intercept among them."""
        given = np.zeros((k, 0)) if covariates is None else covariate_columns(covariates)
        wanted = len(self.fixed_effects) - self.intercept
        if given.shape != (k, wanted):
            raise InvalidData(f"covariates has shape {given.shape}, wanted ({k}, {wanted}): the columns of the fit")
        refuse_other(names_of(covariates), self.covariate_names)
        return np.hstack([np.ones((k, int(self.intercept))), given])

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
