"""Every error and warning that kernelopt raises, on one page.

Each message says what was got, what was wanted and what to do.
"""


class KerneloptError(Exception):
    """The base class of all of kernelopt's errors."""


class InvalidData(KerneloptError, ValueError):
    """X, y or the sample weights cannot be used as they are.

    Attributes:
        columns: the names of the columns that are to blame, where it is columns of a table that cannot be used.
    """

    def __init__(self, message: str = "", columns: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.columns = columns


class InvalidOption(KerneloptError, ValueError):
    """An option of a family, a criterion, a solver or of `solve` is out of its range."""


class UnknownName(KerneloptError, LookupError):
    """No plugin offers this name."""


class BrokenPlugin(KerneloptError, RuntimeError):
    """The plugin that offers this name could not be loaded, or broke its contract."""


class Refused(KerneloptError, TypeError):
    """This family, criterion and solver cannot be combined."""


class NotEnoughMemory(KerneloptError, MemoryError):
    """The run would need more memory than there is."""


class ModelFileError(KerneloptError, ValueError):
    """This file is no model, or a broken one; or this model holds what no file can."""


class MissingLibrary(KerneloptError, ImportError):
    """What was asked for needs a library that is not installed."""


class KerneloptWarning(UserWarning):
    """The base class of all of kernelopt's warnings."""


class OutsideBounds(KerneloptWarning):
    """Rows to predict lie outside the region in which the kernel was defined."""


class NewMissingValues(KerneloptWarning):
    """Rows to predict lack values in columns where the training rows have all."""
