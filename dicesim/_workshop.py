"""A dask cluster on this machine, until standard input ends: ``python -m dicesim._workshop WORKERS FOLDER``."""

import logging
import os
import sys

if __name__ == "__main__":
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=int(sys.argv[1]),
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        memory_limit=0,
        local_directory=sys.argv[2],
        silence_logs=logging.CRITICAL,
    )
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
    os._exit(0)  # workers end with the process that started them
