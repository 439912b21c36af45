"""The friendly door to the kernel: throw dice, or throw and only count."""

import hashlib
import math
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dicesim.ensembles import block_generator, map_blocks, root_seed
from dicesim.parameters import Setup
from dicesim.releases import Release, Seed, Shaken
from dicesim.solids import FACES, up_face
from dicesim.states import States
from dicesim.stats import Sums

Until = Literal["face", "rest"]


class UnsettledError(ValueError):
    """Some throws did not settle within the time limit; what was measured is attached.

    Parameters
    ----------
    unsettled : int
        How many throws did not settle.
    n : int
        Of how many.
    partial : object
        The outcomes or the tally, unsettled throws included.

    Examples
    --------
    >>> UnsettledError(2, 10, None)
    UnsettledError('2 of 10 throws did not settle within the time limit; raise it or allow unsettled throws')
    """

    def __init__(self, unsettled: int, n: int, partial: object) -> None:
        super().__init__(
            f"{unsettled} of {n} throws did not settle within the time limit; raise it or allow unsettled throws"
        )
        self.partial = partial


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of n throws.

    Parameters
    ----------
    face : array of int8 (n,)
        The side that ended up on top: 0 to 5 for +x -x +y -y +z -z. For an unsettled throw, the side that was up
        when the time was over.
    states : States
        The last states: at rest, or, thrown until the face was certain, at that moment.
    settled : array of bool (n,)
        Whether the throw ended within the time limit.
    contacts : array of int32 (n,) or None
        Contacts of a throw to rest. A contact is an impact: a touching episode of a corner, an edge or a face that
        begins with an approach faster than the micro-bounce speed. Absent unless thrown to rest.
    settle_time : array (n,) or None
        Time from release to rest, s; of an unsettled throw the time limit. Absent unless thrown to rest.
    seed : int or None
        Entropy of the seed the releases were drawn with; None for given states.

    Examples
    --------
    >>> from dicesim import throw
    >>> outcomes = throw(600, rng=1)
    >>> int(outcomes.counts().sum())
    600
    """

    face: npt.NDArray[np.int8]
    states: States
    settled: npt.NDArray[np.bool_]
    contacts: npt.NDArray[np.int32] | None
    settle_time: npt.NDArray[np.float64] | None
    seed: Any = None

    def __len__(self) -> int:
        return len(self.face)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in zip(FACES, _counts(self), strict=True))
        return f"<Outcomes of {len(self)} throws: {counts}; unsettled {int((~self.settled).sum())}>"

    def _repr_html_(self) -> str:
        names = "".join(f"<th>{name}</th>" for name in (*FACES, "unsettled"))
        numbers = "".join(f"<td>{number}</td>" for number in (*_counts(self), int((~self.settled).sum())))
        return f"<table><tr>{names}</tr><tr>{numbers}</tr></table>"

    def counts(self, *, allow_unsettled: bool = False) -> npt.NDArray[np.int64]:
        """How often each face came up.

        Parameters
        ----------
        allow_unsettled : bool
            Whether to leave out unsettled throws instead of refusing.

        Returns
        -------
        array of int64 (6,)
            Counts of faces 0 to 5 among settled throws.

        Raises
        ------
        UnsettledError
            If a throw did not settle; the outcomes are attached as ``partial``.

        Examples
        --------
        >>> from dicesim import throw
        >>> int(throw(60, rng=1).counts().sum())
        60
        """
        unsettled = int((~self.settled).sum())
        if unsettled and not allow_unsettled:
            raise UnsettledError(unsettled, len(self), self)
        return _counts(self)

    def to_frame(self) -> Any:
        """One row a throw, as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            Columns face and settled, and contacts and settle_time if thrown to rest.

        Examples
        --------
        >>> from dicesim import throw
        >>> list(throw(3, rng=1, until="rest").to_frame().columns)
        ['face', 'settled', 'contacts', 'settle_time']
        """
        import pandas as pd

        columns = {name: getattr(self, name) for name in ("face", "settled", "contacts", "settle_time")}
        return pd.DataFrame({name: column for name, column in columns.items() if column is not None})


def _counts(outcomes: Outcomes) -> npt.NDArray[np.int64]:
    counts: npt.NDArray[np.int64] = np.bincount(outcomes.face[outcomes.settled], minlength=6)
    return counts


@dataclass(frozen=True)
class Tally:
    """Counts of a run that kept no throw.

    Parameters
    ----------
    n : int
        How many throws.
    counts : tuple of 6 ints
        How often each face came up, among settled throws.
    unsettled : int
        Throws that did not end within the time limit.
    contacts, settle_time : Sums or None
        Running sums over settled throws, for `dicesim.stats.mean_interval`; absent unless thrown to rest.
    digest : str
        SHA-256 of the faces, one byte a throw, in order.
    seed : int or None
        Entropy of the seed; None for given states.

    Examples
    --------
    >>> from dicesim import count
    >>> tally = count(600, rng=1)
    >>> sum(tally.counts), tally.unsettled
    (600, 0)
    """

    n: int
    counts: tuple[int, ...]
    unsettled: int
    contacts: Sums | None
    settle_time: Sums | None
    digest: str
    seed: Any = None


def _throw_block(
    source: States | Release,
    setup: Setup,
    until: Until,
    root: np.random.SeedSequence,
    number: int,
    start: int,
    end: int,
) -> Outcomes:
    """The work of one block; it can be sent to another process."""
    if isinstance(source, States):
        return _run(source[start:end], setup, until)
    return _run(source.sample(end - start, rng=block_generator(root, number)), setup, until)


def kernel_parameters(setup: Setup, until: Until) -> Any:
    """A setup as the kernel takes it.

    Parameters
    ----------
    setup : Setup
        Die, table, solver and gravity.
    until : {"face", "rest"}
        Whether to stop when the face is certain.

    Returns
    -------
    kernel.Parameters
        Plain numbers.

    Examples
    --------
    >>> kernel_parameters(Setup(), "rest").half
    0.009525
    """
    from dicesim.kernel import Parameters

    solver = setup.solver
    return Parameters(
        half=float(setup.die.edge) / 2,
        gravity=float(setup.gravity),
        restitution=float(setup.table.restitution),
        friction=float(setup.table.friction),
        time_step=float(solver.time_step),
        contact_band=float(solver.contact_band * setup.die.edge),
        micro_bounce_speed=float(solver.micro_bounce_speed),
        spin_damping=float(solver.spin_damping),
        time_limit=float(solver.time_limit),
        turn=float(solver.turn),
        trap_energy=setup.trap_energy if until == "face" else -math.inf,
    )


def to_rows(states: States) -> npt.NDArray[np.float64]:
    """States as rows of the kernel.

    Parameters
    ----------
    states : States
        n states.

    Returns
    -------
    array (n, 18)
        Position, velocity, angular velocity, then body axis by body axis.

    Examples
    --------
    >>> to_rows(Shaken().sample(2, rng=1)).shape
    (2, 18)
    """
    axes = states.axes.transpose(0, 2, 1).reshape(len(states), 9)
    return np.hstack([states.position, states.velocity, states.angular_velocity, axes])


def from_rows(rows: npt.NDArray[np.float64]) -> States:
    """Rows of the kernel as states.

    Parameters
    ----------
    rows : array (n, 18 or more)
        As `to_rows` makes them.

    Returns
    -------
    States
        n states.

    Examples
    --------
    >>> states = Shaken().sample(2, rng=1)
    >>> bool((from_rows(to_rows(states)).axes == states.axes).all())
    True
    """
    axes = rows[:, 9:18].reshape(-1, 3, 3).transpose(0, 2, 1)
    return States(rows[:, 0:3], axes, rows[:, 3:6], rows[:, 6:9])


def check_releases(states: States, setup: Setup) -> None:
    """Refuse dice that start inside the table.

    Parameters
    ----------
    states : States
        Releases.
    setup : Setup
        Die and contact band.

    Raises
    ------
    ValueError
        If a corner is below the table by more than twice the contact band.

    Examples
    --------
    >>> check_releases(Shaken().sample(2, rng=1), Setup())
    """
    clearance = states.clearance(setup.die)
    if (clearance < -2 * setup.solver.contact_band * setup.die.edge).any():
        low = int(np.argmin(clearance))
        raise ValueError(
            f"every die must start above the table; throw {low} reaches {-clearance[low]:.3g} m into it, "
            "raise its position[2] by as much"
        )


def _run(states: States, setup: Setup, until: Until) -> Outcomes:
    from dicesim import kernel

    check_releases(states, setup)
    rows = kernel.simulate(to_rows(states), kernel_parameters(setup, until))
    final = from_rows(rows)
    at_rest = until == "rest"
    return Outcomes(
        face=up_face(final.axes),
        states=final,
        settled=rows[:, 20] == kernel.SETTLED,
        contacts=rows[:, 19].astype(np.int32) if at_rest else None,
        settle_time=rows[:, 18].copy() if at_rest else None,
    )


def _outcomes(
    what: States | int,
    release: Release,
    setup: Setup,
    rng: Seed,
    until: Until,
    executor: Executor | None,
    progress: bool,
) -> tuple[int, Any, Iterator[Outcomes]]:
    if until not in ("face", "rest"):
        raise ValueError(f"until must be 'face' or 'rest', not {until!r}")
    given = isinstance(what, States)
    if not given and (isinstance(what, bool) or not isinstance(what, int | np.integer) or what < 0):
        raise ValueError(f"throw States, or a whole number of throws from 0, not {what!r}")
    n = len(what) if isinstance(what, States) else int(what)
    root = root_seed(0 if given else rng)
    work = partial(_throw_block, what if isinstance(what, States) else release, setup, until, root)
    return n, None if given else root.entropy, map_blocks(work, n, executor=executor, progress=progress)


def throw(
    states_or_n: States | int,
    release: Release = Shaken(),
    setup: Setup = Setup(),
    *,
    rng: Seed = None,
    until: Until = "face",
    executor: Executor | None = None,
    progress: bool = False,
) -> Outcomes:
    """Throw dice.

    Parameters
    ----------
    states_or_n : States or int
        The releases, or how many to draw.
    release : Release
        Where releases are drawn from, if a number is given.
    setup : Setup
        Die, table, solver and gravity.
    rng : Generator, SeedSequence, int or None
        Seed of the draws. The same seed gives the same bits on every machine, whoever works.
    until : {"face", "rest"}
        Stop when the face is certain by the energy argument of `dicesim.kernel`, or run on until the die rests.
        Both give the same faces; contacts and settle time need the rest.
    executor : concurrent.futures.Executor, optional
        Who works; threads on all processors by default.
    progress : bool
        Whether to draw a bar on stderr.

    Returns
    -------
    Outcomes
        Face, last state and whether it settled, for every throw.

    Raises
    ------
    ValueError
        If a die starts inside the table, or an argument is out of its range.

    Examples
    --------
    >>> from dicesim import Setup, Table, throw
    >>> throw(1000, setup=Setup(table=Table(restitution=0.75)), rng=1).settled.all()
    np.True_
    """
    _, seed, parts = _outcomes(states_or_n, release, setup, rng, until, executor, progress)
    return _joined(list(parts) or [_run(Shaken().sample(0, rng=0), setup, until)], seed)


def _joined(parts: list[Outcomes], seed: Any) -> Outcomes:
    def join(arrays: list[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays)

    arrays = {f.name: join([getattr(part, f.name) for part in parts]) for f in fields(Outcomes) if f.name not in _OTHER}
    states = States(*(np.concatenate([getattr(p.states, f.name) for p in parts]) for f in fields(States)))
    return Outcomes(**arrays, states=states, seed=seed)


_OTHER = ("states", "seed")


def count(
    states_or_n: States | int,
    release: Release = Shaken(),
    setup: Setup = Setup(),
    *,
    rng: Seed = None,
    until: Until = "face",
    executor: Executor | None = None,
    progress: bool = False,
    allow_unsettled: bool = False,
) -> Tally:
    """Throw dice and keep only counts, so that memory does not grow with the number of throws.

    Parameters
    ----------
    states_or_n, release, setup, rng, until, executor, progress
        As in `throw`; the same seed gives the same throws.
    allow_unsettled : bool
        Whether to return a tally that has unsettled throws instead of refusing.

    Returns
    -------
    Tally
        Counts, and running sums of contacts and settle time if thrown to rest.

    Raises
    ------
    UnsettledError
        If a throw did not settle; the tally is attached as ``partial``.

    Examples
    --------
    >>> from dicesim import count, throw
    >>> count(100, rng=1).counts == tuple(throw(100, rng=1).counts().tolist())
    True
    """
    n, seed, parts = _outcomes(states_or_n, release, setup, rng, until, executor, progress)
    counts, unsettled, digest = np.zeros(6, np.int64), 0, hashlib.sha256()
    contacts, times = Sums(0, 0.0, 0.0), Sums(0, 0.0, 0.0)
    for part in parts:
        counts += _counts(part)
        unsettled += int((~part.settled).sum())
        digest.update(part.face.tobytes())
        if part.contacts is not None and part.settle_time is not None:
            contacts = _added(contacts, part.contacts[part.settled])
            times = _added(times, part.settle_time[part.settled])
    rest = until == "rest"
    tally = Tally(
        n,
        tuple(counts.tolist()),
        unsettled,
        contacts if rest else None,
        times if rest else None,
        digest.hexdigest(),
        seed,
    )
    if unsettled and not allow_unsettled:
        raise UnsettledError(unsettled, n, tally)
    return tally


def _added(sums: Sums, values: npt.NDArray[Any]) -> Sums:
    """Sums with more values; correctly rounded per block, so that the bits are the same everywhere."""
    listed = values.astype(np.float64)
    return Sums(
        sums.n + len(listed),
        sums.total + math.fsum(listed),
        sums.squares + math.fsum((listed * listed).tolist()),
    )
