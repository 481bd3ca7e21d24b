"""The conformance suite of a kernel family."""

from kernelopt.testing.laws._far_laws import FarLaws
from kernelopt.testing.laws._further_laws import FurtherLaws
from kernelopt.testing.laws._gram_laws import GramLaws
from kernelopt.testing.laws._growth_laws import GrowthLaws
from kernelopt.testing.laws._hold_laws import HoldLaws
from kernelopt.testing.laws._judge_laws import JudgeLaws
from kernelopt.testing.laws._layout_laws import LayoutLaws
from kernelopt.testing.laws._linear_laws import LinearLaws
from kernelopt.testing.laws._memory_laws import MemoryLaws
from kernelopt.testing.laws._oracle_laws import OracleLaws
from kernelopt.testing.laws._part_laws import PartLaws
from kernelopt.testing.laws._peak_laws import PeakLaws
from kernelopt.testing.laws._prepare_laws import PrepareLaws
from kernelopt.testing.laws._row_laws import RowLaws
from kernelopt.testing.laws._said_laws import SaidLaws
from kernelopt.testing.laws._search_laws import SearchLaws
from kernelopt.testing.laws._size_laws import SizeLaws
from kernelopt.testing.laws._wide_laws import WideLaws


class FamilySuite(
    GramLaws,
    PartLaws,
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
