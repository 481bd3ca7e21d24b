from kernelopt_smo import MoreauYosidaSMO

from kernelopt.testing import SolverSuite


class TestMoreauYosidaSMO(SolverSuite):
    tolerance = 1e-6

    def solver(self):
        return MoreauYosidaSMO()

    def accepted(self):
        return super().accepted()
