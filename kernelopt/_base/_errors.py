"""The classes of all errors and warnings that kernelopt raises.

Each message says what was got, what was wanted and what to do.
"""


class KerneloptError(Exception):
    """The base class of all of kernelopt's errors."""


class InvalidData(KerneloptError, ValueError):
    """X, y or the sample weights cannot be used as they are.

    Attributes:
        columns: the names of the columns that cannot be used; empty if something else is wrong.
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
    """The run would need more memory than is free."""


class ModelFileError(KerneloptError, ValueError):
    """The file is not a model file or is broken; or the model holds something that cannot be written into a file."""


class MissingLibrary(KerneloptError, ImportError):
    """A library that this call needs is not installed; the message says how to install it."""


class KerneloptWarning(UserWarning):
    """The base class of all of kernelopt's warnings."""


class OutsideBounds(KerneloptWarning):
    """Rows to predict lie outside the region in which the kernel was defined."""


class NewMissingValues(KerneloptWarning):
    """Rows to predict have missing values in columns in which no training row has a missing value, or words that are no
    dates in a column of dates, or no numbers with the unit of a column.
    """
