"""Slices through basins: the right releases at the right places, and the points on their boundaries."""

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from dicesim import Setup, Shaken, Table, plots, throw
from dicesim.basins import Slice, Span, boundary, face_map
from experiments.basins import BASINS, lingering, packed, unpacked
from experiments.experiment import run

STATE = Shaken().sample(3, rng=1)[1]
LIFT, SPIN = Span("velocity", 2, 0.5), Span("angular_velocity", 0, 20.0)
PLANE = Slice(STATE, LIFT, SPIN)


def test_a_place_is_the_release_with_two_numbers_changed() -> None:
    places = np.array([[0.0, 0.0], [1.0, 0.0], [-0.5, 0.25]])
    up, x = np.array([0.0, 0.0, 0.5]), np.array([20.0, 0.0, 0.0])
    changed = [
        STATE.replace(velocity=STATE.velocity + across * up, angular_velocity=STATE.angular_velocity + along * x)
        for across, along in places
    ]
    assert PLANE(places).tolist() == [int(throw(state).face[0]) for state in changed]


def test_two_numbers_of_one_part_are_both_changed() -> None:
    plane = Slice(STATE, Span("angular_velocity", 0, 10.0), Span("angular_velocity", 1, 30.0))
    near = plane.zoomed([0.5, -1.0], 1)
    assert (near.state.angular_velocity - STATE.angular_velocity)[0].tolist() == pytest.approx([5.0, -30.0, 0.0])


def test_a_map_has_its_rows_along_y_and_its_columns_along_x() -> None:
    faces = face_map(PLANE, 5)
    assert faces.shape == (5, 5)
    assert faces[2, 2] == throw(STATE).face[0]
    assert faces[4, 1] == PLANE([[-0.5, 1.0]])[0]
    assert len(np.unique(faces)) > 1


def test_a_zoom_shows_a_part_of_the_whole() -> None:
    # Steps of a power of two, so that both maps throw the very same releases.
    whole, part = face_map(PLANE, 33), face_map(PLANE.zoomed([0.5, -0.5], 2), 17)
    assert (whole[:17, 16:] == part).all()


def test_the_setup_counts() -> None:
    dull = Slice(STATE, LIFT, SPIN, Setup(table=Table(restitution=0.0)))
    assert (face_map(dull, 17) != face_map(PLANE, 17)).mean() > 0.2


def test_tuples_are_spans() -> None:
    plane = Slice(STATE, ("velocity", 2, 0.5), ("angular_velocity", 0, 20.0))  # type: ignore[arg-type]
    assert (plane.x, plane.y) == (LIFT, SPIN)


@pytest.mark.parametrize(
    ("state", "x", "complaint"),
    [
        (Shaken().sample(2, rng=1), LIFT, "one release, not 2"),
        (STATE, Span("height", 2, 1.0), "x must vary"),  # type: ignore[arg-type]
        (STATE, Span("velocity", 3, 1.0), "x must vary"),
        (STATE, Span("velocity", 2, 0.0), "half width of x must be above 0"),
        (STATE, Span("velocity", 2, float("nan")), "half width of x must be"),
        (STATE, Span("angular_velocity", 0, 1.0), "two numbers"),
    ],
)
def test_what_is_no_plane_is_refused_in_one_line(state: Any, x: Span, complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"^[^\n]*{complaint}[^\n]*$"):
        Slice(state, x, SPIN)


def test_a_map_of_one_place_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 2 places"):
        face_map(PLANE, 1)


# Boundaries


def test_a_boundary_of_a_known_plane_is_found() -> None:
    def circle(places: Any) -> Any:
        return (np.hypot(places[:, 0] - 0.1, places[:, 1]) > 0.3).astype(np.int8)

    for seed in range(5):
        x, y = boundary(circle, rng=seed)
        assert np.hypot(x - 0.1, y) == pytest.approx(0.3, abs=1e-8)


def test_faces_differ_on_both_sides_of_a_boundary() -> None:
    point = boundary(PLANE, rng=2)
    inside = point * (1 - 1e-7)
    assert PLANE([point])[0] != PLANE([inside])[0] == PLANE([[0.0, 0.0]])[0]


def test_a_window_of_one_face_has_no_boundary() -> None:
    with pytest.raises(ValueError, match="no boundary: the window has face 4"):
        boundary(lambda places: np.full(len(places), 4, dtype=np.int8), rng=1)


# The experiment


def test_lingering_is_told_from_parting_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Synthetic rest times: one die on an edge, one at a jump, one between."""
    edge = np.sqrt(2 / 3 * np.sqrt(2) * 0.01905 / 9.80665) * np.log(10)
    times = {1e-5: np.zeros(3), 1e-7: 2 * edge * np.array([1.0, 0.0, 0.5])}
    monkeypatch.setattr("experiments.basins.resting", lambda p, windows, distance: times[distance])
    found = lingering(BASINS.full, [])
    assert found["edge"] == pytest.approx(edge)
    assert found["on_edge"][0] == found["jumps"][0] == pytest.approx(1 / 3)


def test_a_packed_map_is_unpacked() -> None:
    faces = np.random.default_rng(1).integers(6, size=(9, 9)).astype(np.int8)
    assert (unpacked({"faces": packed(faces), "size": 9}) == faces).all()


def test_a_result_is_small_and_its_map_is_the_one_around_its_centre() -> None:
    rows = run(BASINS, "smoke").rows
    first = rows["portrait"][0]
    state = BASINS.smoke.hand.sample(1)
    centred = state.replace(angular_velocity=[*first["centre"], 0.0])
    assert unpacked(first)[4, 4] == throw(centred).face[0]
    assert len(rows["zooms"]) == len(rows["portrait"]) == 5


# Figures


def test_a_map_is_drawn_in_its_units() -> None:
    ax = plots.basin_map([[0, 5], [1, 2]], 0.05, inner=0.005)
    assert ax.get_xlim() == pytest.approx((-0.05, 0.05))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["−0.05", "0", "+0.05"]
    assert np.asarray(ax.images[0].get_array()).tolist() == [[0, 5], [1, 2]]
    assert ax.images[0].origin == "lower"
    assert len(ax.patches) == 2


@pytest.mark.parametrize("faces", [[0, 1], [[0, 6], [1, 2]], [[0, 1, 2], [0, 1, 2]]])
def test_what_is_no_map_is_not_drawn(faces: Any) -> None:
    with pytest.raises(ValueError, match="square of faces 0 to 5"):
        plots.basin_map(faces)


def test_the_picture_has_five_maps_and_a_curve() -> None:
    one = {"scales": [0.1], "octaves_boxes": [[1.5, 1.4, 1.6]], "octaves_pairs": [[1.3, 1.2, 1.4]]}
    maps = [(50.0 / 10**k, np.eye(3, dtype=np.int8)) for k in range(5)]
    given = Figure().add_subplot()
    assert plots.basin_zooms(maps, [one], [0.3, 0.2, 0.4], given) is given
    assert given.figure is not None
    curve = given.figure.axes[-1]
    assert [float(points.get_offsets()[0, 1]) for points in curve.collections[1::2]] == [1.5, 1.3]  # type: ignore[index]
    with pytest.raises(ValueError, match="room for five maps"):
        plots.basin_zooms(maps[:4], [one], [0.3, 0.2, 0.4])
