"""The simulator against other engines and against its own bars: same work, same run. Found from a checkout alone."""
