"""Run a command and say what it cost, as one JSON line: python clocked.py COMMAND...

A program of its own, and a small one: the peak memory that a system tells of a child begins with that of its parent.
"""

import json
import os
import sys
import time

start = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
kilobyte = 1 if sys.platform == "darwin" else 1024
cost = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * kilobyte / 1e6}
print(json.dumps(cost), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
