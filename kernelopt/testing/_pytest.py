"""pytest, or a sentence that says how to get it: the core itself does not need it."""

try:
    import pytest
except ImportError as error:
    raise ImportError('kernelopt.testing needs pytest: pip install "kernelopt[testing]"') from error

__all__ = ["pytest"]
