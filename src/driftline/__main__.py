"""The program `driftline`, also as ``python -m driftline``: ready for Ctrl-C before anything else is imported."""

import os
import signal
from typing import Any

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


def _leave(number: int, frame: Any) -> None:
    """End at once: while the program is being imported nothing is open, and an import hides who interrupted it."""
    os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
