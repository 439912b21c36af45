"""Golden hashes: what a run must give, byte for byte, on every machine and with any number of workers.

``python -m tests.golden`` computes the hashes in a process of its own, ``python -m tests.golden.matrix`` does so
under every setting that could move a bit and writes report.json. The committed hashes are in hashes.json; a change
of them changes results, and CHANGELOG.md says so.
"""
