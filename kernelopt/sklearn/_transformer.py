"""A learned kernel as a step of a pipeline."""

from typing import Any, Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from kernelopt._base._errors import InvalidOption
from kernelopt._base._typing import FloatArray
from kernelopt._base.tables._row_labels import warn_of_other_order
from kernelopt.sklearn._learner import KernelLearner

OUTPUTS = ("auto", "gram", "features")


class LearnedKernel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelLearner):  # type: ignore[misc]
    """A transformer that learns a kernel from targets, and returns its Gram matrix with the training rows, or features.

        make_pipeline(LearnedKernel("tk"), SVC(kernel="precomputed"))
        make_pipeline(LearnedKernel("cosine"), LogisticRegression())

    Args:
        family: the kernels to choose from, as in `kernelopt.solve`: a name, an object, a mapping, or a list of these.
        criterion: the criterion by which the kernel is learned. None: the one that suits y.
        solver: the method of optimisation, as in `kernelopt.solve`.
        tol: the relative duality gap at which the fit ends, in (0, 1); under the evidence as in `kernelopt.solve`.
        scale: the quantity that is made 1 for each family, as in `kernelopt.solve`.
        output: the columns that `transform` returns. "features": features phi, for which phi(x)'phi(z) is the kernel;
            every family must have features. "gram": the kernel with every training row. "auto": the features if every
            family has features, otherwise the Gram matrix.
        max_steps: the largest number of steps, >= 0; 0 keeps the kernel that the run begins with. None: the solver's
            own limit.
        max_seconds: a time limit in seconds. None: no limit.
        class_weight: weights of the classes, in classification only: None, "balanced", or a mapping from labels to
            weights. Under the evidence they change no kernel.
        warm_start: whether a fit starts from the last solution, which must be of the same families on the same columns.
        random_state: the seed of all random numbers, an integer, or a generator from which the seed is drawn. The
            default is 0, so that fits can be repeated.
        verbose: 0: nothing is printed; 1 or more: a live line is shown.

    Attributes:
        solution_: the whole `Solution`, with the machine that was learned together with the kernel.
        kernel_: the learned kernel, a callable.
        certificate_: upper and lower bounds on the optimum.
        n_iter_: the number of steps of the solver.
        X_fit_: the training rows, shape (n, d); None if `transform` returns features.
        n_features_in_, feature_names_in_: the number of columns, and the names of the columns if X has names.
    """

    def __init__(
        self,
        family: Any = None,
        *,
        criterion: Any = None,
        solver: Any = "auto",
        tol: float = 1e-3,
        scale: str | float = "auto",
        output: str = "auto",
        max_steps: int | None = None,
        max_seconds: float | None = None,
        class_weight: Any = None,
        warm_start: bool = False,
        random_state: Any = 0,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            family,
            criterion=criterion,
            solver=solver,
            tol=tol,
            scale=scale,
            max_steps=max_steps,
            max_seconds=max_seconds,
            warm_start=warm_start,
            random_state=random_state,
            verbose=verbose,
        )
        self.output = output
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the kernel.

        Args:
            X: rows, shape (n, d), or a table, with text, categories and missing values as they are.
            y: labels or numbers, shape (n,), or numbers (n, c).
            sample_weight: weights of the rows, shape (n,), >= 0; a weight of k means the same as k copies of the row.
                Under the evidence weights that are not all whole numbers say how much each row is trusted.

        Raises:
            Refused: features are wanted, and a family has none.
            InvalidData, InvalidOption, ...: as `kernelopt.solve`.
        """
        if self.output not in OUTPUTS:
            raise InvalidOption(f"LearnedKernel: output must be one of {', '.join(OUTPUTS)}, got {self.output!r}")
        warn_of_other_order(X, y=y, sample_weight=sample_weight)
        rows, targets = self._given(X, y, multi_output=True)
        self._learn(rows, targets, self._weights(sample_weight, rows), self.criterion, self.class_weight)
        explicit = self.output == "features" or (self.output == "auto" and self.kernel_.explicit)
        codes = self.kernel_.training_rows(rows)
        self.X_fit_ = None if explicit else codes
        self._n_features_out = self.kernel_.features(self.support_vectors_[:1]).shape[1] if explicit else len(codes)
        return self

    def transform(self, X: Any) -> FloatArray:
        """The features of rows X (n, d), shape (n, r), or their Gram with the training rows, (n, number of those)."""
        rows = self._rows(X)
        return self.kernel_.features(rows) if self.X_fit_ is None else self.kernel_(rows, self.X_fit_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
