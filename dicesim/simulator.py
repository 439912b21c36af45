"""The friendly door to the kernel: throw dice, or throw and only count."""

import math
import os
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from dicesim.checkpoints import begin, keeping
from dicesim.declarations import declare, require_written
from dicesim.ensembles import block_generator, blocks, map_blocks, root_seed
from dicesim.outcomes import Outcomes, UnsettledError
from dicesim.parameters import Setup, require_kind
from dicesim.releases import Release, Seed, Shaken, check_count
from dicesim.solids import up_face
from dicesim.states import States, joined_states
from dicesim.tallies import Tally

Until = Literal["face", "rest"]


@dataclass(frozen=True)
class _Run:
    """What is thrown, and how; it can be sent to another process."""

    release: Release
    setup: Setup
    until: Until
    root: np.random.SeedSequence

    def throw(self, number: int, start: int, end: int, given: States | None = None) -> Outcomes:
        """The work of one block, on the states that are given or else on those that it draws."""
        states = given if given is not None else _drawn(self.release, self.root, number, start, end)
        return _run(states, self.setup, self.until, start)

    def count(self, declaration: dict[str, Any], number: int, *block: Any) -> Tally:
        """The same, with nothing but the tally to send back."""
        return Tally.of_block(declaration, number, self.throw(number, *block))


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
    if until not in ("face", "rest"):
        raise ValueError(f"until must be 'face' or 'rest', not {until!r}")
    require_kind("setup", setup, Setup)
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
    """Lay out states as rows of the kernel.

    Parameters
    ----------
    states : States
        The states, n of them.

    Returns
    -------
    array (n, 18)
        Position, velocity, angular velocity, then body axis by body axis.

    Examples
    --------
    >>> to_rows(Shaken().sample(2, rng=1)).shape
    (2, 18)
    """
    rows = np.empty((len(states), 18))
    rows[:, 0:3], rows[:, 3:6], rows[:, 6:9] = states.position, states.velocity, states.angular_velocity
    rows[:, 9:].reshape(-1, 3, 3)[:] = states.axes.transpose(0, 2, 1)
    return rows


def from_rows(rows: npt.NDArray[np.float64]) -> States:
    """Read rows of the kernel as states.

    Parameters
    ----------
    rows : array (n, 18 or more)
        As `to_rows` makes them.

    Returns
    -------
    States
        As many states.

    Examples
    --------
    >>> states = Shaken().sample(2, rng=1)
    >>> bool((from_rows(to_rows(states)).axes == states.axes).all())
    True
    """
    axes = rows[:, 9:18].reshape(-1, 3, 3).transpose(0, 2, 1)
    return States(rows[:, 0:3], axes, rows[:, 3:6], rows[:, 6:9])


FASTEST = {"velocity": (1e3, "m/s"), "angular_velocity": (1e4, "rad/s")}  # beyond any die; keeps arithmetic finite


def check_releases(states: States, setup: Setup, first: int = 0) -> None:
    """Refuse dice that start inside the table, or faster than anything thrown.

    Parameters
    ----------
    states : States
        Releases.
    setup : Setup
        Die and contact band.
    first : int
        Number of the first of these throws, for the message.

    Raises
    ------
    ValueError
        If a corner is below the table by more than the contact band, or a die moves faster than 1,000 m/s or
        turns faster than 10,000 rad/s along an axis.

    Examples
    --------
    >>> check_releases(Shaken().sample(2, rng=1), Setup())
    """
    for part, (fastest, unit) in FASTEST.items():
        if np.abs(getattr(states, part)).max(initial=0.0) > fastest:
            sizes = np.abs(getattr(states, part)).max(axis=1)
            fast = int(np.argmax(sizes))
            raise ValueError(
                f"{part} must be at most {fastest:g} {unit}; throw {first + fast} has {sizes[fast]:.3g} {unit}"
            )
    clearance = states.clearance(setup.die)
    if (clearance < -1.01 * setup.solver.contact_band * setup.die.edge).any():
        low = int(np.argmin(clearance))
        raise ValueError(
            f"every die must start above the table; throw {first + low} reaches {-clearance[low]:.3g} m into it, "
            "raise its height by as much"
        )


def _run(states: States, setup: Setup, until: Until, first: int = 0) -> Outcomes:
    from dicesim import kernel

    check_releases(states, setup, first)
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


def _begin(what: States | int, release: Release, setup: Setup, rng: Seed, until: Until) -> tuple[int, Any, _Run]:
    """How many throws, what seed gives them again, and the run, after a look at every argument."""
    kernel_parameters(setup, until)
    if isinstance(release, type) or not hasattr(release, "sample"):
        raise ValueError(f"release must be able to sample, such as Shaken(), not {release!r}")
    root = root_seed(rng)
    run = _Run(release, setup, until, root)
    if isinstance(what, States):
        return len(what), None, run
    return check_count(what, "throw States, or a whole number of throws from 0"), _seed(root), run


def _given(what: States | int) -> States | None:
    return what if isinstance(what, States) else None


def _drawn(release: Release, root: np.random.SeedSequence, number: int, start: int, end: int) -> States:
    """The releases of one block."""
    states = release.sample(end - start, rng=block_generator(root, number))
    if len(states) != end - start:
        raise ValueError(f"the release must draw the {end - start} states it is asked for, not {len(states)}")
    return states


def draw(n: int, release: Release = Shaken(), *, rng: Seed = None) -> States:
    """Draw the releases that `throw` throws for the same number, release and seed.

    Parameters
    ----------
    n : int
        How many.
    release : Release
        Where they are drawn from.
    rng : Generator, SeedSequence, int or None
        Seed of the draws.

    Returns
    -------
    States
        The releases.

    Raises
    ------
    ValueError
        If the number is not a whole one from 0.

    Examples
    --------
    >>> from dicesim import throw
    >>> bool((throw(draw(100, rng=1)).face == throw(100, rng=1).face).all())
    True
    """
    check_count(n)
    root = root_seed(rng)
    return joined_states([_drawn(release, root, *block) for block in blocks(n)] or [release.sample(0, rng=0)])


def _seed(root: np.random.SeedSequence) -> Any:
    """What to seed with to have the same root again: its entropy, where that is all."""
    plain = isinstance(root.entropy, int) and not root.spawn_key and root.pool_size == 4
    return root.entropy if plain else root


def throw(
    states_or_n: States | int,
    release: Release = Shaken(),
    setup: Setup = Setup(),
    *,
    rng: Seed = None,
    until: Until = "face",
    executor: Executor | None = None,
    progress: bool | None = None,
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
        Stop when the face is certain by the arguments of `dicesim.kernel`, or run on until the die rests.
        Both give the same faces; contacts and settle time need the rest.
    executor : concurrent.futures.Executor, optional
        Who works; by default whoever `dicesim.ensembles.working` says, or else threads on all processors.
    progress : bool, optional
        Whether to draw a bar on stderr; by default as `working` says, or else not.

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
    n, seed, run = _begin(states_or_n, release, setup, rng, until)
    with closing(map_blocks(run.throw, n, given=_given(states_or_n), executor=executor, progress=progress)) as parts:
        outcomes = dict(parts)
    in_order = [outcomes[number] for number in sorted(outcomes)]
    return _joined(in_order or [_run(Shaken().sample(0, rng=0), setup, until)], seed)


def _joined(parts: list[Outcomes], seed: Any) -> Outcomes:
    def join(arrays: list[Any]) -> Any:
        return None if arrays[0] is None else np.concatenate(arrays)

    arrays = {
        f.name: join([getattr(part, f.name) for part in parts])
        for f in fields(Outcomes)
        if f.name not in ("states", "seed")
    }
    return Outcomes(**arrays, states=joined_states([part.states for part in parts]), seed=seed)


def count(
    states_or_n: States | int,
    release: Release = Shaken(),
    setup: Setup = Setup(),
    *,
    rng: Seed = None,
    until: Until = "face",
    executor: Executor | None = None,
    progress: bool | None = None,
    allow_unsettled: bool = False,
    blocks: tuple[int, int] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = True,
) -> Tally:
    """Throw dice and keep only counts, so that memory does not grow with the number of throws.

    Parameters
    ----------
    states_or_n : States or int
        The releases, or how many to draw.
    release : Release
        Where releases are drawn from, if a number is given.
    setup : Setup
        Die, table, solver and gravity.
    rng : Generator, SeedSequence, int or None
        Seed of the draws; the same seed gives the same throws as `throw`.
    until : {"face", "rest"}
        When a throw ends, as in `throw`.
    executor : concurrent.futures.Executor, optional
        Who works; by default whoever `dicesim.ensembles.working` says, or else threads on all processors.
    progress : bool, optional
        Whether to draw a bar on stderr; by default as `working` says, or else not.
    allow_unsettled : bool
        Whether to return a tally that has unsettled throws instead of refusing.
    blocks : (int, int), optional
        First number and end of the blocks to count, 8192 throws each, if not all are to be; tallies of others can
        be added.
    checkpoint : path, optional
        A file that keeps the tally: from the first block on, every few seconds, and when the work ends or is
        interrupted.
    resume : bool
        Whether to go on from the checkpoint, if it is there; else it is replaced, unless it is partial.

    Returns
    -------
    Tally
        Counts, and sums of contacts and settle time if thrown to rest.

    Raises
    ------
    UnsettledError
        If a throw did not settle; the tally is attached as ``partial``.
    ValueError
        If the run has no such blocks, the checkpoint is of another run, or an argument is out of its range.

    Examples
    --------
    >>> from dicesim import count, throw
    >>> count(100, rng=1).counts == tuple(throw(100, rng=1).counts().tolist())
    True
    """
    n, seed, run = _begin(states_or_n, release, setup, rng, until)
    given = _given(states_or_n)
    source = release if given is None else given
    if blocks is not None or checkpoint is not None:
        require_written(source)
    declaration = declare(n, setup, until, source, seed)
    tally = begin(checkpoint, declaration, resume=resume)
    work, ranges = partial(run.count, declaration), tally.missing(blocks)
    with (
        keeping(checkpoint, tally) as keep,
        closing(map_blocks(work, n, given=given, ranges=ranges, executor=executor, progress=progress)) as parts,
    ):
        for _, part in parts:
            tally += part
            keep(tally)
    if tally.unsettled and not allow_unsettled:
        raise UnsettledError(tally.unsettled, tally.n, tally)
    return tally
