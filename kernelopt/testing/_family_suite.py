"""The conformance suite of a kernel family."""

from kernelopt.testing._further_laws import FurtherLaws
from kernelopt.testing._gram_laws import GramLaws
from kernelopt.testing._judge_laws import JudgeLaws
from kernelopt.testing._linear_laws import LinearLaws
from kernelopt.testing._oracle_laws import OracleLaws
from kernelopt.testing._prepare_laws import PrepareLaws
from kernelopt.testing._search_laws import SearchLaws
from kernelopt.testing._size_laws import SizeLaws


class FamilySuite(GramLaws, OracleLaws, SearchLaws, JudgeLaws, PrepareLaws, LinearLaws, FurtherLaws, SizeLaws):
    """Every law of a kernel family, as tests to inherit.

        class TestGaussians(FamilySuite):
            def family(self):
                return Gaussians()

            def naive_gram(self, family, part, X):
                return np.array([[sum(w * k(a, x, z) for a, w in zip(part.atoms, part.weights)) for z in X] for x in X])

    The laws of a capability run where the prepared family is an instance of its class. A searched family also writes
    `random_atoms`, so that its oracle is judged by atoms that it did not find itself; it need not where the family has
    `draw` or finite `atom_bounds`.
    """
