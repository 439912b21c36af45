"""The film of one throw: what `dicesim.plots.animate` moves from frame to frame."""

import errno
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.animation import FuncAnimation, PillowWriter
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from PIL import Image, ImageSequence

from dicesim._drawing import (
    CM,
    GREY,
    GRID,
    INK,
    ORANGE,
    TABLE,
    Floats,
    Picture,
    View,
    corner_azimuth,
    die_polygons,
    root_figure,
    shadow_polygons,
)
from dicesim.trajectories import IMPACT, Trajectory

ELEVATION = np.radians(30)


class Film(FuncAnimation):
    """A die, its shadow, its path and its contacts, seen by a camera that follows and comes closer."""

    def __init__(self, path: Trajectory, ax: Axes | None, frames: int, fps: int) -> None:
        if ax is None:
            ax = Picture(figsize=(4.2, 4.2), dpi=100).add_axes((0, 0, 1, 1))
        self.path, self.edge, self.ax, self.frames, self.fps = path, path.setup.die.edge, ax, frames, fps
        self.view = View.of(corner_azimuth(path), ELEVATION)
        still = frames // 5
        self.times = np.append(np.linspace(0, path.times[-1], frames - still), np.full(still, path.times[-1]))
        self.centres = path.at(self.times).position
        self.heights = _window_heights(self.centres, self.edge)
        self._furnish(ax)
        super().__init__(root_figure(ax), self.draw, frames, interval=1000 / fps, cache_frame_data=False)

    def _furnish(self, ax: Axes) -> None:
        ax.set_aspect("equal")
        ax.axis("off")
        _lay_table(ax, self.view, self.centres, self.edge)
        self.trail = ax.plot([], [], color=GREY, linewidth=0.8, zorder=3)[0]
        self.marks = ax.scatter([], [], s=14, c=ORANGE, linewidths=0, zorder=3)
        self.die = PolyCollection([], edgecolors="face", linewidths=0.4, zorder=4)
        ax.add_collection(self.die)
        self.clock = ax.text(0.04, 0.95, "", transform=ax.transAxes, fontsize=11, color=INK, va="top")

    def draw(self, frame: int) -> list[Any]:
        """Set everything to one frame."""
        time = self.times[frame]
        state = self.path.at([time])
        shadow, shadow_colours = shadow_polygons(state, self.edge, self.view)
        die, die_colours = die_polygons(state, self.edge, self.view)
        self.die.set_verts(shadow + die)
        self.die.set_facecolor(shadow_colours + die_colours)
        struck = (self.path.kind == IMPACT) & (self.path.times <= time)
        self.marks.set_offsets(self.view.project(self.path.contact_point[struck]))
        trail = self.path.at(np.linspace(0, time, 300)).position
        self.trail.set_data(*self.view.project(trail).T)
        self.clock.set_text(f"{time:.3f} s")
        self._aim(frame)
        return []

    def _repr_html_(self) -> str:
        html: str = self.to_jshtml()
        return html

    def write_gif(self, path: Path) -> None:
        """Write a file, and see that it plays as long as all frames do: those that look the same are one in it."""
        self.save(path, writer=PillowWriter(fps=self.fps))
        with Image.open(path) as image:
            shown = sum(frame.info["duration"] for frame in ImageSequence.Iterator(image))
        due = self.frames * 1000 // self.fps
        if shown != due:
            raise OSError(errno.EIO, f"frames were lost, the film plays {shown:g} ms instead of {due}", str(path))

    def _aim(self, frame: int) -> None:
        x, y = self.view.project(self.centres[frame] * [1.0, 1.0, 0.0])
        height = self.heights[frame]
        self.ax.set(xlim=(x - height / 2, x + height / 2), ylim=(y - 0.25 * height, y + 0.75 * height))


def _window_heights(centres: Floats, edge: float) -> Floats:
    """Height of the picture in cm: room for all heights still to come, so that it never has to grow again."""
    to_come = np.maximum.accumulate(centres[::-1, 2])[::-1]
    heights: Floats = CM * (to_come * np.cos(ELEVATION) + 1.9 * edge) / 0.75
    return heights


def _lay_table(ax: Axes, view: View, centres: Floats, edge: float) -> None:
    """Draw a square of the table under the path, with lines two edges apart by which the eye sees the camera move."""
    low, high = centres.min(axis=0), centres.max(axis=0)
    reach = int(min(8 + (high - low)[:2].max() / (4 * edge), 60.0))
    lines = 2 * edge * np.arange(-reach, reach + 1)
    middle = (low + high) / 2 * [1.0, 1.0, 0.0]
    low, high = lines[0], lines[-1]
    corners = np.array([[low, low], [high, low], [high, high], [low, high]])
    along = np.array([[[place, low], [place, high]] for place in lines])
    segments = np.concatenate([along, along[:, :, ::-1]])
    square, grid = (view.project(middle + np.insert(flat, 2, 0.0, axis=-1)) for flat in (corners, segments))
    ax.add_collection(PolyCollection([square], facecolors=TABLE, zorder=0))
    ax.add_collection(LineCollection(list(grid), colors=GRID, linewidths=1, zorder=1))
