"""The command `kernelopt`; typer and rich load when it runs, never with the library.

It calls what every user can call: nothing here solves anything, and nothing else imports this room.
"""


def main() -> None:
    """Run the command line: the entry point of the script `kernelopt` and of `python -m kernelopt`."""
    import os
    import sys

    from kernelopt._base._errors import InvalidData
    from kernelopt._base._interrupts import Gate
    from kernelopt.cli._completion import asked
    from kernelopt.cli._stdout import delivered
    from kernelopt.cli._terminated import orderly

    try:
        with Gate() as gate:  # what the command line is made of is loaded and read; a command opens one of its own
            from kernelopt.cli._app import app

            gate.heed()
            with orderly(), delivered(), asked(os.environ):
                app(prog_name="kernelopt")
    except InvalidData as error:
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted before there was an answer\n")
        sys.exit(130)
