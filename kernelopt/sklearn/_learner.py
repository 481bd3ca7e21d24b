"""What the estimators share: their parameters, how they learn, and the attributes that they then have."""

from collections.abc import Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, check_X_y
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelopt._api._family_specs import terms
from kernelopt._api._solve import solve
from kernelopt._base._caller import warn_caller
from kernelopt._base._errors import InvalidData, InvalidOption, KerneloptError
from kernelopt._base._options import plain
from kernelopt._base._typing import FloatArray, IntArray
from kernelopt._base._weights import check_weights
from kernelopt._base.tables._input import as_array, refuse_lazy, refuse_masked, refuse_twins
from kernelopt._base.tables._tables import holds_numbers, refuse_alike, refuse_flat
from kernelopt._base.tables._views import as_views
from kernelopt._criteria._contract import Criterion, Task
from kernelopt._families._contract import KernelFamily
from kernelopt._model._solution import Solution
from kernelopt._plugins._registry import Kind, resolve
from kernelopt._plugins._sources import source_of
from kernelopt._prediction._kernel import Kernel
from kernelopt._saddle._certificate import Certificate
from kernelopt.sklearn._parameters import SpecParameters

_SEEDS = 2**31 - 1
_AS_NUMBERS: Mapping[str, Any] = MappingProxyType(
    {"dtype": np.float64, "ensure_all_finite": "allow-nan", "accept_sparse": "csr"}
)
"""How scikit-learn reads arrays and sparse matrices; `solve` says more of what is wrong in them."""


class KernelLearner(SpecParameters):
    """A kernel and a machine, learned together by `kernelopt.solve`."""

    solution_: Solution
    device: Any = None
    _task: ClassVar[Task | None] = None

    def __init__(
        self,
        family: Any = None,
        *,
        criterion: Any = None,
        solver: Any = "auto",
        tol: float = 1e-3,
        scale: str | float = "auto",
        max_steps: int | None = None,
        max_seconds: float | None = None,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        self.family = family
        self.criterion = criterion
        self.solver = solver
        self.tol = tol
        self.scale = scale
        self.max_steps = max_steps
        self.max_seconds = max_seconds
        self.warm_start = warm_start
        self.random_state = random_state
        self.verbose = verbose

    @property
    def kernel_(self) -> Kernel:
        """The learned kernel, a callable."""
        return self.solution_.kernel

    @property
    def _reader(self) -> Kernel:
        """What reads rows as those in training were read."""
        return self.solution_.kernel

    @property
    def certificate_(self) -> Certificate:
        """Upper and lower bounds on the optimum."""
        return self.solution_.certificate

    @property
    def support_(self) -> IntArray:
        """Row numbers of the support vectors, shape (s,)."""
        return self.solution_.support

    @property
    def support_vectors_(self) -> FloatArray:
        """The support vectors, shape (s, d)."""
        return self.solution_.support_vectors

    @property
    def dual_coef_(self) -> FloatArray:
        """The coefficients of the support vectors in the decision function, one row for each output, shape (c, s)."""
        return self.solution_.dual_coef.T

    @property
    def intercept_(self) -> FloatArray:
        """The bias of each output, shape (c,)."""
        return self.solution_.predictor.intercept

    @property
    def n_iter_(self) -> int:
        """The number of steps of the solver."""
        return self.solution_.steps

    def views(self) -> dict[str, float]:
        """The share of each view in the learned kernel: its weight divided by that of all views together.

        Raises:
            InvalidOption: no view has a name.
        """
        check_is_fitted(self)
        return self.solution_.views()

    @property
    def _told(self) -> bool:
        """Whether a live line is asked for.

        Raises:
            InvalidOption: `verbose` is no whole number >= 0.
        """
        if not isinstance(self.verbose, int | np.integer) or self.verbose < 0:
            raise InvalidOption(
                f"{type(self).__name__}: verbose must be a whole number >= 0, got {self.verbose!r}; 1 shows a live line"
            )
        return bool(self.verbose)

    def _spec(self, kind: Kind, spec: Any) -> Any:
        return self._default(kind) if spec is None else spec

    def _default(self, kind: Kind) -> Any:  # noqa: ARG002
        """What None stands for, where that has options."""
        return None

    def _criterion(self) -> Criterion:
        """The criterion of a spec, or the default, for the estimator's task.

        Raises:
            InvalidOption: it is one of another task.
        """
        criterion: Criterion = resolve("criterion", self._spec("criterion", self.criterion))
        criterion = criterion.suited(self._task == "classification")
        if criterion.task != self._task:
            name = type(self).__name__
            raise InvalidOption(
                f"{name}: wanted a criterion of {self._task}, got {criterion.name}, of {criterion.task}"
            )
        return criterion

    def _given(self, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        """Rows to learn from, shape (n, d), with their targets where there are any, checked as scikit-learn does.

        Numbers become an array; a table, and what holds words, stays as it is for `solve`, which looks into columns.

        Raises:
            InvalidData: they are no rows and columns, some of them are masked, of which scikit-learn would read what
                lies under the mask, they are not in memory, or double precision does not tell them apart.
        """
        for values, name in ((X, "X"), (y, "y")):
            refuse_masked(values, name)
            refuse_lazy(values, name)
        refuse_twins(X, "X")
        options = {"ensure_min_samples": 2, **options}
        views = as_views(X)
        X = X if views is None else views
        if views is None and holds_numbers(X):
            if not hasattr(X, "tocsr"):
                refuse_alike(as_array(X, "X"), "X")
            return validate_data(self, X, y, **_AS_NUMBERS, **options)
        if views is None:
            refuse_flat(X, "X")
        validate_data(self, X, y, skip_check_array=True)
        if isinstance(y, str) and y == "no_validation":
            return X
        return X, check_X_y(np.zeros((len(X), 1)), y, estimator=self, **options)[1]

    @staticmethod
    def _weights(sample_weight: Any, X: Any) -> FloatArray | None:
        """Checked weights of rows X (n, d), shape (n,), or None where none are given; a number counts for each row."""
        if sample_weight is None:
            return None
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        one_for_all = isinstance(sample_weight, Real) and not isinstance(sample_weight, bool)
        weight = check_weights(np.full(n, float(sample_weight)) if one_for_all else sample_weight, n)
        if not weight.any():
            raise InvalidData(
                f"all {n} rows have a sample_weight of zero, wanted at least two rows with a positive weight"
            )
        return weight

    def _learn(
        self, X: Any, y: Any, sample_weight: Any, criterion: Any, class_weight: Any = None, groups: Any = None
    ) -> None:
        """Solve for checked rows X (n, d), targets y, weights and groups."""
        solution = solve(
            X,
            y,
            family=self._spec("family", self.family),
            solver=self.solver,
            criterion=criterion,
            tol=self.tol,
            scale=self.scale,
            start=getattr(self, "solution_", None) if self.warm_start else None,
            max_steps=self.max_steps,
            max_seconds=self.max_seconds,
            sample_weight=sample_weight,
            class_weight=class_weight,
            groups=groups,
            seed=self._seed(),
            progress=self._told,
            device=self.device,
        )
        names = getattr(self, "feature_names_in_", None)
        self.solution_ = solution if names is None else solution.named(names)
        if not solution.status.converged:
            warn_caller(
                f"{type(self).__name__}: the fit ended as {solution.status.name} before its tolerance {self.tol:g}, at "
                f"{solution.certificate}. {solution.status.advice}",
                ConvergenceWarning,
            )

    def _seed(self) -> int:
        """The seed that the parameter stands for; a generator of numpy, of either kind, is drawn from.

        Raises:
            InvalidOption: it stands for none.
        """
        given = self.random_state
        if isinstance(given, Integral) and int(given) >= 0:
            return int(given)
        if isinstance(given, np.random.Generator):
            return int(given.integers(_SEEDS))
        try:
            return int(check_random_state(given).randint(_SEEDS))
        except ValueError:
            raise InvalidOption(
                f"random_state must be None, an integer >= 0 or a generator of numpy.random, got {plain(given)!r}"
            ) from None

    def _rows(self, X: Any) -> Any:
        """Rows to predict, checked against those that were learned from, as codes, shape (n, d).

        Rows that a plugin brings stay what they are: the solution checks them.
        """
        check_is_fitted(self)
        if source_of(X) is not None:
            return X
        refuse_masked(X, "X")
        refuse_lazy(X, "X")
        refuse_twins(X, "X")
        views = as_views(X)
        if views is not None:
            validate_data(self, views, skip_check_array=True, reset=False)
            return self._reader.rows(views, "X")
        if holds_numbers(X):
            X = validate_data(self, X, **_AS_NUMBERS, reset=False)
        else:
            refuse_flat(X, "X")
            validate_data(self, X, skip_check_array=True, reset=False)
        return self._reader.rows(X, "X")

    def _takes_sparse(self) -> bool:
        """Whether the family, where one is named, learns from sparse rows."""
        if self.family is None:
            return True
        try:
            found = tuple(terms(self._spec("family", self.family)))
        except KerneloptError:  # `fit` says what is wrong
            return False
        return all(isinstance(one, KernelFamily) and one.turned(1) is not None for one in found)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True  # "categorical" stands for whole numbers alone
        tags.input_tags.sparse = self._takes_sparse()
        return tags
