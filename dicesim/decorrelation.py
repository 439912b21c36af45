"""How a small change of a release changes the face."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from dicesim.parameters import Setup
from dicesim.simulator import throw
from dicesim.states import States

Part = Literal["position", "velocity", "angular_velocity"]


def flips(states: States, part: Part, axis: int, eps: npt.ArrayLike, setup: Setup = Setup()) -> npt.NDArray[np.bool_]:
    """Whether the face changes when one number of each release is raised by eps.

    Parameters
    ----------
    states : States
        The n releases, the same on both sides of every comparison.
    part : {"position", "velocity", "angular_velocity"}
        Which part of the release.
    axis : int
        0, 1 or 2 for x, y or z.
    eps : array_like (k,)
        Changes, in the unit of the part.
    setup : Setup
        Die, table, solver and gravity.

    Returns
    -------
    array of bool (n, k)
        One column for each change.

    Raises
    ------
    ValueError
        If there is no such part or axis, or no change.

    Examples
    --------
    >>> from dicesim import Shaken
    >>> bool(flips(Shaken().sample(50, rng=1), "position", 0, [1.0]).any())
    False
    """
    steps = np.atleast_1d(np.asarray(eps, dtype=np.float64))
    if part not in get_args(Part) or axis not in (0, 1, 2):
        raise ValueError(f"perturb {', '.join(get_args(Part))} along axis 0, 1 or 2, not {part!r} along {axis!r}")
    if steps.ndim != 1 or not len(steps):
        raise ValueError(f"eps must be one row of changes, at least one, not of shape {steps.shape}")
    unperturbed = throw(states, setup=setup).face
    direction = np.eye(3)[axis]
    changed = [
        throw(states.replace(**{part: getattr(states, part) + step * direction}), setup=setup).face != unperturbed
        for step in steps
    ]
    return np.stack(changed, axis=1)
