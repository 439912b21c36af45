"""One throw: its picture, its energy, its film."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.markers import MarkerStyle

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
    side_azimuth,
)
from dicesim._film import Film
from dicesim.solids import pips
from dicesim.trajectories import IMPACT, Trajectory

CARET = MarkerStyle(6)


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
