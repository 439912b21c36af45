"""``python -m dicesim`` is the command line ``dicesim``."""

import sys

from dicesim.cli import main

if __name__ == "__main__":
    sys.exit(main())
