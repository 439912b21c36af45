"""The version of this package; results can differ between versions, and files say which made them."""

__version__ = "0.1.0"
