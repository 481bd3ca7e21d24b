"""Files that hold what was learned, and can execute nothing: a container, values in it, and what is checked of them."""

from kernelopt._files._container import Content, is_container, read, write
from kernelopt._files._model_file import load, save_model
from kernelopt._files._values import decoded, encoded

__all__ = ["Content", "decoded", "encoded", "is_container", "load", "read", "save_model", "write"]
