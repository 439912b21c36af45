"""What a run is, written down: all that decides its bits, and nothing else."""

import json
from dataclasses import asdict, fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

from dicesim._version import __version__
from dicesim.parameters import Setup
from dicesim.states import States


def declare(n: int, setup: Setup, until: str, source: Any, seed: Any = None) -> dict[str, Any]:
    """Write down what decides every bit of a run, as plain JSON values.

    Parameters
    ----------
    n : int
        How many throws.
    setup : Setup
        Die, table, solver and gravity.
    until : {"face", "rest"}
        When a throw ends.
    source : States or Release
        The releases, or where they are drawn from.
    seed : int or SeedSequence, optional
        What they are drawn with.

    Returns
    -------
    dict
        The version of this package and all of these; States by their SHA-256, and of a release that cannot be
        written down only its class.

    Examples
    --------
    >>> from dicesim import Setup, Shaken
    >>> declare(10, Setup(), "face", Shaken(), 1)["release"]["class"]
    'dicesim.releases.Shaken'
    """
    declaration = {"dicesim": __version__, "throws": n, "until": until, "setup": asdict(setup)}
    if isinstance(source, States):
        declaration["states"] = _digest_of(source)
    else:
        declaration |= {"seed": _written_seed(seed), "release": _written(source) or _class(source)}
    plain: dict[str, Any] = _plain(declaration)
    return plain


def require_written(source: Any) -> None:
    """Refuse releases that cannot be told from others once they are written down.

    Parameters
    ----------
    source : States or Release
        The releases, or where they are drawn from.

    Raises
    ------
    ValueError
        If it is neither States nor a dataclass of plain values.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> require_written(Shaken())
    """
    if not isinstance(source, States) and _written(source) is None:
        kind = type(source).__name__
        raise ValueError(f"to count in parts, the release must be a dataclass of plain values; {kind} is none")


def require_same(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Refuse what is of another run.

    Parameters
    ----------
    ours, theirs : dict
        Declarations.

    Raises
    ------
    ValueError
        If they differ; it names the first difference.

    Examples
    --------
    >>> require_same({"seed": 1}, {"seed": 2})
    Traceback (most recent call last):
    ValueError: these are of different runs: seed is 1 and 2
    """
    if ours != theirs:
        raise ValueError(f"these are of different runs: {_difference('', ours, theirs)}")


def _written(release: Any) -> Any:
    """All that a release holds, or None if that cannot be told."""
    try:
        return _plain(_parts(release)) if is_dataclass(release) else None
    except (TypeError, ValueError):
        return None


def _parts(value: Any) -> Any:
    if is_dataclass(value):
        return _class(value) | {f.name: _parts(getattr(value, f.name)) for f in fields(value)}
    return [_parts(part) for part in value] if isinstance(value, list | tuple) else value


def _class(value: Any) -> dict[str, str]:
    return {"class": f"{type(value).__module__}.{type(value).__qualname__}"}  # which no field can be called


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, allow_nan=False, default=_without_numpy))


def _without_numpy(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return {"shape": value.shape, "sha256": sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}
    raise TypeError(f"{type(value).__name__} cannot be written down")


def _digest_of(states: States) -> str:
    arrays = (states.position, states.axes, states.velocity, states.angular_velocity)
    return sha256(b"".join(np.ascontiguousarray(array, "<f8").tobytes() for array in arrays)).hexdigest()


def _written_seed(seed: Any) -> Any:
    if not isinstance(seed, np.random.SeedSequence):
        return seed
    return {"entropy": seed.entropy, "spawn_key": list(seed.spawn_key), "pool_size": seed.pool_size}


def _difference(name: str, ours: Any, theirs: Any) -> str:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return f"{name} is {ours} and {theirs}"
    both = [(key, ours.get(key, "absent"), theirs.get(key, "absent")) for key in ours | theirs]
    key, mine, other = next(row for row in both if row[1] != row[2])
    return _difference(f"{name} {key}".lstrip(), mine, other)
