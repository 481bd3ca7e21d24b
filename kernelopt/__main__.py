"""`python -m kernelopt`: the same as the command `kernelopt`."""

from kernelopt.cli import main

if __name__ == "__main__":
    main()
