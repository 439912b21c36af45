"""``python -m dicesim`` is the command line ``dicesim``."""

from typing import NoReturn

from dicesim._entry import enter


def main() -> NoReturn:
    """Run the command line as a program.

    Raises
    ------
    SystemExit
        With the status of `dicesim.cli.main`.
    """
    enter("dicesim.cli", "dicesim")


if __name__ == "__main__":
    main()
