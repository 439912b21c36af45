"""A reference for the simulator: one cube thrown onto a table, its landings found as certified roots.

It computes the same model by other means. Free flight is a closed form and a landing the first root of a corner's
height, isolated so that none can be missed. What touches is a set that is kept, not a band of heights: a corner joins
when it lands and leaves when it rises. An impulse is the solution of a linear complementarity problem, found by trying
every set of pressed corners. A die that the table carries is moved in short steps, put back onto the table exactly
after each; their length is the one number by which the motion is approximated.

Units are SI and everything is per unit mass. A state is an array: position, velocity, angular velocity, and the turn
since the release as a quaternion, scalar first. Faces 0 to 5 are +x -x +y -y +z -z, and the face of a throw is on top.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.oracles.landings import NEVER, Curve, landing

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

X, Y, Z, VX, VY, VZ, WX, WY, WZ, Q = range(10)
SIZE = 13
LEVEL = 1e-11  # heights that differ by less than this share of the edge are the same
TRIES = 20  # how often a step on the table that ends with a landing is taken again
CLOSE = 1e-6  # share of itself to which the length of such a step is found
SIGNS = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


class Model(NamedTuple):
    """What is thrown onto what."""

    edge: float
    gravity: float
    restitution: float
    friction: float
    micro_bounce_speed: float
    spin_damping: float
    time_limit: float


def curve(s: Floats, r: Floats, gravity: float) -> Curve:
    """What `height` takes, for a corner r."""
    w = math.sqrt(s[WX] ** 2 + s[WY] ** 2 + s[WZ] ** 2)
    kx, ky, kz = (s[WX] / w, s[WY] / w, s[WZ] / w) if w > 0.0 else (0.0, 0.0, 1.0)
    steady = kz * (kx * r[0] + ky * r[1] + kz * r[2])
    return s[Z], s[VZ], gravity, w, steady, r[2] - steady, kx * r[1] - ky * r[0]


def first_landing(s: Floats, r: Floats, but: Flags, gravity: float, start: float, end: float) -> float:
    """When the first corner lands, those left out that rest."""
    first, found = end, NEVER
    far = math.sqrt((s[WX] ** 2 + s[WY] ** 2 + s[WZ] ** 2) * (r[0, 0] ** 2 + r[0, 1] ** 2 + r[0, 2] ** 2))
    for i in range(8):
        reach = (abs(s[VZ]) + gravity * first + far) * first  # farther than this it does not get
        if not but[i] and s[Z] + r[i, 2] <= reach:
            t = landing(curve(s, r[i], gravity), start, first)
            if t < NEVER:
                first = found = t
    return found


def turn(s: Floats, x: float, y: float, z: float) -> None:
    """Turn the die by a vector."""
    angle = math.sqrt(x * x + y * y + z * z)
    share = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
    a, b, c, d = math.cos(0.5 * angle), share * x, share * y, share * z
    p, q, u, v = s[Q], s[Q + 1], s[Q + 2], s[Q + 3]
    s[Q] = a * p - b * q - c * u - d * v
    s[Q + 1] = a * q + b * p + c * v - d * u
    s[Q + 2] = a * u - b * v + c * p + d * q
    s[Q + 3] = a * v + b * u - c * q + d * p
    s[Q:] /= math.sqrt(s[Q] ** 2 + s[Q + 1] ** 2 + s[Q + 2] ** 2 + s[Q + 3] ** 2)


def fly(s: Floats, gravity: float, t: float) -> None:
    """Move for a time, under gravity or without."""
    s[X] += t * s[VX]
    s[Y] += t * s[VY]
    s[Z] += t * s[VZ] - 0.5 * gravity * t * t
    s[VZ] -= gravity * t
    turn(s, t * s[WX], t * s[WY], t * s[WZ])


def rotated(s: Floats, vectors: Floats, out: Floats) -> None:
    """Turn vectors as the die has turned since the release."""
    a, b, c, d = s[Q], s[Q + 1], s[Q + 2], s[Q + 3]
    for i in range(len(vectors)):
        x, y, z = vectors[i]
        p, q, u = 2.0 * (c * z - d * y), 2.0 * (d * x - b * z), 2.0 * (b * y - c * x)
        out[i, 0] = x + a * p + (c * u - d * q)
        out[i, 1] = y + a * q + (d * p - b * u)
        out[i, 2] = z + a * u + (b * q - c * p)


# Contact
# The normal speed of a corner r is v_z + w_x r_y - w_y r_x, and an impulse j on corner i changes that of corner k by
# (1 + (x_i x_k + y_i y_k) / I) j, with I = edge^2 / 6. Moreau's law: with v' the velocity after least impulses, none
# pulling, after which no touching corner approaches, restitution e gives v' - e (v - v'): those impulses times 1 + e.


def speed(s: Floats, r: Floats) -> float:
    """Upward speed of a corner."""
    return s[VZ] + s[WX] * r[1] - s[WY] * r[0]


def coupling(a: Floats, b: Floats, inertia: float) -> float:
    """How an impulse on one corner moves another."""
    return 1.0 + (a[0] * b[0] + a[1] * b[1]) / inertia


def solves(s: Floats, r: Floats, on: Flags, inertia: float, i: int, a: float, k: int, b: float) -> bool:
    """Whether an impulse a on corner i and b on corner k, none pulling, leave no touching corner approaching."""
    slack = LEVEL * (abs(s[VZ]) + math.sqrt(inertia) * (abs(s[WX]) + abs(s[WY])))
    if a < 0.0 or b < 0.0:
        return False
    for n in range(8):
        if on[n]:
            rise = speed(s, r[n]) + a * coupling(r[n], r[i], inertia) + b * coupling(r[n], r[k], inertia)
            if rise < -slack:
                return False
    return True


def pressed(s: Floats, r: Floats, on: Flags, inertia: float) -> tuple[int, float, int, float]:
    """Find the impulses that do, on no corner, one, or two: corner, impulse, corner, impulse.

    Corners are -1 if there are none and only stopping the whole face does.
    """
    if solves(s, r, on, inertia, 0, 0.0, 0, 0.0):
        return 0, 0.0, 0, 0.0
    for i in range(8):
        if on[i]:
            a = -speed(s, r[i]) / coupling(r[i], r[i], inertia)
            if solves(s, r, on, inertia, i, a, i, 0.0):
                return i, a, i, 0.0
    for i in range(8):
        for k in range(i):
            if on[i] and on[k] and (i ^ k in (1, 2, 4) or on.sum() == 2):  # not across a face, which stops it whole
                ii, kk = coupling(r[i], r[i], inertia), coupling(r[k], r[k], inertia)
                ik, ni, nk = coupling(r[i], r[k], inertia), speed(s, r[i]), speed(s, r[k])
                a, b = (ik * nk - kk * ni) / (ii * kk - ik * ik), (ik * ni - ii * nk) / (ii * kk - ik * ik)
                if solves(s, r, on, inertia, i, a, k, b):
                    return i, a, k, b
    return -1, 0.0, -1, 0.0


def press(s: Floats, r: Floats, on: Flags, bounce: float, inertia: float) -> tuple[float, float, float, float, bool]:
    """Moreau's law: the normal impulse, its centre x, y, the mean arm about it, and whether the face is stopped."""
    i, a, k, b = pressed(s, r, on, inertia)
    if i < 0:
        push, x, y = -(1.0 + bounce) * s[VZ], -inertia * s[WY] / s[VZ], inertia * s[WX] / s[VZ]
        for f in (VZ, WX, WY):
            s[f] *= -bounce
        return push, x, y, 0.0, True
    push = (1.0 + bounce) * (a + b)
    if push == 0.0:
        return 0.0, 0.0, 0.0, 0.0, False
    share = a / (a + b)
    x, y = share * r[i, 0] + (1.0 - share) * r[k, 0], share * r[i, 1] + (1.0 - share) * r[k, 1]
    s[VZ] += push
    s[WX] += push * y / inertia
    s[WY] -= push * x / inertia
    return push, x, y, 2.0 * share * (1.0 - share) * math.hypot(r[i, 0] - r[k, 0], r[i, 1] - r[k, 1]), False


# Friction is one impulse at the centre of pressure, against the slip, at most what stops it and at most friction times
# the normal impulse; and the same against the spin about the vertical, with the mean arm. A face that is stopped whole
# slides as a block while its centre of pressure, which that moves forward, is inside it.


def place(r: Floats, on: Flags, x: float, y: float, edge: float) -> tuple[float, float]:
    """Coordinates of a point on the touching face, from -1 to 1 inside it."""
    first, a, b = -1, NEVER, NEVER
    for i in range(8):
        if on[i] and first < 0:
            first = i
        elif on[i]:
            ux, uy = r[i, 0] - r[first, 0], r[i, 1] - r[first, 1]
            if ux * ux + uy * uy < 1.5 * edge * edge:  # a neighbour of the first corner, not the one across
                along = ((x - r[first, 0]) * ux + (y - r[first, 1]) * uy) / (ux * ux + uy * uy)
                a, b = 2.0 * along - 1.0, a
    return a, b


def rub(s: Floats, r: Floats, on: Flags, m: Model, push: float, x: float, y: float, arm: float, whole: bool) -> None:
    """Friction, for what `press` gives."""
    inertia, limit, z, block = m.edge**2 / 6.0, m.friction * push, -s[Z], False
    if whole:
        v = math.hypot(s[VX], s[VY])
        ahead = -z * min(limit, v) / (push * v) if v > 0.0 else 0.0
        a, b = place(r, on, x + ahead * s[VX], y + ahead * s[VY], m.edge)
        block = abs(a) <= 1.0 and abs(b) <= 1.0
        a, b = place(r, on, x, y, m.edge)
        arm = 0.5 * m.edge * math.hypot(1.0 - a * a, 1.0 - b * b)
        if block:
            share = 1.0 - limit / v if v > limit else 0.0
            s[VX] *= share
            s[VY] *= share
    slip_x, slip_y = s[VX] + s[WY] * z - s[WZ] * y, s[VY] + s[WZ] * x - s[WX] * z
    slip = math.hypot(slip_x, slip_y)
    if slip > 0.0 and not block:
        dx, dy = slip_x / slip, slip_y / slip
        j = min(limit, slip / (1.0 + (z * z + (x * dy - y * dx) ** 2) / inertia))
        s[VX] -= j * dx
        s[VY] -= j * dy
        s[WX] += z * j * dy / inertia
        s[WY] -= z * j * dx / inertia
        s[WZ] -= (x * dy - y * dx) * j / inertia
    slowed = max(abs(s[WZ]) - limit * arm / inertia, 0.0)
    s[WZ] = math.copysign(slowed, s[WZ])


def strike(s: Floats, r: Floats, on: Flags, m: Model, restitution: float) -> None:
    """Normal impulse, friction, and what makes good that friction may leave a corner approaching."""
    inertia = m.edge**2 / 6.0
    push, x, y, arm, whole = press(s, r, on, restitution, inertia)
    if push > 0.0:
        rub(s, r, on, m, push, x, y, arm, whole)
        press(s, r, on, 0.0, inertia)


# On the table


def energy(s: Floats, m: Model) -> float:
    """Energy per unit mass."""
    square = s[VX] ** 2 + s[VY] ** 2 + s[VZ] ** 2
    return 0.5 * square + m.edge**2 / 12.0 * (s[WX] ** 2 + s[WY] ** 2 + s[WZ] ** 2) + m.gravity * s[Z]


def kicked(s: Floats, r: Floats, on: Flags, m: Model, h: float) -> None:
    """What a step on the table does to the velocity."""
    s[VZ] -= m.gravity * h
    fade = max(1.0 - m.spin_damping * h, 0.0)
    for f in (WX, WY, WZ):
        s[f] *= fade
    strike(s, r, on, m, 0.0)


def carry(s: Floats, r: Floats, on: Flags, m: Model, step: float) -> float:
    """Move a die on the table for a step, or until another corner lands; the time that took.

    The kick of gravity must be for the time of the move. The time of a landing falls as the kick grows, so a step that
    ends with one is taken again, with kicks between one that is too long and one that is too short.
    """
    start, h, short, long, lands = s.copy(), step, 0.0, step, NEVER
    for _ in range(TRIES):
        s[:] = start
        kicked(s, r, on, m, h)
        lands = first_landing(s, r, on, 0.0, 0.0, step)
        if (lands == NEVER and h == step) or abs(lands - h) <= CLOSE * h:
            break
        short, long = (short, h) if lands < h else (h, long)
        h = lands if short < lands < long else math.sqrt(max(short, CLOSE * long) * long)
    h = h if lands == NEVER else lands
    for i in range(8):
        on[i] = on[i] and speed(s, r[i]) <= m.gravity * step
    fly(s, 0.0, h)
    return h


def settle(s: Floats, body: Floats, r: Floats, on: Flags) -> None:
    """Put what touches on the table: a face or an edge made level, by a small turn, and its height 0."""
    touching = 0
    mean, along, first = np.zeros(3), np.zeros(3), -1
    for i in range(8):
        if on[i]:
            touching += 1
            mean += r[i]
            along = r[i] - r[first] if first >= 0 else along
            first = i
    if touching > 2:  # turn the face's normal downward
        level = math.hypot(mean[0], mean[1])
        angle = math.atan2(level, -mean[2])
        if level > 0.0:
            turn(s, -mean[1] / level * angle, mean[0] / level * angle, 0.0)
    elif touching == 2:
        level = math.hypot(along[0], along[1])
        angle = -math.atan2(along[2], level)
        turn(s, along[1] / level * angle, -along[0] / level * angle, 0.0)
    rotated(s, body, r)
    if touching > 0:
        low = 0.0
        for i in range(8):
            low = min(low, r[i, 2]) if on[i] else low
        s[Z] = -low


def join(s: Floats, r: Floats, on: Flags, edge: float) -> None:
    """Let those corners touch that have landed; three corners of a face are all of it."""
    for i in range(8):
        on[i] = on[i] or s[Z] + r[i, 2] <= LEVEL * edge
    if on.sum() > 2:
        for bit in (1, 2, 4):  # of a corner's number: its sign along one axis
            positive, negative = 0, 0
            for i in range(8):
                positive += on[i] and i & bit > 0
                negative += on[i] and i & bit == 0
            if positive == 0 or negative == 0:
                for i in range(8):
                    on[i] = (i & bit > 0) == (positive > 0)


def approach(s: Floats, r: Floats, on: Flags) -> float:
    """How fast the fastest touching corner approaches; below 0 if all rise, far below if none touches."""
    fastest = -NEVER
    for i in range(8):
        fastest = max(fastest, -speed(s, r[i])) if on[i] else fastest
    return fastest


def up_face(s: Floats, axes: Floats) -> int:
    """The side on top; the body axes are rows of `axes`, as they were at the release."""
    now, best = np.empty((3, 3)), 0
    rotated(s, axes, now)
    for k in range(3):
        best = k if abs(now[k, 2]) > abs(now[best, 2]) else best
    return 2 * best + (1 if now[best, 2] < 0.0 else 0)


def advance(s: Floats, body: Floats, r: Floats, on: Flags, m: Model, step: float) -> float:
    """One move, on the table or through the air to the next landing; the time it took."""
    if approach(s, r, on) > -m.gravity * step:  # what rises more slowly than gravity acts in a step stays
        h = carry(s, r, on, m, step)
    else:
        on[:] = False
        v, reach = s[VZ], 0.5 * m.edge * math.sqrt(3.0)
        start = (v + math.sqrt(v * v + 2.0 * m.gravity * (s[Z] - reach))) / m.gravity if s[Z] > reach else 0.0
        end = (v + math.sqrt(v * v + 2.0 * m.gravity * s[Z])) / m.gravity
        h = first_landing(s, r, on, m.gravity, start, end)
        fly(s, m.gravity, h)
    rotated(s, body, r)
    join(s, r, on, m.edge)
    settle(s, body, r, on)
    join(s, r, on, m.edge)
    return h


def throw(row: Floats, m: Model, step: float, to_rest: bool, out: Floats) -> None:
    """Throw once; what `throws` gives."""
    s, r, on = np.zeros(SIZE), np.empty((8, 3)), np.zeros(8, np.bool_)
    s[:Q], s[Q] = row[:Q], 1.0
    axes, body = row[9:].reshape(3, 3), np.empty((8, 3))
    for i in range(8):
        body[i] = 0.5 * m.edge * (SIGNS[i, 0] * axes[0] + SIGNS[i, 1] * axes[1] + SIGNS[i, 2] * axes[2])
    rotated(s, body, r)
    join(s, r, on, m.edge)
    time, contacts, lies, certain = 0.0, 0, False, -1.0
    while time < m.time_limit and not lies and (to_rest or certain < 0.0):
        if approach(s, r, on) > m.micro_bounce_speed:
            strike(s, r, on, m, m.restitution)
            contacts += 1
            continue
        time += advance(s, body, r, on, m, step)
        lies = on.sum() == 4 and s[VZ] == s[WX] == s[WY] == 0.0
        if certain < 0.0 and (lies or energy(s, m) < m.gravity * m.edge * math.sqrt(0.5)):
            certain, out[1] = time, up_face(s, axes)
    slowing = m.friction * m.gravity
    slide, spin = math.hypot(s[VX], s[VY]) / slowing, abs(s[WZ]) * m.edge / (slowing * 3.0 * math.sqrt(2.0))
    out[0], out[2], out[3] = certain, up_face(s, axes), contacts
    out[4] = time + max(slide, spin) if lies else -1.0


def throws(rows: Floats, m: Model, step: float, to_rest: bool) -> Floats:
    """Throw, with steps on the table of a given length, to rest or until the face is certain.

    Rows hold position, velocity, angular velocity, then body axis by body axis. For each comes back when the face was
    certain (the energy below that of the lowest saddle, or flat on the table) and which, -1 if the time limit came
    first; the face at the end; the number of impacts; and when the die was at rest, -1 if it was not.
    """
    out = np.full((len(rows), 5), -1.0)
    for k in range(len(rows)):
        throw(rows[k], m, step, to_rest, out[k])
    return out
