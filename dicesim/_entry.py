"""The way into a program, and out of it: Ctrl-C is one line, whatever is loading, working or ending.

Nothing heavy is imported here, so that this is in force before anything else is loaded.
"""

import io
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

STOPS = (signal.SIGINT, signal.SIGTERM)


def enter(home: str, program: str) -> NoReturn:
    """Load a program's command line, run it, and leave with its status; a signal gives 128 and its number.

    Parameters
    ----------
    home : str
        Module that has `main`. A signal reaches it as a KeyboardInterrupt with the signal's number.
    program : str
        Name of the program, for the line that says that it was interrupted.
    """

    def leave(number: int, frame: object) -> NoReturn:
        os.write(2, f"{program}: interrupted\n".encode())
        os._exit(128 + number)

    def stop(number: int, frame: object) -> NoReturn:
        _when_stopped(leave)  # whoever asks again does not wait until all is kept
        raise KeyboardInterrupt(number)

    _when_stopped(leave)
    main = import_module(home).main
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a console that lacks a letter shows a question mark
    try:
        _when_stopped(stop)
        status = int(main())
    except KeyboardInterrupt as stopped:
        leave(signal_of(stopped), None)
    finally:
        _when_stopped(leave)
    if status > 128:
        _leave_at_once(status)
    sys.exit(status)


def signal_of(stopped: KeyboardInterrupt) -> int:
    """Give the number of the signal that raised it."""
    return next(iter(stopped.args), signal.SIGINT)


def _when_stopped(handler: Callable[[int, Any], Any]) -> None:
    for number in STOPS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # which whoever started us has asked for
            signal.signal(number, handler)


def _leave_at_once(status: int) -> NoReturn:
    """Leave without waiting for threads that are still at work."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
