"""The command `kernelopt`; typer and rich load when it runs, never with the library.

It calls what every user can call: nothing here solves anything, and nothing else imports this room.
"""


def main() -> None:
    """Run the command line: the entry point of the script `kernelopt` and of `python -m kernelopt`."""
    from kernelopt.cli._app import app

    app(prog_name="kernelopt")
