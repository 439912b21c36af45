"""Figures of results. Every function takes the Axes to draw on, or makes a figure of its own, and returns the Axes.

No window is opened and no backend chosen, because figures are made without pyplot. In a notebook, end a cell with
``plots.face_counts(counts).figure`` to see one.
"""

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.markers import MarkerStyle
from matplotlib.ticker import PercentFormatter

from dicesim._drawing import (
    BLUE,
    GREEN,
    GREY,
    INK,
    ORANGE,
    TABLE,
    Floats,
    View,
    corner_azimuth,
    die_polygons,
    finish,
    own_axes,
    root_figure,
    side_azimuth,
)
from dicesim._files import write_whole
from dicesim._film import Film
from dicesim.solids import FACES, STANDARD, pips
from dicesim.stats import chi_square, proportion_intervals
from dicesim.trajectories import IMPACT, Trajectory

CARET = MarkerStyle(6)


def face_counts(counts: npt.ArrayLike, ax: Axes | None = None, confidence: float = 0.95) -> Axes:
    """Draw the shares of the six faces with simultaneous intervals around the line of a fair die.

    Parameters
    ----------
    counts : array_like of int (6,)
        How often each face came up, faces 0 to 5.
    ax : matplotlib Axes, optional
        Where to draw.
    confidence : float
        Chance that all six intervals cover their shares at once, between 0 and 1.

    Returns
    -------
    matplotlib Axes
        Points and intervals; a face whose interval leaves out 1/6 is orange and hollow.

    Raises
    ------
    ValueError
        If the counts are not six whole numbers, or all are 0.

    Examples
    --------
    >>> ax = face_counts([333_412, 333_021, 333_790, 332_950, 333_405, 333_422])
    >>> ax.get_title(loc="left")
    'Faces of 2,000,000 throws'
    """
    numbers = np.asarray(counts)
    if numbers.shape != (6,):
        raise ValueError(f"a die has six counts, one for each face, not an array of shape {numbers.shape}")
    test, intervals = chi_square(numbers), proportion_intervals(numbers, confidence)
    ax = own_axes(ax, 6.4, 4.2)
    ax.axhline(1 / 6, color=GREY, linewidth=1, linestyle=(0, (5, 4)), zorder=1)
    ax.annotate("1/6", (5.62, 1 / 6), (0, 3), textcoords="offset points", ha="right", color=GREY, fontsize=8)
    _points(ax, numbers / numbers.sum(), intervals)
    ax.set_xticks(range(6), [f"{f}\npip {p}\n{n:,}" for f, p, n in zip(FACES, STANDARD, numbers, strict=True)])
    spread = 1.2 * float(np.abs(intervals - 1 / 6).max())
    ax.set(xlim=(-0.62, 5.62), ylim=(max(1 / 6 - spread, 0.0), min(1 / 6 + spread, 1.0)))
    ax.set_ylabel(f"share, with {confidence * 100:g} % intervals of all six together")
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    finish(ax, f"Faces of {test.n:,} throws", str(test))
    return ax


def _points(ax: Axes, shares: Floats, intervals: Floats) -> None:
    low, high = intervals.T
    unfair = (low > 1 / 6) | (high < 1 / 6)
    colours = np.where(unfair, ORANGE, BLUE)
    fills = np.where(unfair, "#FFFFFF", BLUE)
    ax.vlines(range(6), low, high, colors=list(colours), linewidth=2.5, zorder=2)
    ax.scatter(range(6), shares, s=52, c=list(fills), edgecolors=list(colours), linewidths=1.8, zorder=3)


def energy_ledger(trajectory: Trajectory, ax: Axes | None = None) -> Axes:
    """Draw kinetic, potential and total energy of one throw against time, and where its face became certain.

    Parameters
    ----------
    trajectory : Trajectory
        The throw.
    ax : matplotlib Axes, optional
        Where to draw.

    Returns
    -------
    matplotlib Axes
        Energies per unit mass on a logarithmic scale, J/kg, over time, s.

    Examples
    --------
    >>> from dicesim import Shaken, trajectory
    >>> ax = energy_ledger(trajectory(Shaken().sample(1, rng=1)))
    >>> ax.get_ylabel()
    'energy per unit mass, J/kg'
    """
    times, kinetic, potential = _energies(trajectory)
    ax = own_axes(ax, 6.4, 4.0)
    ax.plot(times, kinetic, color=ORANGE, linewidth=1.2, label="kinetic")
    ax.plot(times, potential, color=GREEN, linewidth=1.2, label="potential")
    ax.plot(times, kinetic + potential, color=BLUE, linewidth=2, label="total")
    threshold, end = trajectory.setup.trap_energy, float(trajectory.times[-1])
    ax.axhline(threshold, color=GREY, linewidth=1, linestyle=(0, (5, 4)), label="below it the face is certain")
    ax.set(yscale="log", ylim=(threshold / 100, 1.5 * float(trajectory.energy[0])), xlim=(0, 1.02 * end))
    ax.set(xlabel="time after release, s", ylabel="energy per unit mass, J/kg")
    ax.yaxis.set_major_formatter("{x:g}")
    ax.legend(frameon=False, fontsize=8, labelcolor=INK, loc="lower left")
    finish(ax, "Energy of a throw", _certainty(trajectory, threshold))
    return ax


def _energies(path: Trajectory) -> tuple[Floats, Floats, Floats]:
    """Energies at the end of each step, and between them, since one step may be a long flight."""
    between = np.linspace(0, path.times[-1], 1000)
    states = path.at(between)
    inertia = path.setup.die.edge**2 / 6
    kinetic = 0.5 * (states.velocity**2).sum(axis=1) + 0.5 * inertia * (states.angular_velocity**2).sum(axis=1)
    times = np.concatenate([path.times, between])
    order = np.argsort(times, kind="stable")  # before and after an impact, at one time, stay in that order
    kinetic = np.concatenate([path.kinetic, kinetic])[order]
    potential = np.concatenate([path.potential, path.setup.gravity * states.position[:, 2]])[order]
    return times[order], kinetic, potential


def _certainty(path: Trajectory, threshold: float) -> str:
    below = np.flatnonzero(path.energy < threshold)
    certain = f"certain from {path.times[below[0]]:.3f} s" if below.size else "never certain"
    return f"face {certain}; {_ending(path)}"


def _ending(path: Trajectory) -> str:
    contacts = f"{path.contacts} contact{'s' * (path.contacts != 1)} in {path.times[-1]:.3f} s"
    return contacts if path.settled else f"not settled: {contacts}"


def throw_picture(trajectory: Trajectory, ax: Axes | None = None, *, interval: float = 0.02) -> Axes:
    """Draw one throw from the side, the die as a flashing light would show it.

    Parameters
    ----------
    trajectory : Trajectory
        The throw.
    ax : matplotlib Axes, optional
        Where to draw.
    interval : float
        Time between two flashes, s.

    Returns
    -------
    matplotlib Axes
        The die at each flash and at the end, the path of its centre, and its contacts with the table, in cm.

    Raises
    ------
    ValueError
        If the interval gives no flash or more than 1000.

    Examples
    --------
    >>> from dicesim import Shaken, trajectory
    >>> ax = throw_picture(trajectory(Shaken().sample(1, rng=1)))
    >>> ax.get_ylabel()
    'height, cm'
    """
    end = float(trajectory.times[-1])
    if not interval > 0 or end / interval > 1000:
        raise ValueError(f"interval must be above 0 s and give at most 1000 flashes in {end:.3g} s, not {interval}")
    view = View.of(side_azimuth(trajectory), 0.0)
    left, right, top = _bounds(view.project(_centre(trajectory, 0.0, end)))
    ax = own_axes(ax, *_size(right - left, top + 4.0))
    flashes = np.append(np.arange(0, end, interval), end)
    ax.axhspan(-4.0, 0.0, color=TABLE, linewidth=0, zorder=0)
    ax.axhline(0.0, color=GREY, linewidth=1, zorder=1)
    _flash(ax, trajectory, flashes, view, ghosts=1.0)
    ax.set(aspect="equal", xlim=(left, right), ylim=(-4.0, top))
    ax.set(xlabel="distance along the throw, cm", ylabel="height, cm")
    value = f"shows {pips([trajectory.face])[0]}" if trajectory.settled else "shows nothing"
    finish(ax, f"A throw that {value}", f"a flash every {1000 * interval:g} ms, contacts orange; {_ending(trajectory)}")
    _close_up(ax, trajectory, flashes)
    return ax


def _centre(path: Trajectory, start: float, end: float) -> Floats:
    return path.at(np.linspace(start, end, 1000)).position


def _bounds(centre: Floats) -> tuple[float, float, float]:
    """Left, right and top of a picture of the path in cm, with room for the close-up."""
    (left, _), (right, top) = centre.min(axis=0) - 3.0, centre.max(axis=0) + 3.0
    return float(left), float(max(right, left + 0.75 * top)), float(top)


def _size(width: float, height: float) -> tuple[float, float]:
    """Size of a figure in inches that leaves little white around Axes of this shape."""
    return (4.8, 6.4) if height > width else (7.2, max(1.2 + 6.2 * height / width, 3.0))


def _flash(ax: Axes, path: Trajectory, times: Floats, view: View, ghosts: float) -> None:
    """Draw the die at some times, all but the last less opaque, the path of its centre, and the contacts."""
    struck = (path.kind == IMPACT) & (path.times >= times[0])
    points, impulses = view.project(path.contact_point[struck]), path.normal_impulse[struck]
    sizes = 8 + 90 * impulses / impulses.max(initial=1e-12)
    # The tip of a caret is the point, and its body lies under the table line.
    ax.scatter(points[:, 0], points[:, 1], s=sizes, c=ORANGE, marker=CARET, linewidths=0, zorder=2)
    centre = view.project(_centre(path, times[0], times[-1]))
    ax.plot(*centre.T, color=GREY, linewidth=0.8, zorder=2)
    for time in times:
        polygons, colours = die_polygons(path.at([time]), path.setup.die.edge, view)
        alpha = 1.0 if time == times[-1] else ghosts
        die = PolyCollection(polygons, facecolors=colours, edgecolors="w", linewidths=0.4, alpha=alpha, zorder=3)
        ax.add_collection(die)


def _close_up(ax: Axes, path: Trajectory, flashes: Floats) -> None:
    """Show the end of the throw once more, larger and from above, in a corner that the fall leaves free."""
    inset = ax.inset_axes((0.5, 0.66, 0.5, 0.34), facecolor=TABLE, xticks=[], yticks=[], aspect="equal")
    inset.spines[:].set_visible(False)
    inset.set_anchor("NE")
    inset.margins(0.12)
    away = np.linalg.norm(path.at(flashes).position - path.states.position[-1], axis=1)
    near = np.logical_and.accumulate(away[::-1] < 2.5 * path.setup.die.edge)[::-1]
    _flash(inset, path, flashes[near], View.of(corner_azimuth(path), np.radians(35)), ghosts=0.3)


def animate(trajectory: Trajectory, ax: Axes | None = None, *, frames: int = 75, fps: int = 25) -> Film:
    """Film one throw, slowed down, coming closer as the die comes down.

    Parameters
    ----------
    trajectory : Trajectory
        The throw.
    ax : matplotlib Axes, optional
        Where to draw.
    frames : int
        Number of pictures, 2 to 250; the last fifth shows the die at the end.
    fps : int
        Pictures a second: 1, 2, 4, 5, 10, 20, 25 or 50, since a GIF counts time in hundredths of a second.

    Returns
    -------
    matplotlib.animation.FuncAnimation
        The film, 420 pixels square if it has its own figure: a notebook plays it, `save` writes it as a GIF.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Examples
    --------
    >>> from dicesim import Shaken, trajectory
    >>> film = animate(trajectory(Shaken().sample(1, rng=1)), frames=2)
    >>> film.to_jshtml().count("data:image/png")
    2
    """
    if not 2 <= frames <= 250:
        raise ValueError(f"frames must be from 2 to 250, not {frames}")
    if not 1 <= fps <= 50 or 100 % fps:
        raise ValueError(f"fps must be 1, 2, 4, 5, 10, 20, 25 or 50, not {fps}")
    return Film(trajectory, ax, frames, fps)


def save(picture: Axes | Film, path: str | os.PathLike[str]) -> None:
    """Write a figure or a film to a file, which appears whole or not at all.

    Parameters
    ----------
    picture : matplotlib Axes or film
        What a function of this module returned.
    path : str or path-like
        Where to; a film goes to a ``.gif``, a figure to a ``.png``, ``.svg`` or ``.pdf``.

    Raises
    ------
    ValueError
        If the ending is another.
    OSError
        If the file cannot be written, or a frame of a film was lost.

    Examples
    --------
    >>> save(face_counts([35, 36, 37, 38, 39, 40]), "counts.gif")
    Traceback (most recent call last):
    ValueError: a figure is written to .png, .svg or .pdf, not to 'counts.gif'
    """
    target = Path(path)
    film = isinstance(picture, Film)
    endings = (".gif",) if film else (".png", ".svg", ".pdf")
    if target.suffix.lower() not in endings:
        what = "a film is written to .gif" if film else "a figure is written to .png, .svg or .pdf"
        raise ValueError(f"{what}, not to {target.name!r}")
    write_whole(target, picture.write_gif if isinstance(picture, Film) else root_figure(picture).savefig)
