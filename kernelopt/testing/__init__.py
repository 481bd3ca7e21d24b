"""The conformance kit: inherit a suite, supply one example and one slow oracle, and dozens of laws are tested.

    from kernelopt.testing import FamilySuite

    class TestMine(FamilySuite):
        def family(self): ...
        def naive_gram(self, family, part, X): ...

A failure names the law that broke. pytest runs suites, as it runs any tests: `pip install "kernelopt[testing]"`.
`verdicts` and `broken_laws` run one without it, and so does `kernelopt plugins --check`. The core never imports this
package.
"""

from kernelopt.testing._concave_suite import ConcaveSolverSuite, evidence_problems
from kernelopt.testing._costly import Costly, every_price
from kernelopt.testing._criterion_suite import CriterionSuite
from kernelopt.testing._cutting_planes import CuttingPlanes
from kernelopt.testing._examples import Example, default_examples, make_example, make_problem, two_classes
from kernelopt.testing._family_suite import FamilySuite
from kernelopt.testing._judge import judge
from kernelopt.testing._laws import LawBroken
from kernelopt.testing._solver_suite import SolverSuite
from kernelopt.testing._tasks import every_criterion, meet, small_task, three_classes
from kernelopt.testing._toys import Affine, Capacity, Columns, Waves
from kernelopt.testing._verdicts import Verdict, broken_laws, laws_of, verdicts

__all__ = [
    "Affine",
    "Capacity",
    "Columns",
    "ConcaveSolverSuite",
    "Costly",
    "CriterionSuite",
    "CuttingPlanes",
    "Example",
    "FamilySuite",
    "LawBroken",
    "SolverSuite",
    "Verdict",
    "Waves",
    "broken_laws",
    "default_examples",
    "every_criterion",
    "every_price",
    "evidence_problems",
    "judge",
    "laws_of",
    "make_example",
    "make_problem",
    "meet",
    "small_task",
    "three_classes",
    "two_classes",
    "verdicts",
]
