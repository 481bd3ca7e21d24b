"""The criteria: what is being learned, one file each."""

from kernelopt._criteria._alignment import Alignment
from kernelopt._criteria._l2_svc import L2SVC
from kernelopt._criteria._lagrangian_svc import LagrangianSVC
from kernelopt._criteria._margin import Margin
from kernelopt._criteria._nu_svc import NuSVC
from kernelopt._criteria._nu_svr import NuSVR
from kernelopt._criteria._one_class import OneClass
from kernelopt._criteria._ridge import Ridge
from kernelopt._criteria._svc import SVC
from kernelopt._criteria._svr import SVR

__all__ = ["L2SVC", "SVC", "SVR", "Alignment", "LagrangianSVC", "Margin", "NuSVC", "NuSVR", "OneClass", "Ridge"]
