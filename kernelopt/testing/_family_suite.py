"""The conformance suite of a kernel family."""

from kernelopt.testing._far_laws import FarLaws
from kernelopt.testing._further_laws import FurtherLaws
from kernelopt.testing._gram_laws import GramLaws
from kernelopt.testing._growth_laws import GrowthLaws
from kernelopt.testing._hold_laws import HoldLaws
from kernelopt.testing._judge_laws import JudgeLaws
from kernelopt.testing._layout_laws import LayoutLaws
from kernelopt.testing._linear_laws import LinearLaws
from kernelopt.testing._memory_laws import MemoryLaws
from kernelopt.testing._oracle_laws import OracleLaws
from kernelopt.testing._peak_laws import PeakLaws
from kernelopt.testing._prepare_laws import PrepareLaws
from kernelopt.testing._row_laws import RowLaws
from kernelopt.testing._said_laws import SaidLaws
from kernelopt.testing._search_laws import SearchLaws
from kernelopt.testing._size_laws import SizeLaws
from kernelopt.testing._wide_laws import WideLaws


class FamilySuite(
    GramLaws,
    RowLaws,
    MemoryLaws,
    FarLaws,
    LayoutLaws,
    WideLaws,
    OracleLaws,
    SearchLaws,
    JudgeLaws,
    PeakLaws,
    PrepareLaws,
    GrowthLaws,
    SaidLaws,
    LinearLaws,
    FurtherLaws,
    SizeLaws,
    HoldLaws,
):
    """Every law of a kernel family, as tests that a class inherits.

        class TestGaussians(FamilySuite):
            def family(self):
                return Gaussians()

            def naive_gram(self, family, part, X):
                return np.array([[sum(w * k(a, x, z) for a, w in zip(part.atoms, part.weights)) for z in X] for x in X])

    A special class of families, such as `FiniteFamily`, has further laws, which are tested if the prepared family is an
    instance of this class. For a searched family you also write `random_atoms`, so that the oracle is compared with
    atoms that the oracle did not find; this is not needed if the family has `draw` or finite `atom_bounds`.
    """
