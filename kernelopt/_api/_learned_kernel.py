"""The learned kernel on the columns of the training rows."""

from kernelopt._api.data._training import Training
from kernelopt._families._leaf import Leaf
from kernelopt._families._mixture import Mixture
from kernelopt._prediction._kernel import Kernel


def learned_kernel(leaves: tuple[Leaf, ...], mixture: Mixture, training: Training) -> Kernel:
    """That of a mixture, which reads new rows as the training rows were read."""
    return Kernel(
        leaves,
        mixture,
        training.X.shape[1],
        names=training.names,
        encoding=training.encoding,
        layout=training.layout,
    )
