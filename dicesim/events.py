"""What happens in a throw, as events that two throws have in common or not.

Everything here reads rows of `dicesim.kernel.record`: the state after each step, and notes of what the step did.
"""

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

#: How near to an end of an axis, in half edges, a contact is at that end. The table is met within the contact band,
#: 3e-4 of half an edge.
NEAR: Final = 2e-3
#: Friction is at its limit if it falls short of it by less than this share.
SHORT: Final = 1e-6


def axes_of(rows: Floats) -> Floats:
    """Give the body axes in rows of the kernel.

    Parameters
    ----------
    rows : array (n, 18 or more)
        As `dicesim.simulator.to_rows` lays them out.

    Returns
    -------
    array (n, 3, 3)
        Axis by axis.

    Examples
    --------
    >>> axes_of(np.arange(18.0)[None])[0, 0].tolist()
    [9.0, 10.0, 11.0]
    """
    return rows[:, 9:18].reshape(-1, 3, 3)


def places(before: Floats, after: Floats, half: float) -> Floats:
    """Where steps were pressed, in the die's own axes: -1 or 1 at an end of an axis, 0 between.

    Parameters
    ----------
    before, after : array (n, columns)
        Rows of `dicesim.kernel.record` before the steps and after them.
    half : float
        Half of the edge, m.

    Returns
    -------
    array (n, 3)
        A corner has three ends, an edge two, a side one; none where nothing was pressed.

    Examples
    --------
    >>> from dicesim import Setup, Shaken, kernel
    >>> from dicesim.simulator import kernel_parameters, to_rows
    >>> rows = kernel.record(to_rows(Shaken().sample(1, rng=1))[0], kernel_parameters(Setup(), "rest"))
    >>> first = int((rows[:, kernel.HOW] == kernel.STRUCK).argmax())
    >>> abs(places(rows[first - 1 : first], rows[first : first + 1], 0.009525)).tolist()
    [[1.0, 1.0, 1.0]]
    """
    from dicesim import kernel

    arm = np.column_stack([after[:, [kernel.AT_X, kernel.AT_Y]] - before[:, :2], -before[:, 2]])
    share = np.einsum("njc,nc->nj", axes_of(before), arm) / half
    ends = np.where(np.abs(share) > 1 - NEAR, np.sign(share), 0.0)
    pressed: Floats = np.where(after[:, kernel.PUSH, None] > 0.0, ends, 0.0)
    return pressed


def events(rows: Floats, half: float, friction: float) -> Floats:
    """The course of a throw: steps that do the same at the same place are one event, impacts apart.

    Parameters
    ----------
    rows : array (m + 1, columns)
        One throw, as `dicesim.kernel.record` gives it.
    half : float
        Half of the edge, m.
    friction : float
        Coefficient of the table.

    Returns
    -------
    array (k, 5)
        Of each event what the step was (`dicesim.kernel.FLYING` and so on), the place as in `places`, and whether
        friction was at its limit: the place slides. A place that friction makes approach is pressed again, and
        counts as below the limit.

    Examples
    --------
    >>> from dicesim import Setup, Shaken, kernel
    >>> from dicesim.simulator import kernel_parameters, to_rows
    >>> rows = kernel.record(to_rows(Shaken().sample(1, rng=1))[0], kernel_parameters(Setup(), "rest"))
    >>> course = events(rows, 0.009525, 0.34)
    >>> bool((course[:, 0] == kernel.STRUCK).sum() == rows[-1, 19])
    True
    """
    from dicesim import kernel

    how, push = rows[1:, kernel.HOW], rows[1:, kernel.PUSH]
    pull = np.hypot(rows[1:, kernel.PULL_X], rows[1:, kernel.PULL_Y])
    slides = (push > 0.0) & (pull >= (1 - SHORT) * friction * push)
    course = np.column_stack([how, places(rows[:-1], rows[1:], half), slides])
    new = np.ones(len(course), dtype=bool)
    new[1:] = (course[1:] != course[:-1]).any(axis=1) | (how[1:] == kernel.STRUCK)
    return course[new]


class Course(NamedTuple):
    """The contacts of n throws, up to k of them, as rows of the kernel's record; NaN where there is none.

    Parameters
    ----------
    after : array (n, k + 1, columns)
        The release, then the state just after each contact, with its notes.
    before : array (n, k, columns)
        The state just before each contact.
    carried : array of bool (n, k)
        Whether the table carried the die on the way to it.
    contacts : array of int (n,)
        How many there are.

    Examples
    --------
    >>> from dicesim import Setup, Shaken
    >>> from dicesim.simulator import kernel_parameters, to_rows
    >>> course = recorded(to_rows(Shaken().sample(2, rng=1)), kernel_parameters(Setup(), "rest"))
    >>> course.before.shape == (2, course.contacts.max(), 29)
    True
    """

    after: Floats
    before: Floats
    carried: npt.NDArray[np.bool_]
    contacts: Ints


def recorded(rows: Floats, p: Any) -> Course:
    """Throw to rest and keep the contacts.

    Parameters
    ----------
    rows : array (n, 18)
        Releases, as `dicesim.simulator.to_rows` lays them out.
    p : kernel.Parameters
        The setup.

    Returns
    -------
    Course
        The contacts.

    Examples
    --------
    >>> from dicesim import Setup, Shaken, throw
    >>> from dicesim.simulator import kernel_parameters, to_rows
    >>> states = Shaken().sample(2, rng=1)
    >>> course = recorded(to_rows(states), kernel_parameters(Setup(), "rest"))
    >>> bool((course.contacts == throw(states, until="rest").contacts).all())
    True
    """
    from dicesim import kernel

    paths = [kernel.record(row, p) for row in rows]
    hits = [np.flatnonzero(path[:, kernel.HOW] == kernel.STRUCK) for path in paths]
    contacts = np.array([len(hit) for hit in hits], dtype=np.int64)
    n, k = len(rows), int(contacts.max(initial=0))
    after, before = np.full((n, k + 1, kernel.NOTED), np.nan), np.full((n, k, kernel.NOTED), np.nan)
    carried = np.zeros((n, k), dtype=bool)
    for i, (path, hit) in enumerate(zip(paths, hits, strict=True)):
        after[i, 0], after[i, 1 : len(hit) + 1], before[i, : len(hit)] = path[0], path[hit], path[hit - 1]
        held = np.cumsum(path[:, kernel.HOW] == kernel.CARRIED)[hit]
        carried[i, : len(hit)] = np.diff(held, prepend=0) > 0
    return Course(after, before, carried, contacts)


def landings(rows: Floats, p: Any, limits: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Throw each die to its first contact.

    Parameters
    ----------
    rows : array (n, 18)
        Where each starts.
    p : kernel.Parameters
        The setup.
    limits : array (n,)
        How much time each has, s.

    Returns
    -------
    before, after : array (n, columns)
        The states just before and just after the contact; NaN if none came in time.
    carried : array of bool (n,)
        Whether the table carried the die on the way to it.

    Examples
    --------
    >>> from dicesim import Setup, Shaken
    >>> from dicesim.simulator import kernel_parameters, to_rows
    >>> p = kernel_parameters(Setup(), "rest")
    >>> rows = to_rows(Shaken().sample(2, rng=1))
    >>> before, after, carried = landings(rows, p, np.array([8.0, 0.1]))
    >>> np.isnan(before[:, 0]).tolist()
    [False, True]
    """
    from dicesim import kernel

    before, after = np.full((len(rows), kernel.NOTED), np.nan), np.full((len(rows), kernel.NOTED), np.nan)
    carried = np.zeros(len(rows), dtype=bool)
    for i, (row, limit) in enumerate(zip(rows, limits, strict=True)):
        path = kernel.record(row, p._replace(time_limit=float(limit)))
        how = path[:, kernel.HOW]
        hit = int((how == kernel.STRUCK).argmax())
        if hit:
            before[i], after[i], carried[i] = path[hit - 1], path[hit], (how[:hit] == kernel.CARRIED).any()
    return before, after, carried
