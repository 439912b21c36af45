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
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Function = TypeVar("Function", bound=Callable[..., Any])

X, Y, Z, VX, VY, VZ, WX, WY, WZ, Q = range(10)
SIZE = 13
NEVER = 1e300
LEVEL = 1e-11  # heights that differ by less than this share of the edge are the same
STILL = 1e-12  # m/s; what leaves the table is faster
TRIES = 6  # how often a step that ends with a landing is taken again, with the kick of gravity for its own length
CLOSE = 1e-6
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


def jit(function: Function) -> Function:
    """Compile on first use, and keep the machine code where that can be done."""
    try:
        return cast(Function, numba.njit(nogil=True, cache=True)(function))
    except RuntimeError:  # nowhere to keep it
        return cast(Function, numba.njit(nogil=True)(function))


# Free flight
# With w the spin, k its direction and r a corner seen from the centre, the corner's height at time t is
#     z + v t - g t^2 / 2 + B + C cos(w t) + S sin(w t),  B = k_z (k . r),  C = r_z - B,  S = (k x r)_z.
# Its second derivative -g - w^2 A cos(w t + phi), A^2 = C^2 + S^2, vanishes at known times. Between two of them the
# derivative is monotone and so has at most one zero; on either side of it the height is monotone and so has at most
# one root. All roots are found this way. With g = 0 it is the motion of one step on the table.


@jit
def height(c: Floats, t: float) -> float:
    """Height of a corner with coefficients z, v, g, w, B, C, S."""
    return c[0] + t * (c[1] - 0.5 * c[2] * t) + c[4] + c[5] * math.cos(c[3] * t) + c[6] * math.sin(c[3] * t)


@jit
def climb(c: Floats, t: float) -> float:
    """Its derivative."""
    return c[1] - c[2] * t + c[3] * (c[6] * math.cos(c[3] * t) - c[5] * math.sin(c[3] * t))


@jit
def value(c: Floats, t: float, derivative: bool) -> float:
    """The height, or its derivative."""
    return climb(c, t) if derivative else height(c, t)


@jit
def zero(c: Floats, derivative: bool, a: float, b: float) -> float:
    """Where the height or its derivative, of opposite signs at a and b, is zero, to the last bit.

    The secant with the weight of an end halved that stays (Illinois); the middle, where that leaves the interval, and
    every third time.
    """
    fa, fb = value(c, a, derivative), value(c, b, derivative)
    for n in range(200):
        t = 0.5 * (a + b)
        if n % 3 < 2 and fa != fb:
            secant = (a * fb - b * fa) / (fb - fa)
            t = secant if min(a, b) < secant < max(a, b) else t
        if t == a or t == b:
            break
        ft = value(c, t, derivative)
        if ft == 0.0:
            return t
        if (ft > 0.0) == (fb > 0.0):
            fa *= 0.5
        else:
            a, fa = b, fb
        b, fb = t, ft
    return b


@jit
def fall_between(c: Floats, a: float, b: float) -> float:
    """Where a monotone height falls through 0."""
    high, low = height(c, a), height(c, b)
    if low > 0.0 or low >= high:
        return NEVER
    return zero(c, False, a, b) if high > 0.0 else a


@jit
def root_between(c: Floats, a: float, b: float) -> float:
    """First fall through 0 in an interval on which the derivative is monotone."""
    if (climb(c, a) > 0.0) == (climb(c, b) > 0.0):
        return fall_between(c, a, b)
    turning = zero(c, True, a, b)
    t = fall_between(c, a, turning)
    return t if t < NEVER else fall_between(c, turning, b)


@jit
def landing(c: Floats, start: float, end: float) -> float:
    """First time from start to end at which a corner falls through 0."""
    size, w = math.hypot(c[5], c[6]), c[3]
    if start >= end:
        return NEVER
    if size * w * w <= c[2] or size * w == 0.0:
        return root_between(c, start, end)
    bend, phase = math.acos(-c[2] / (size * w * w)), math.atan2(-c[6], c[5])
    a, turn = start, math.floor((w * start + phase) / (2.0 * math.pi))
    while True:
        for angle in (-bend, bend, 2.0 * math.pi - bend):
            b = min((angle + 2.0 * math.pi * turn - phase) / w, end)
            if b > a:
                t = root_between(c, a, b)
                if t < NEVER or b == end:
                    return t
                a = b
        turn += 1.0


@jit
def coefficients(s: Floats, r: Floats, gravity: float, c: Floats) -> None:
    """What `height` takes, for a corner r."""
    w = math.sqrt(s[WX] ** 2 + s[WY] ** 2 + s[WZ] ** 2)
    kx, ky, kz = (s[WX] / w, s[WY] / w, s[WZ] / w) if w > 0.0 else (0.0, 0.0, 1.0)
    steady = kz * (kx * r[0] + ky * r[1] + kz * r[2])
    c[0], c[1], c[2], c[3] = s[Z], s[VZ], gravity, w
    c[4], c[5], c[6] = steady, r[2] - steady, kx * r[1] - ky * r[0]


@jit
def first_landing(s: Floats, r: Floats, but: Flags, gravity: float, start: float, end: float) -> float:
    """When the first corner lands, those left out that rest."""
    first, found, c = end, NEVER, np.empty(7)
    far = math.sqrt((s[WX] ** 2 + s[WY] ** 2 + s[WZ] ** 2) * (r[0, 0] ** 2 + r[0, 1] ** 2 + r[0, 2] ** 2))
    for i in range(8):
        reach = (abs(s[VZ]) + gravity * first + far) * first  # farther than this it does not get
        if not but[i] and s[Z] + r[i, 2] <= reach:
            coefficients(s, r[i], gravity, c)
            t = landing(c, start, first)
            if t < NEVER:
                first = found = t
    return found


@jit
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


@jit
def fly(s: Floats, gravity: float, t: float) -> None:
    """Move for a time, under gravity or without."""
    s[X] += t * s[VX]
    s[Y] += t * s[VY]
    s[Z] += t * s[VZ] - 0.5 * gravity * t * t
    s[VZ] -= gravity * t
    turn(s, t * s[WX], t * s[WY], t * s[WZ])


@jit
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
# The normal speed of a corner r is v_z + w_x r_y - w_y r_x, and an impulse j on a corner i changes that of corner k by
# (1 + (x_i x_k + y_i y_k) / I) j, with I = edge^2 / 6. Moreau's law: with v' the velocity after the smallest impulses,
# none pulling, after which no touching corner approaches, restitution e gives v' - e (v - v'): the impulses times 1 + e.


@jit
def speed(s: Floats, r: Floats) -> float:
    """Upward speed of a corner."""
    return s[VZ] + s[WX] * r[1] - s[WY] * r[0]


@jit
def coupling(a: Floats, b: Floats, inertia: float) -> float:
    """How an impulse on one corner moves another."""
    return 1.0 + (a[0] * b[0] + a[1] * b[1]) / inertia


@jit
def solves(s: Floats, r: Floats, on: Flags, j: Floats, inertia: float) -> bool:
    """Whether impulses, none pulling, leave no touching corner approaching."""
    slack = LEVEL * (abs(s[VZ]) + inertia**0.5 * (abs(s[WX]) + abs(s[WY])))
    for k in range(8):
        if on[k]:
            after = speed(s, r[k])
            for i in range(8):
                after += coupling(r[k], r[i], inertia) * j[i]
            if j[k] < 0.0 or after < -slack:
                return False
    return True


@jit
def pressed(s: Floats, r: Floats, on: Flags, inertia: float, j: Floats) -> bool:
    """Find the impulses on no corner, one, or two, that do; False if only stopping the whole face does."""
    j[:] = 0.0
    if solves(s, r, on, j, inertia):
        return True
    for i in range(8):
        if on[i]:
            j[i] = -speed(s, r[i]) / coupling(r[i], r[i], inertia)
            if solves(s, r, on, j, inertia):
                return True
            j[i] = 0.0
    for i in range(8):
        for k in range(i):
            if on[i] and on[k]:
                ii, kk = coupling(r[i], r[i], inertia), coupling(r[k], r[k], inertia)
                ik, ni, nk = coupling(r[i], r[k], inertia), speed(s, r[i]), speed(s, r[k])
                j[i] = (ik * nk - kk * ni) / (ii * kk - ik * ik)
                j[k] = (ik * ni - ii * nk) / (ii * kk - ik * ik)
                if solves(s, r, on, j, inertia):
                    return True
                j[i] = j[k] = 0.0
    return False


@jit
def press(s: Floats, r: Floats, on: Flags, bounce: float, inertia: float, at: Floats) -> bool:
    """Moreau's law: the normal impulse, its centre and the mean arm about it go to `at`; whether the face is stopped."""
    j = np.zeros(8)
    if not pressed(s, r, on, inertia, j):
        at[0], at[1], at[2] = -(1.0 + bounce) * s[VZ], -inertia * s[WY] / s[VZ], inertia * s[WX] / s[VZ]
        for f in (VZ, WX, WY):
            s[f] *= -bounce
        return True
    at[:] = 0.0
    for i in range(8):
        push = (1.0 + bounce) * j[i]
        at[0] += push
        at[1] += push * r[i, 0]
        at[2] += push * r[i, 1]
    s[VZ] += at[0]
    s[WX] += at[2] / inertia
    s[WY] -= at[1] / inertia
    if at[0] > 0.0:
        at[1] /= at[0]
        at[2] /= at[0]
        for i in range(8):
            at[3] += (1.0 + bounce) * j[i] / at[0] * math.hypot(r[i, 0] - at[1], r[i, 1] - at[2])
    return False


# Friction is one impulse at the centre of pressure, against the slip, at most what stops it and at most friction times
# the normal impulse; and the same against the spin about the vertical, with the mean arm. A face that is stopped whole
# slides as a block while its centre of pressure, which that moves forward, is inside it.


@jit
def inside(s: Floats, r: Floats, on: Flags, x: float, y: float, edge: float, ab: Floats) -> bool:
    """Whether a point is inside the touching face, and its coordinates there, from -1 to 1."""
    first, found = -1, 0
    for i in range(8):
        if on[i] and first < 0:
            first = i
        elif on[i] and found < 2:  # a neighbour of the first, a whole edge away, not the corner opposite
            ux, uy = r[i, 0] - r[first, 0], r[i, 1] - r[first, 1]
            if ux * ux + uy * uy < 1.5 * edge * edge:
                along = (x - r[first, 0]) * ux + (y - r[first, 1]) * uy
                ab[found] = 2.0 * along / (ux * ux + uy * uy) - 1.0
                found += 1
    return abs(ab[0]) <= 1.0 and abs(ab[1]) <= 1.0


@jit
def rub(s: Floats, r: Floats, on: Flags, m: Model, at: Floats, whole: bool) -> None:
    """Friction for the normal impulse, centre and mean arm of `press`."""
    inertia, limit, ab = m.edge**2 / 6.0, m.friction * at[0], np.zeros(2)
    x, y, z, arm = at[1], at[2], -s[Z], at[3]
    block = False
    if whole:
        v = math.hypot(s[VX], s[VY])
        ahead = -z * min(limit, v) / (at[0] * v) if v > 0.0 else 0.0
        block = inside(s, r, on, x + ahead * s[VX], y + ahead * s[VY], m.edge, ab)
        inside(s, r, on, x, y, m.edge, ab)
        arm = 0.5 * m.edge * math.hypot(1.0 - ab[0] ** 2, 1.0 - ab[1] ** 2)
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


@jit
def strike(s: Floats, r: Floats, on: Flags, m: Model, restitution: float) -> None:
    """Normal impulse, friction, and what makes good that friction may leave a corner approaching."""
    at, inertia = np.zeros(4), m.edge**2 / 6.0
    whole = press(s, r, on, restitution, inertia, at)
    rub(s, r, on, m, at, whole)
    press(s, r, on, 0.0, inertia, at)


# On the table


@jit
def energy(s: Floats, m: Model) -> float:
    """Energy per unit mass."""
    square = s[VX] ** 2 + s[VY] ** 2 + s[VZ] ** 2
    return 0.5 * square + m.edge**2 / 12.0 * (s[WX] ** 2 + s[WY] ** 2 + s[WZ] ** 2) + m.gravity * s[Z]


@jit
def kicked(s: Floats, r: Floats, on: Flags, m: Model, h: float) -> None:
    """What a step on the table does to the velocity."""
    s[VZ] -= m.gravity * h
    fade = max(1.0 - m.spin_damping * h, 0.0)
    for f in (WX, WY, WZ):
        s[f] *= fade
    strike(s, r, on, m, 0.0)


@jit
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


@jit
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


@jit
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


@jit
def approach(s: Floats, r: Floats, on: Flags) -> float:
    """How fast the fastest touching corner approaches; below 0 if all rise, far below if none touches."""
    fastest = -NEVER
    for i in range(8):
        fastest = max(fastest, -speed(s, r[i])) if on[i] else fastest
    return fastest


@jit
def up_face(s: Floats, axes: Floats) -> int:
    """The side on top; the body axes are rows of `axes`, as they were at the release."""
    now, best = np.empty((3, 3)), 0
    rotated(s, axes, now)
    for k in range(3):
        best = k if abs(now[k, 2]) > abs(now[best, 2]) else best
    return 2 * best + (1 if now[best, 2] < 0.0 else 0)


@jit
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


@jit
def throw(row: Floats, body: Floats, m: Model, step: float, out: Floats) -> None:
    """Throw to rest; what `throws` gives."""
    s, r, on = np.zeros(SIZE), np.empty((8, 3)), np.zeros(8, np.bool_)
    s[:Q], s[Q] = row[:Q], 1.0
    time, contacts, axes = 0.0, 0, row[9:].reshape(3, 3)
    rotated(s, body, r)
    join(s, r, on, m.edge)
    out[:] = -1.0
    while time < m.time_limit:
        if approach(s, r, on) > m.micro_bounce_speed:
            strike(s, r, on, m, m.restitution)
            contacts += 1
            continue
        time += advance(s, body, r, on, m, step)
        if out[3] < 0.0 and energy(s, m) < m.gravity * m.edge * math.sqrt(0.5):
            out[3], out[4] = time, up_face(s, axes)
        if on.sum() == 4 and s[VZ] == s[WX] == s[WY] == 0.0:
            slowing = m.friction * m.gravity
            slide = math.hypot(s[VX], s[VY]) / slowing
            spin = abs(s[WZ]) * m.edge / (slowing * 3.0 * math.sqrt(2.0))
            out[0], out[1], out[2] = up_face(s, axes), contacts, time + max(slide, spin)
            out[3], out[4] = (time, out[0]) if out[3] < 0.0 else (out[3], out[4])
            return


@jit
def throw_each(rows: Floats, bodies: Floats, m: Model, step: float, out: Floats) -> None:
    """Throw one after another."""
    for k in range(len(rows)):
        throw(rows[k], bodies[k], m, step, out[k])


def throws(rows: Floats, m: Model, step: float) -> Floats:
    """Throw to rest, with steps on the table of a given length.

    Rows hold position, velocity, angular velocity, then body axis by body axis. For each comes back the face, the number
    of impacts, the time at rest, and the time and the face when the energy was first below that of the lowest saddle;
    -1 where the time limit came first.
    """
    bodies, out = 0.5 * m.edge * SIGNS @ rows[:, 9:].reshape(-1, 3, 3), np.empty((len(rows), 5))
    throw_each(rows, bodies, m, step, out)
    return out
