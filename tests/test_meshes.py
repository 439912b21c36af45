"""The chamfered die: its mesh, audit, mass properties and export."""

import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest
import trimesh

from dicesim.meshes import (
    Chamfer,
    Mesh,
    audit,
    broken_copies,
    chamfered_cube,
    chamfered_cube_moments,
    export,
    moments,
)
from dicesim.parameters import Die
from dicesim.solids import ROTATIONS

# Edge and chamfer in metres: the shipped die, a sliver cut, a wide one, nearly an octahedron, a large die.
SIZES = [(Die().edge, Chamfer().width), (0.016, 1e-6), (1.0, 0.3), (2.0, 0.999), (50.0, 3.0)]

every_size = pytest.mark.parametrize(("edge", "chamfer"), SIZES)


def second_opinion(mesh: Mesh) -> trimesh.Trimesh:
    return trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)


def areas(mesh: Mesh) -> np.ndarray:
    a, b, c = np.swapaxes(mesh.vertices[mesh.triangles], 0, 1)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def kinds(mesh: Mesh) -> np.ndarray:
    """How many axes each triangle's normal leans to: 1 on a face, 2 on an edge, 3 on a corner."""
    return np.count_nonzero(mesh.normals, axis=1)


@pytest.fixture
def die() -> Mesh:
    return chamfered_cube()


@pytest.fixture
def lump() -> Mesh:
    """An irregular solid far from the origin."""
    hull = trimesh.Trimesh(np.random.default_rng(3).normal(size=(40, 3)) * [1, 2, 3] + [30, -20, 50])
    hull = trimesh.convex.convex_hull(hull.vertices)
    return Mesh(np.array(hull.vertices), np.array(hull.faces), np.array(hull.face_normals))


# The shape


@every_size
def test_there_are_twelve_and_twenty_four_and_eight_triangles(edge: float, chamfer: float) -> None:
    mesh = chamfered_cube(edge, chamfer)
    assert np.bincount(kinds(mesh)).tolist() == [0, 12, 24, 8]
    assert len(np.unique(mesh.vertices, axis=0)) == len(mesh.vertices) == 24
    np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1, rtol=1e-15)


@every_size
def test_every_part_has_its_area(edge: float, chamfer: float) -> None:
    mesh, flat = chamfered_cube(edge, chamfer), edge - 2 * chamfer
    parts = np.bincount(kinds(mesh), weights=areas(mesh))[1:]
    expected = [6 * flat**2, 12 * flat * np.sqrt(2) * chamfer, 8 * np.sqrt(3) / 4 * 2 * chamfer**2]
    np.testing.assert_allclose(parts, expected, rtol=1e-9)


@every_size
def test_every_triangle_lies_in_its_plane_and_nothing_lies_beyond(edge: float, chamfer: float) -> None:
    mesh = chamfered_cube(edge, chamfer)
    plane = np.array([edge / 2, edge - chamfer, 3 * edge / 2 - 2 * chamfer])[kinds(mesh) - 1]
    plane /= np.sqrt(kinds(mesh))
    reach = mesh.normals @ mesh.vertices.T
    np.testing.assert_allclose(reach.max(axis=1), plane, rtol=1e-14)
    np.testing.assert_allclose(np.take_along_axis(reach, mesh.triangles, axis=1).T, [plane] * 3, rtol=1e-14)


def test_all_24_rotations_map_the_die_onto_itself_exactly(die: Mesh) -> None:
    corners = {tuple(v) for v in die.vertices.tolist()}
    for rotation in ROTATIONS:
        assert {tuple(v) for v in (die.vertices @ rotation).tolist()} == corners


def test_the_shipped_die_is_the_default(die: Mesh) -> None:
    np.testing.assert_array_equal(die.vertices, chamfered_cube(Die().edge, Chamfer().width).vertices)
    assert np.ptp(die.vertices, axis=0).tolist() == [Die().edge] * 3
    with pytest.raises(FrozenInstanceError):
        die.vertices = die.vertices  # type: ignore[misc]


@pytest.mark.parametrize("build", [chamfered_cube, chamfered_cube_moments])
@pytest.mark.parametrize(
    ("edge", "chamfer", "complaint"),
    [
        (0, 0.001, "edge must be a positive length in metres, not 0"),
        (-1.0, 0.001, "edge must be a positive length in metres, not -1.0"),
        (float("nan"), 0.001, "edge must be a positive length in metres, not nan"),
        (float("inf"), 0.001, "edge must be a positive length in metres, not inf"),
        (0.02, 0.01, "chamfer must be from 0 to below half the edge, 0.01 m, not 0.01"),
        (0.02, -0.001, "chamfer must be from 0 to below half the edge, 0.01 m, not -0.001"),
        (0.02, float("nan"), "chamfer must be from 0 to below half the edge, 0.01 m, not nan"),
    ],
)
def test_impossible_sizes_are_refused(build: object, edge: float, chamfer: float, complaint: str) -> None:
    with pytest.raises(ValueError, match=rf"^{complaint}$"):
        build(edge, chamfer)  # type: ignore[operator]


def test_a_mesh_needs_a_flat_and_a_chamfer_a_width() -> None:
    with pytest.raises(ValueError, match=r"^chamfer must be more than 0 for a mesh[^\n]*$"):
        chamfered_cube(0.02, 0.0)
    with pytest.raises(ValueError, match=r"^width must be a length in metres, 0 or more, not -0.001$"):
        Chamfer(width=-0.001)


# The audit


@every_size
def test_the_die_passes_and_trimesh_agrees(edge: float, chamfer: float) -> None:
    mesh = chamfered_cube(edge, chamfer)
    report, opinion = audit(mesh), second_opinion(mesh)
    assert report.winding.shape == report.outward.shape == (44,)
    assert (report.flagged, report.closed) == ((0, 0), True)
    assert opinion.is_watertight
    assert opinion.is_winding_consistent
    assert opinion.is_volume
    assert opinion.is_convex
    np.testing.assert_allclose(opinion.face_normals, mesh.normals, atol=1e-9)


@every_size
def test_inside_out_is_consistent_with_itself_and_caught_44_times(edge: float, chamfer: float) -> None:
    mesh = broken_copies(chamfered_cube(edge, chamfer))["inside out"]
    report, opinion = audit(mesh), second_opinion(mesh)
    assert report.flagged == (0, 44)
    assert report.closed
    assert opinion.is_watertight
    assert opinion.is_winding_consistent
    assert not opinion.is_volume


def test_each_fault_is_flagged_at_its_triangle(die: Mesh) -> None:
    for t in range(44):
        triangles, normals = die.triangles.copy(), die.normals.copy()
        triangles[t], normals[t] = triangles[t, ::-1], -normals[t]
        for broken in (replace(die, triangles=triangles), replace(die, normals=normals)):
            report = audit(broken)
            assert np.flatnonzero(~report.winding).tolist() == np.flatnonzero(~report.outward).tolist() == [t]
        both = audit(replace(die, triangles=triangles, normals=normals))
        assert both.winding.all()
        assert np.flatnonzero(~both.outward).tolist() == [t]


def test_the_broken_copies_are_broken_and_the_mesh_is_left_alone(die: Mesh) -> None:
    before = (die.vertices.tobytes(), die.triangles.tobytes(), die.normals.tobytes())
    copies = broken_copies(die)
    assert {name: audit(mesh).flagged for name, mesh in copies.items()} == {
        "one winding reversed": (1, 1),
        "one normal reversed": (1, 1),
        "inside out": (0, 44),
    }
    assert [second_opinion(mesh).is_volume for mesh in copies.values()] == [False, True, False]
    assert before == (die.vertices.tobytes(), die.triangles.tobytes(), die.normals.tobytes())


@pytest.mark.parametrize("shift", [(0, 0, 0), (1, 0, 0), (-3, 20, 5)])
def test_the_audit_looks_from_the_solid_and_not_from_the_origin(die: Mesh, shift: tuple[int, ...]) -> None:
    moved = replace(die, vertices=die.vertices + shift)
    assert audit(moved).flagged == (0, 0)
    assert audit(broken_copies(moved)["inside out"]).flagged == (0, 44)


def test_a_hole_and_a_doubled_triangle_are_not_closed(die: Mesh) -> None:
    hole = Mesh(die.vertices, die.triangles[1:], die.normals[1:])
    twice = Mesh(
        die.vertices,
        np.vstack([die.triangles, die.triangles[:1]]),
        np.vstack([die.normals, die.normals[:1]]),
    )
    for mesh in (hole, twice):
        assert audit(mesh).flagged == (0, 0)
        assert not audit(mesh).closed


# Mass properties


@every_size
def test_closed_form_and_mesh_and_trimesh_agree(edge: float, chamfer: float) -> None:
    mesh = chamfered_cube(edge, chamfer)
    formula, ours, theirs = chamfered_cube_moments(edge, chamfer), moments(mesh), second_opinion(mesh)
    np.testing.assert_allclose([ours.volume, theirs.volume], formula.volume, rtol=1e-12)
    size = formula.inertia[0, 0]
    np.testing.assert_allclose(ours.inertia, formula.inertia, rtol=1e-12, atol=1e-12 * size)
    np.testing.assert_allclose(theirs.moment_inertia, formula.inertia, rtol=1e-12, atol=1e-12 * size)
    np.testing.assert_allclose(ours.centre, formula.centre, atol=1e-14 * edge)


@every_size
def test_the_volume_is_the_cube_without_its_edges(edge: float, chamfer: float) -> None:
    expected = edge**3 - 6 * edge * chamfer**2 + 16 / 3 * chamfer**3
    np.testing.assert_allclose(chamfered_cube_moments(edge, chamfer).volume, expected, rtol=1e-13)


def test_the_limits_are_the_cube_and_the_octahedron() -> None:
    cube = chamfered_cube_moments(edge=3.0, chamfer=0.0)
    assert cube.volume == 27
    np.testing.assert_allclose(cube.inertia / cube.volume, np.eye(3) * 3.0**2 / 6, rtol=1e-15)
    octahedron = chamfered_cube_moments(edge=2.0, chamfer=np.nextafter(1.0, 0.0))
    np.testing.assert_allclose(octahedron.volume, 4 / 3, rtol=1e-15)
    np.testing.assert_allclose(octahedron.inertia / octahedron.volume, np.eye(3) / 5, rtol=1e-15)


def test_an_irregular_solid_far_away_has_the_moments_trimesh_finds(lump: Mesh) -> None:
    ours, theirs = moments(lump), second_opinion(lump)
    assert audit(lump).flagged == (0, 0)
    np.testing.assert_allclose(ours.volume, theirs.volume, rtol=1e-10)
    np.testing.assert_allclose(ours.centre, theirs.center_mass, rtol=1e-10)
    np.testing.assert_allclose(ours.inertia, theirs.moment_inertia, rtol=1e-8, atol=1e-8 * ours.inertia.max())


def test_inside_out_changes_the_sign_and_keeps_the_centre(lump: Mesh) -> None:
    ours, reversed_ = moments(lump), moments(broken_copies(lump)["inside out"])
    np.testing.assert_allclose(reversed_.volume, -ours.volume)
    np.testing.assert_allclose(reversed_.centre, ours.centre)
    np.testing.assert_allclose(reversed_.inertia, -ours.inertia)


def test_what_bounds_no_volume_has_no_moments(die: Mesh) -> None:
    hole = Mesh(die.vertices, die.triangles[1:], die.normals[1:])
    for mesh in (hole, broken_copies(die)["one winding reversed"]):
        with pytest.raises(ValueError, match=r"^mesh must be closed[^\n]*$"):
            moments(mesh)


# Export


@pytest.mark.parametrize("name", ["die.stl", "die.obj", "DIE.STL"])
def test_an_exported_die_reads_back_as_the_same_solid(die: Mesh, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("what stood here before")
    export(die, tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    back = trimesh.load_mesh(tmp_path / name)
    assert (len(back.faces), len(back.vertices)) == (44, 24)
    assert back.is_volume
    np.testing.assert_allclose(back.volume, moments(die).volume, rtol=1e-5)
    np.testing.assert_allclose(np.ptp(back.vertices, axis=0), Die().edge, rtol=1e-6)


@pytest.mark.parametrize("name", ["die.ply", "die", "die.stl.txt", ".stl"])
def test_another_ending_is_refused_and_nothing_written(die: Mesh, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=rf"^a mesh is written to \.stl or \.obj, not to '{name}'$"):
        export(die, str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_a_missing_trimesh_is_said_in_one_line(die: Mesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(ImportError, match=r"^[^\n]*fairdice\[mesh\][^\n]*$"):
        export(die, tmp_path / "die.stl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", ["write_bytes", "replace"])
def test_a_failed_export_leaves_the_old_file_whole(
    die: Mesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    target = tmp_path / "die.stl"
    target.write_bytes(b"old")

    def fail(path: Path, *_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, step, fail)
    with pytest.raises(OSError, match="disk full"):
        export(die, target)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("die.stl", b"old")]


def test_importing_the_module_does_not_load_trimesh() -> None:
    program = "import sys, dicesim.meshes; print(sorted({'trimesh', 'scipy', 'numba'} & set(sys.modules)))"
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", program], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
