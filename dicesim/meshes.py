"""The die as a surface: the chamfered cube in triangles, its audit, its mass properties, its export.

The throw itself knows a sharp cube; this is the die that is drawn, printed and measured.
"""

import os
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from dicesim._files import write_whole
from dicesim.parameters import Die, Tagged

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Chamfer:
    """The flat that takes the place of each edge of the die, at 45 degrees to both faces.

    Parameters
    ----------
    width : float
        Distance in metres that is cut from the edge along each adjoining face (the flat is √2 times as wide).

    Examples
    --------
    >>> Chamfer()
    Chamfer(width=0.0015)
    """

    width: Annotated[
        float,
        Tagged("m", "reconstructed", "after backgammon dice, like the source's; width chosen, 8 % of edge"),
    ] = 0.0015

    def __post_init__(self) -> None:
        if not 0 <= self.width < np.inf:
            raise ValueError(f"width must be a length in metres, 0 or more, not {self.width}")


@dataclass(frozen=True, eq=False)
class Mesh:
    """A closed surface of triangles.

    Parameters
    ----------
    vertices : ndarray, shape (v, 3)
        Corner positions in metres.
    triangles : ndarray of int, shape (t, 3)
        Vertex indices, counterclockwise seen from outside.
    normals : ndarray, shape (t, 3)
        Outward unit normals, kept apart from the winding so that each can be held against the other.

    Examples
    --------
    >>> mesh = chamfered_cube()
    >>> len(mesh.vertices), len(mesh.triangles)
    (24, 44)
    """

    vertices: Floats
    triangles: npt.NDArray[np.intp]
    normals: Floats


class MeshAudit(NamedTuple):
    """What `audit` found; True is good.

    Parameters
    ----------
    winding : ndarray of bool, shape (t,)
        The normal computed from the vertex order agrees with the stored one.
    outward : ndarray of bool, shape (t,)
        Both normals, stored and computed, point away from the centre of the solid.
    closed : bool
        Every edge is shared by exactly two triangles.

    Examples
    --------
    >>> audit(chamfered_cube()).closed
    True
    """

    winding: Flags
    outward: Flags
    closed: bool

    @property
    def flagged(self) -> tuple[int, int]:
        """Number of triangles that fail the winding test, and the outward test.

        Examples
        --------
        >>> audit(chamfered_cube()).flagged
        (0, 0)
        """
        return int(np.count_nonzero(~self.winding)), int(np.count_nonzero(~self.outward))


class Moments(NamedTuple):
    """Mass properties of a solid of density 1 kg/m³.

    Parameters
    ----------
    volume : float
        Volume in m³, which is the mass in kg.
    centre : ndarray, shape (3,)
        Centre of mass in metres.
    inertia : ndarray, shape (3, 3)
        Inertia about the centre of mass in kg·m².

    Examples
    --------
    >>> chamfered_cube_moments(edge=2.0, chamfer=0.0).volume
    8.0
    """

    volume: float
    centre: Floats
    inertia: Floats


def chamfered_cube(edge: float = Die().edge, chamfer: float = Chamfer().width) -> Mesh:
    """Build the die: 12 triangles on the 6 faces, 24 on the 12 edge flats, 8 on the corners.

    Where the flats of three edges meet, the corner is cut once more, through the points where they begin.
    The solid is the convex hull of the 24 points (±h, ±b, ±b), (±b, ±h, ±b), (±b, ±b, ±h) with h = edge / 2
    and b = h - chamfer, and centred on the origin.

    Parameters
    ----------
    edge : float
        Distance between opposite faces in metres.
    chamfer : float
        Width in metres as in `Chamfer`, more than 0 and less than half the edge.

    Returns
    -------
    Mesh
        44 triangles on 24 vertices.

    Raises
    ------
    ValueError
        If the sizes leave no face, or no flat.

    Examples
    --------
    >>> audit(chamfered_cube(edge=0.016, chamfer=0.001)).flagged
    (0, 0)
    """
    _verify_sizes(edge, chamfer)
    if chamfer == 0:
        raise ValueError("chamfer must be more than 0 for a mesh: without flats its triangles have no area")
    vertices = np.where(np.abs(_MODEL) == 2, edge / 2, edge / 2 - chamfer) * np.sign(_MODEL)
    normals = _DIRECTIONS / np.linalg.norm(_DIRECTIONS, axis=1, keepdims=True)
    return Mesh(vertices, _TRIANGLES.copy(), normals)


# The chamfered cube in whole numbers, h = 2 and b = 1, which settles once and exactly which vertices make
# which triangle. A flat in direction d (entries -1, 0, 1) holds the vertices v for which d · v is greatest.
# In lexicographic order the four of a rectangle read like a Z, so the middle two span its diagonal.
def _flat(model: npt.NDArray[np.intp], direction: npt.NDArray[np.intp]) -> list[list[int]]:
    reach = model @ direction
    corners = np.flatnonzero(reach == reach.max()).tolist()
    triangles = [corners[:3], corners[:0:-1]] if len(corners) == 4 else [corners]
    a, b, c = model[triangles[0]]
    return triangles if direction @ np.cross(b - a, c - a) > 0 else [t[::-1] for t in triangles]


def _topology() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    grid = np.array(list(product((-2, -1, 1, 2), repeat=3)), dtype=np.intp)
    model = grid[np.sum(np.abs(grid) == 2, axis=1) == 1]
    directions = np.array(list(product((-1, 0, 1), repeat=3)), dtype=np.intp)
    by_kind = np.argsort(np.abs(directions).sum(axis=1), kind="stable")[1:]  # faces, then edges, then corners
    flats = [(triangle, d) for d in directions[by_kind] for triangle in _flat(model, d)]
    triangles, normals = zip(*flats, strict=True)
    return model, np.array(triangles, dtype=np.intp), np.array(normals, dtype=np.intp)


_MODEL, _TRIANGLES, _DIRECTIONS = _topology()


# Closed form. Let b = edge / 2 - c. The solid is the cube |x|, |y|, |z| <= b together with all points whose
# overshoots (|x| - b, |y| - b, |z| - b, where positive) sum to at most c. So its octant x, y, z >= 0 is made
# of products: the interval [0, b] for each coordinate that does not overshoot, and for the k that do the
# simplex u1 + ... + uk <= c, u >= 0, over which 1, u1 and u1² integrate to
#     c^k / k!,   c^(k+1) / (k+1)!,   2 c^(k+2) / (k+2)!
# while x² is (b + u1)² where x overshoots. Sorted by which coordinates do:
#     volume    none b³, one 3 b² c, two 3 b c²/2, three c³/6
#     x²        none b⁵/3,  x alone b² (b² c + b c² + c³/3),  y or z alone 2 b⁴ c/3,
#               x and one more 2 b (b² c²/2 + b c³/3 + c⁴/12),  y and z b³ c²/6,
#               three b² c³/6 + b c⁴/12 + c⁵/60
# There are eight octants, and by symmetry the inertia is twice the integral of x² about every axis. In terms
# of the edge a, the volume is a³ - 6 a c² + 16 c³/3: the cube without 12 prisms of length a and cross section
# c²/2, which overlap at the corners and take 2 c³/3 too much at each. At c = 0, inertia / volume is a²/6.
def chamfered_cube_moments(edge: float = Die().edge, chamfer: float = Chamfer().width) -> Moments:
    """Give the mass properties of the chamfered cube in closed form.

    Parameters
    ----------
    edge : float
        Distance between opposite faces in metres.
    chamfer : float
        Width in metres as in `Chamfer`, less than half the edge; 0 is the sharp cube.

    Returns
    -------
    Moments
        Volume, centre (the origin) and inertia, at density 1 kg/m³.

    Examples
    --------
    >>> sharp = chamfered_cube_moments(edge=3.0, chamfer=0.0)
    >>> bool(np.isclose(sharp.inertia[0, 0] / sharp.volume, 3.0**2 / 6))
    True
    """
    _verify_sizes(edge, chamfer)
    b, c = edge / 2 - chamfer, chamfer
    volume = 8 * (b**3 + 3 * b**2 * c + 3 / 2 * b * c**2 + c**3 / 6)
    x_squared = 8 * (
        b**5 / 3 + 5 / 3 * b**4 * c + 13 / 6 * b**3 * c**2 + 7 / 6 * b**2 * c**3 + b * c**4 / 4 + c**5 / 60
    )
    return Moments(volume, np.zeros(3), 2 * x_squared * np.eye(3))


# Each triangle (p, q, r) spans a tetrahedron with a common apex at the origin, of signed volume d/6 with
# d = p · (q × r). Over it x integrates to d/24 (p + q + r), and x xᵀ to d/120 (s sᵀ + p pᵀ + q qᵀ + r rᵀ)
# with s = p + q + r. Summed over a closed surface, what lies outside the solid cancels.
def moments(mesh: Mesh) -> Moments:
    """Integrate the mass properties of any closed mesh, tetrahedron by tetrahedron.

    Parameters
    ----------
    mesh : Mesh
        A closed surface. The stored normals do not count: a mesh wound inside out has negative volume and
        inertia, whatever they say.

    Returns
    -------
    Moments
        Volume, centre and inertia about it, at density 1 kg/m³.

    Raises
    ------
    ValueError
        If the mesh is not closed, or not wound one way round throughout.

    Examples
    --------
    >>> bool(np.isclose(moments(chamfered_cube()).volume, chamfered_cube_moments().volume))
    True
    """
    if not _is_closed(mesh) or len(np.unique(_edges(mesh), axis=0)) < mesh.triangles.size:
        raise ValueError("mesh must be closed, and any two triangles that share an edge wound the same way")
    middle = mesh.vertices.mean(axis=0)
    corners = mesh.vertices[mesh.triangles] - middle  # an apex near the solid keeps the digits
    d, s = np.linalg.det(corners), corners.sum(axis=1)
    volume = float(d.sum() / 6)
    offset = d @ s / (24 * volume)
    second = (np.einsum("t,ti,tj->ij", d, s, s) + np.einsum("t,tki,tkj->ij", d, corners, corners)) / 120
    second -= volume * np.outer(offset, offset)
    return Moments(volume, middle + offset, np.trace(second) * np.eye(3) - second)


def audit(mesh: Mesh) -> MeshAudit:
    """Check in two ways that the normals of a mesh point outward.

    The winding test holds the stored normals against those computed from the vertex order. An inside-out
    mesh, both reversed, agrees with itself, and this test cannot see it. The outward test holds both against
    the direction from the centre of the solid (the mean of its vertices) to the triangle, and does.

    Parameters
    ----------
    mesh : Mesh
        The surface of a convex solid, or of one that is at least seen whole from its centre.

    Returns
    -------
    MeshAudit
        A flag for each triangle and test, and whether the surface is closed.

    Examples
    --------
    >>> for name, broken in broken_copies(chamfered_cube()).items():
    ...     print(name, audit(broken).flagged)
    one winding reversed (1, 1)
    one normal reversed (1, 1)
    inside out (0, 44)
    """
    corners = mesh.vertices[mesh.triangles]
    computed = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    away = corners.mean(axis=1) - mesh.vertices.mean(axis=0)
    outward = _agree(mesh.normals, away) & _agree(computed, away)
    return MeshAudit(_agree(computed, mesh.normals), outward, _is_closed(mesh))


def broken_copies(mesh: Mesh) -> dict[str, Mesh]:
    """Break a mesh in three ways, to see an audit catch them.

    Parameters
    ----------
    mesh : Mesh
        A sound mesh; it is left as it is.

    Returns
    -------
    dict of str to Mesh
        ``"one winding reversed"``, ``"one normal reversed"`` and ``"inside out"``.

    Examples
    --------
    >>> list(broken_copies(chamfered_cube()))
    ['one winding reversed', 'one normal reversed', 'inside out']
    """
    one_wound, one_pointed = mesh.triangles.copy(), mesh.normals.copy()
    one_wound[0] = one_wound[0, ::-1]
    one_pointed[0] *= -1
    return {
        "one winding reversed": replace(mesh, triangles=one_wound),
        "one normal reversed": replace(mesh, normals=one_pointed),
        "inside out": replace(mesh, triangles=mesh.triangles[:, ::-1], normals=-mesh.normals),
    }


def export(mesh: Mesh, path: str | os.PathLike[str]) -> None:
    """Write a mesh to an STL or OBJ file, in metres.

    The file appears whole or not at all.

    Parameters
    ----------
    mesh : Mesh
        What to write.
    path : str or path-like
        Where to; the ending, ``.stl`` or ``.obj``, says in which format.

    Raises
    ------
    ValueError
        If the ending is another.
    ImportError
        If trimesh is not installed.

    Examples
    --------
    >>> export(chamfered_cube(), "die.ply")
    Traceback (most recent call last):
    ValueError: a mesh is written to .stl or .obj, not to 'die.ply'
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in (".stl", ".obj"):
        raise ValueError(f"a mesh is written to .stl or .obj, not to {target.name!r}")
    try:
        import trimesh
    except ImportError:
        raise ImportError("writing a mesh needs trimesh: pip install 'fairdice[mesh]'") from None
    surface = trimesh.Trimesh(mesh.vertices, mesh.triangles, process=False)
    content = surface.export(file_type=suffix[1:])
    data = content if isinstance(content, bytes) else str(content).encode()
    write_whole(target, lambda part: part.write_bytes(data))


def _verify_sizes(edge: float, chamfer: float) -> None:
    if not 0 < edge < np.inf:
        raise ValueError(f"edge must be a positive length in metres, not {edge}")
    if not 0 <= chamfer < edge / 2:
        raise ValueError(f"chamfer must be from 0 to below half the edge, {edge / 2} m, not {chamfer}")


def _agree(a: Floats, b: Floats) -> Flags:
    return np.asarray(np.einsum("ti,ti->t", a, b) > 0)


def _edges(mesh: Mesh) -> npt.NDArray[np.intp]:
    return mesh.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)


def _is_closed(mesh: Mesh) -> bool:
    _, shared = np.unique(np.sort(_edges(mesh), axis=1), axis=0, return_counts=True)
    return bool(np.all(shared == 2))
