"""Figures: what is in the Axes is what was measured."""

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.animation import PillowWriter
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from numpy.testing import assert_allclose, assert_array_equal
from PIL import Image, ImageSequence

from dicesim import Die, Setup, Shaken, Solver, States, Trajectory, plots, throw, trajectory
from dicesim._drawing import BLUE, ORANGE, PIP, View, die_polygons
from dicesim._film import Film
from dicesim.solids import pips
from dicesim.stats import chi_square, proportion_intervals
from dicesim.trajectories import IMPACT

ROOT = Path(__file__).parents[1]
TWO_MILLION = [333_412, 333_021, 333_790, 332_450, 333_405, 333_922]
BIASED = [3246, 3449, 2897, 2841, 3635, 3932]  # -x alone, and +x, hold 1/6
SETUP = Setup()


@pytest.fixture(scope="module")
def path() -> Trajectory:
    return trajectory(Shaken().sample(1, rng=3))


def still(film: Film) -> Film:
    film._draw_was_started = True  # matplotlib warns of a film that is thrown away unseen
    return film


def collections(ax: Any, kind: type) -> list[Any]:
    return [collection for collection in ax.collections if isinstance(collection, kind)]


# Face counts


@pytest.mark.parametrize("counts", [TWO_MILLION, BIASED, [6] * 6, [40, 0, 0, 0, 0, 0]])
def test_shares_and_intervals_are_those_of_the_counts(counts: list[int]) -> None:
    ax = plots.face_counts(counts, confidence=0.9)
    bars, points = ax.collections
    intervals = proportion_intervals(counts, 0.9)
    assert_array_equal(points.get_offsets(), np.column_stack([range(6), np.array(counts) / sum(counts)]))
    assert_array_equal([segment[:, 1] for segment in bars.get_segments()], intervals)
    low, high = ax.get_ylim()
    assert 0 <= low <= intervals.min()
    assert intervals.max() <= high <= 1
    assert low < 1 / 6 < high
    assert_allclose(ax.lines[0].get_ydata(), 1 / 6)


def test_two_million_throws_fill_the_axis() -> None:
    ax = plots.face_counts(TWO_MILLION)
    low, high = ax.get_ylim()
    intervals = proportion_intervals(TWO_MILLION)
    assert np.ptp(intervals) > 0.5 * (high - low)
    assert [label.get_text() for label in ax.get_xticklabels()][3] == "-y\npip 5\n332,450"
    assert ax.get_title(loc="left") == "Faces of 2,000,000 throws"
    assert str(chi_square(TWO_MILLION)) in [text.get_text() for text in ax.texts]


def test_faces_off_one_sixth_are_seen_without_colour_too() -> None:
    bars, points = plots.face_counts(BIASED).collections
    off = [False, False, True, True, True, True]
    expected = [to_rgb(ORANGE if face else BLUE) for face in off]
    assert_allclose(bars.get_colors()[:, :3], expected)
    assert_allclose(points.get_facecolors()[:, :3], [(1, 1, 1) if o else to_rgb(BLUE) for o in off])


@pytest.mark.parametrize(
    ("counts", "message"),
    [([1, 2, 3], "six counts"), ([0] * 6, "all 0"), ([1, 2, 3, 4, 5, 0.5], "whole numbers")],
)
def test_bad_counts_are_refused(counts: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plots.face_counts(counts)


# Energy


def test_the_ledger_holds_every_step_and_balances(path: Trajectory) -> None:
    ax = plots.energy_ledger(path)
    kinetic, potential, total = (line.get_ydata() for line in ax.lines[:3])
    times = np.asarray(ax.lines[2].get_xdata())
    drawn = set(zip(times.tolist(), np.asarray(total).tolist(), strict=True))
    assert set(zip(path.times.tolist(), path.energy.tolist(), strict=True)) <= drawn
    assert_array_equal(np.asarray(kinetic) + np.asarray(potential), total)
    assert (np.diff(times) >= 0).all()
    # One flight is one step, and its energy is drawn level all along.
    first_landing = path.times[path.kind == IMPACT][0]
    assert_allclose(np.asarray(total)[times < first_landing], path.energy[0], rtol=1e-12)
    assert_allclose(ax.lines[3].get_ydata(), SETUP.trap_energy)


def test_the_ledger_says_when_the_face_was_certain(path: Trajectory) -> None:
    certain = path.times[path.energy < SETUP.trap_energy][0]
    texts = [text.get_text() for text in plots.energy_ledger(path).texts]
    assert any(f"face certain from {certain:.3f} s" in text for text in texts)
    unsettled = trajectory(path.states[0], Setup(solver=Solver(time_limit=0.1)))
    texts = [text.get_text() for text in plots.energy_ledger(unsettled).texts]
    assert texts == ["face never certain; not settled: 0 contacts in 0.100 s"]


@pytest.mark.parametrize("setup", [Setup(die=Die(edge=0.03)), Setup(gravity=1.62)])
def test_the_ledger_is_of_the_setup_that_was_thrown(path: Trajectory, setup: Setup) -> None:
    other = trajectory(path.states[0], setup)
    ax = plots.energy_ledger(other)
    times, total = (np.asarray(data) for data in ax.lines[2].get_data())
    assert_allclose(total[times < other.times[other.kind == IMPACT][0]], other.energy[0], rtol=1e-12)
    assert_allclose(ax.lines[3].get_ydata(), setup.trap_energy)


# A throw


@pytest.mark.parametrize("seed", range(5))
def test_a_die_covers_what_its_projection_covers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    state, edge = Shaken().sample(1, rng=rng), 0.02
    view = View.of(rng.uniform(0, 7), rng.uniform(-1.5, 1.5))
    polygons, colours = die_polygons(state, edge, view)
    faces = [p for p, colour in zip(polygons, colours, strict=True) if colour != PIP]
    covered = sum(area(p) for p in faces)
    # Each of three pairs of opposite faces shows one, shortened by the cosine of its slant.
    cosines = np.abs(state.axes[0].T @ view.toward)
    assert covered == pytest.approx((100 * edge) ** 2 * cosines.sum())
    assert len(faces) == 3
    assert_allclose(view.plane @ view.plane.T, np.eye(2), atol=1e-12)
    assert_allclose(view.plane @ view.toward, 0, atol=1e-12)


def area(polygon: Any) -> float:
    x, y = polygon.T
    return abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2


def test_a_picture_shows_the_die_at_every_flash(path: Trajectory) -> None:
    ax = plots.throw_picture(path, interval=0.05)
    dice = [c.get_paths()[0] for c in collections(ax, PolyCollection)]
    end = path.times[-1]
    times = [*np.arange(0, end, 0.05), end]
    assert len(dice) == len(times)
    travel = np.subtract(path.states.position[-1], path.states.position[0])[:2]
    right = np.append(travel / np.hypot(*travel), 0.0)
    for time, collection in zip(times, collections(ax, PolyCollection), strict=True):
        vertices = np.concatenate([p.vertices for p in collection.get_paths()])
        state = path.at([time])
        corners = (
            state.position[0]
            + SETUP.die.edge / 2 * np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, 8).T @ state.axes[0].T
        )
        seen = 100 * np.column_stack([corners @ right, corners[:, 2]])
        assert_allclose(vertices.min(axis=0), seen.min(axis=0), atol=1e-9)
        assert_allclose(vertices.max(axis=0), seen.max(axis=0), atol=1e-9)


def test_a_picture_shows_the_path_and_the_contacts(path: Trajectory) -> None:
    ax = plots.throw_picture(path)
    centre = np.asarray(ax.lines[1].get_ydata())
    assert_allclose(centre, 100 * path.at(np.linspace(0, path.times[-1], 1000)).position[:, 2])
    contacts = ax.collections[0].get_offsets()
    assert len(contacts) == path.contacts
    assert_allclose(contacts[:, 1], 0, atol=1e-12)
    assert ax.get_title(loc="left") == f"A throw that shows {pips([path.face])[0]}"
    low, high = ax.get_ylim()
    assert low < 0 < 100 * path.states.position[:, 2].max() < high
    assert len(ax.child_axes) == 1


def test_an_unsettled_throw_shows_nothing(path: Trajectory) -> None:
    ax = plots.throw_picture(trajectory(path.states[0], Setup(solver=Solver(time_limit=0.2))))
    assert ax.get_title(loc="left") == "A throw that shows nothing"


@pytest.mark.parametrize("interval", [0.0, -1.0, 1e-6, float("nan")])
def test_a_bad_interval_is_refused(path: Trajectory, interval: float) -> None:
    with pytest.raises(ValueError, match="interval must be above 0 s"):
        plots.throw_picture(path, interval=interval)


def test_a_die_set_down_without_travel_is_drawn() -> None:
    state = States([[0, 0, 0.02]], np.eye(3)[None], np.zeros((1, 3)), np.zeros((1, 3)))
    ax = plots.throw_picture(trajectory(state))
    assert ax.get_title(loc="left") == "A throw that shows 3"


# Films


def test_a_film_has_its_frames_and_ends_with_the_throw(path: Trajectory) -> None:
    film = still(plots.animate(path, frames=20, fps=10))
    assert list(film.new_frame_seq()) == list(range(20))
    assert len(film.times) == 20
    assert film.times[0] == 0
    assert (film.times[-5:] == path.times[-1]).all()
    assert (np.diff(film.heights) <= 0).all()  # the camera only comes closer
    for frame in (0, 7, 19):
        film.draw(frame)
        low, high = film.ax.get_ylim()
        points = np.concatenate([outline.vertices for outline in film.die.get_paths()])
        assert low < points[:, 1].min()
        assert points[:, 1].max() < high
        assert film.clock.get_text() == f"{film.times[frame]:.3f} s"
    assert len(film.marks.get_offsets()) == path.contacts


def throws_of_every_face() -> dict[int, States]:
    states = Shaken().sample(64, rng=1)
    return {int(face): states[i] for i, face in enumerate(throw(states).face)}


@pytest.mark.parametrize("face", range(6))
def test_the_last_frame_shows_the_pip_value_on_top(face: int) -> None:
    film = still(plots.animate(trajectory(throws_of_every_face()[face]), frames=10))
    film.draw(9)
    outlines = [outline.vertices[:-1] for outline in film.die.get_paths()]
    colours = [tuple(colour[:3]) for colour in film.die.get_facecolor()]
    spots = [p.mean(axis=0) for p, colour in zip(outlines, colours, strict=True) if colour == PIP]
    squares = [p for p, colour in zip(outlines[6:], colours[6:], strict=True) if colour != PIP]  # after the shadow
    top = max(squares, key=lambda square: square[:, 1].mean())
    assert len(squares) == 3
    assert Outline(top).contains_points(spots).sum() == pips([face])[0]
    # The two sides carry neither this value nor that of the bottom, and not one pip is drawn elsewhere.
    values = [int(Outline(square).contains_points(spots).sum()) for square in squares]
    assert len({min(value, 7 - value) for value in values}) == 3
    assert sum(values) == len(spots)


@pytest.mark.parametrize("options", [{"frames": 1}, {"frames": 251}, {"fps": 0}, {"fps": 30}, {"fps": 100}])
def test_bad_films_are_refused(path: Trajectory, options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"must be .*, not"):
        plots.animate(path, **options)


def test_a_notebook_plays_all_frames(path: Trajectory) -> None:
    html = plots.animate(path, frames=6)._repr_html_()
    assert html.count("data:image/png;base64") == 6


@pytest.mark.parametrize("edge", [0.01, 0.03])
def test_dice_are_drawn_in_their_own_size(path: Trajectory, edge: float) -> None:
    thrown = trajectory(path.states[0], Setup(die=Die(edge=edge)))
    film = still(plots.animate(thrown, frames=10))
    film.draw(9)
    assert film.edge == edge
    ax = plots.throw_picture(thrown)
    for dice in (*collections(ax, PolyCollection), *collections(ax.child_axes[0], PolyCollection), film.die):
        places = np.concatenate([outline.vertices for outline in dice.get_paths()])
        # In cm, and from an edge to the long diagonal, however it lies.
        assert 100 * edge <= np.ptp(places[:, 0]) * (1 + 1e-9) <= 100 * edge * np.sqrt(3)


# Files


def played(file: Path) -> list[tuple[int, bytes]]:
    """Duration in ms and content of every frame of a GIF."""
    with Image.open(file) as image:
        return [(frame.info["duration"], frame.convert("RGB").tobytes()) for frame in ImageSequence.Iterator(image)]


def test_a_gif_is_small_and_plays_all_frames(path: Trajectory, tmp_path: Path) -> None:
    plots.save(plots.animate(path), tmp_path / "throw.gif")
    frames = played(tmp_path / "throw.gif")
    assert sum(duration for duration, _ in frames) == 75 * 40
    assert frames[-1][0] >= 15 * 40  # the die at rest is looked at for a while
    assert len({content for _, content in frames}) == len(frames) >= 60
    assert (tmp_path / "throw.gif").stat().st_size < 2_000_000
    assert [file.name for file in tmp_path.iterdir()] == ["throw.gif"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf", "PNG"])
def test_figures_are_written_in_the_format_of_their_name(tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"counts.{ending}"
    plots.save(plots.face_counts(TWO_MILLION), target)
    starts = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    assert target.read_bytes().startswith(starts[ending.lower()])
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("name", ["throw.png", "throw"])
def test_a_film_is_only_written_as_gif(path: Trajectory, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=f"a film is written to .gif, not to '{name}'"):
        plots.save(still(plots.animate(path, frames=2)), tmp_path / name)


def test_a_film_that_lost_frames_is_not_kept(path: Trajectory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(writer: PillowWriter) -> None:
        del writer._frames[2]
        finish(writer)

    finish = PillowWriter.finish
    monkeypatch.setattr(PillowWriter, "finish", forgetful)
    target = tmp_path / "throw.gif"
    target.write_bytes(b"the old one")
    with pytest.raises(OSError, match="frames were lost, the film plays 160 ms instead of 200"):
        plots.save(plots.animate(path, frames=5), target)
    assert target.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [target]


def test_a_figure_half_written_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(figure: Figure, file: Path) -> None:
        file.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device", str(file))

    monkeypatch.setattr(Figure, "savefig", full)
    target = tmp_path / "counts.png"
    with pytest.raises(OSError, match="No space left"):
        plots.save(plots.face_counts(TWO_MILLION), target)
    assert list(tmp_path.iterdir()) == []


# Where they are drawn


@pytest.fixture
def given() -> Any:
    return Figure().subplots()


@pytest.mark.parametrize("draw", [plots.energy_ledger, plots.throw_picture])
def test_the_axes_asked_for_are_drawn_on(path: Trajectory, given: Any, draw: Any) -> None:
    assert draw(path, given) is given
    assert given.figure.axes == [given]


def test_counts_and_films_too(path: Trajectory, given: Any) -> None:
    assert plots.face_counts(TWO_MILLION, given) is given
    other = given.figure.add_axes((0, 0, 0.2, 0.2))
    film = still(plots.animate(path, other, frames=2))
    assert film.ax is other
    assert collections(other, LineCollection)


def test_a_figure_of_its_own_shows_itself_in_a_notebook() -> None:
    figure: Any = plots.face_counts(TWO_MILLION).figure
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_no_window_no_backend_and_no_pyplot(tmp_path: Path) -> None:
    program = f"""
import os, sys
os.environ.pop("MPLBACKEND", None)
from dicesim import Shaken, Setup, Table, plots, trajectory
path = trajectory(Shaken().sample(1, rng=1))
for picture in (plots.face_counts([60] * 6), plots.energy_ledger(path), plots.throw_picture(path)):
    plots.save(picture, {str(tmp_path / "a.png")!r})
plots.save(plots.animate(path, frames=2), {str(tmp_path / "a.gif")!r})
import matplotlib
print("matplotlib.pyplot" in sys.modules, matplotlib.get_backend(auto_select=False))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False None\n", "")
