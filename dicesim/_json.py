"""Strict JSON, the text of every file that is kept."""

import json
from typing import Any


def to_json(value: Any) -> str:
    """Write a value as strict JSON: keys sorted, one layout, no NaN or infinity.

    Parameters
    ----------
    value : JSON value, or one with NumPy numbers and arrays inside
        What to write.

    Returns
    -------
    str
        The text, ending with a line feed.

    Raises
    ------
    ValueError
        If a number is not finite.
    TypeError
        If there is something else than JSON can say.
    """
    return (
        json.dumps(value, allow_nan=False, default=_without_numpy, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    )


def from_json(text: str) -> Any:
    """Read strict JSON.

    Parameters
    ----------
    text : str
        The text.

    Returns
    -------
    JSON value
        What it says.

    Raises
    ------
    ValueError
        If the text is not JSON, or holds NaN or infinity.
    """
    return json.loads(text, parse_constant=_refuse)


def _without_numpy(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
