"""The program `driftline`, also as ``python -m driftline``: with Ctrl-C handled before anything else is imported."""

import os
import signal
from types import FrameType

INTERRUPTED = 130


def main() -> None:
    """Run the program."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)
        from driftline.cli.main import main as program

        signal.signal(signal.SIGINT, signal.default_int_handler)
    else:
        from driftline.cli.main import main as program
    program()


def _leave(number: int, frame: FrameType | None) -> None:
    """Exit at once: during imports nothing is open, and an import would hide the interrupt."""
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
