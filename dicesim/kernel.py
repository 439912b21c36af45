"""The jitted core: one step of a block of throws, and the loops that drive it.

Plain numbers and arrays in, fresh arrays out. No defaults, no validation, no randomness; everything is
per unit mass, because the mass of a single die on a fixed table cancels.

Lanes
    A block of `LANES` throws advances together. All their state is one flat buffer ``W``: field ``F`` of
    lane ``i`` is ``W[F + i]``. Every stage is a loop over lanes of straight-line arithmetic with selects
    and no branch, so the compiler turns it into vector instructions. When a throw ends its lane takes the
    next one. A lane never looks at its neighbours, so a throw's bits do not depend on them.

Same bits everywhere
    Only + - x / and the square root are used, and never fast-math: each is exactly rounded, so every
    processor gives the same bits. Sine and cosine are our own polynomials for the same reason.

Symmetry
    A cube turned onto itself is the same cube. Before a throw starts, its three body axes are brought
    into one order and one direction that only geometry decides (`_canonical`); all 24 ways to name them
    then run through the very same numbers, and the final axes are named back. Nothing below asks for the
    handedness of the axes, so a mirrored throw is mirrored too. The horizontal position enters nothing.

One step of one lane is either an *impact*, which takes no time, or a *move*
    1. `_look`    where the die is, what touches, how it may move and for how long.
    2. `_press`   the normal impulse (Moreau's law), with restitution in an impact.
    3. `_rub`     Coulomb friction at the centre of pressure.
    4. `_press`   once more, plastic, so that friction leaves nothing approaching.
    5. `_move`    an exact arc of free flight, or a short slide or roll on the table.

Why the energy never rises, and what that proves
    Let E be the energy per unit mass, v the velocity in the kinetic metric.
    *Arcs* keep E. *Normal impulses*: with P the projection of v onto "nothing approaches" and N = v - P,
    N is orthogonal to P and v becomes P - e N, so the kinetic energy falls by (1 - e^2) |N|^2 / 2.
    *Friction* points against the slip (of a block, against the velocity of its centre) and is at most what
    stops it: it cannot add energy. Its limit holds for sliding and for turning separately.
    *Moves on the table* of duration h take the kick of gravity k = g h first, then the plastic impulses,
    then the displacement h v. With w the velocity after the kick, w = P + N, the energy changes by
        |P + k|^2/2 - |k|^2/2 - |P + N + k|^2/2 = -|N + k|^2/2 <= 0
    (the cross terms cancel because N is orthogonal to P). Friction, being horizontal, takes more, but the press
    after it lifts the die by up to g h j again; what that exceeds, a scaling of the velocity takes back. It
    keeps "nothing approaches", which is a cone.
    A corner sinks below the table by truncation; at the start of a step what is more than the contact band is
    lifted, and the *lift* is paid from the kinetic energy.

    So a die of energy E below that of its lowest saddle stays on its face. The face changes only where the two
    steepest axes are equally steep; there the centre is at least half * sqrt(2) above the lowest corner, so
    g z >= g (half sqrt(2) - d) with d the depth to which a corner may be below the table inside a step.
    At both ends of a step g z <= E; between them z is either linear in time (a move on the table) or on
    an arc of the same E. Hence E < g (half sqrt(2) - d) proves the face.
    For the depth: a step starts with at most the band. Below the saddle the spin obeys
    I w^2 / 2 <= g (half (sqrt(2) - 1) + d), so with I = 2 half^2 / 3 and a small d a corner accelerates by at
    most g + w^2 R, about g (1 + 3 sqrt(3) (sqrt(2) - 1)) < 3.2 g, and sinks by half of that times h^2. It may
    sink besides by the speed that it has; but a tie at a depth d' > d leaves a kinetic energy of about g (d' - d),
    hence speeds of the order of g h: the bound limits itself, and the landing error of an arc, R turn^3 / 6 for a
    whole turn, vanishes with the spin. The allowance d = band + 3.2 g h^2 takes twice the acceleration's share
    for this; that it suffices is not derived to the last constant but tested, for the depth itself and for the
    faces, over the range of parameters.
"""

# Names of single letters follow the mechanics: v velocity, w angular velocity, u body axis, d the axis times
# half an edge, turned downward; numba compiles nothing until a function is first called.

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicesim._compiler import jit

Floats = npt.NDArray[np.float64]

LANES = 32

# State of a throw, in the order of a row of the input and of the output.
X, Y, Z, VX, VY, VZ, WX, WY, WZ = (i * LANES for i in range(9))
U = 9 * LANES  # nine fields: component c of body axis j is field U + (3 j + c) LANES
T, CONTACTS, DONE = (i * LANES for i in range(18, 21))
ROW = 21
# What a step hands from stage to stage: the downward axes, what touches, the move, the impulse.
D = ROW * LANES  # nine fields, as U
(TOUCH, IMPACT, HELD, EDGE, FLAT, H, ALPHA, BETA, INSIDE, J, JX, JY, PX, PY, LOST_NORMAL, LOST_FRICTION, BEFORE) = (
    i * LANES for i in range(ROW + 9, ROW + 26)
)
FIELDS = ROW + 26

SETTLED, OUT_OF_TIME = 1.0, 2.0
STILL = 1e-6  # an approach below this share of the micro-bounce speed is none
CRAWL = 1.0 / 4096.0  # the shortest move, as a share of the time step, so that time always advances


class Parameters(NamedTuple):
    """The numbers of a setup as the kernel takes them, in SI units."""

    half: float
    gravity: float
    restitution: float
    friction: float
    time_step: float
    contact_band: float
    micro_bounce_speed: float
    spin_damping: float
    time_limit: float
    turn: float
    trap_energy: float


@jit
def lesser(a: float, b: float) -> float:
    """Smaller of two numbers, by one comparison."""
    return a if a < b else b


@jit
def greater(a: float, b: float) -> float:
    """Larger of two numbers, by one comparison."""
    return a if a > b else b


@jit
def nonzero(a: float) -> float:
    """A divisor: the number itself if positive, else 1."""
    return a if a > 0.0 else 1.0


# Sine and cosine.
# The angle is reduced to r in [-pi/4, pi/4] by three pieces of pi/2, the first two with trailing zero bits so
# that their multiples are exact, and the Taylor series runs until the next term is below half an ulp.
PI_2_HIGH = 1.5707963267341256
PI_2_MIDDLE = 6.077100506303966e-11
PI_2_LOW = 2.0222662487959506e-21


@jit
def sincos(x: float) -> tuple[float, float]:
    """Sine and cosine by exactly rounded arithmetic alone."""
    k = np.floor(x * (2.0 / math.pi) + 0.5)
    r = ((x - k * PI_2_HIGH) - k * PI_2_MIDDLE) - k * PI_2_LOW
    q = r * r
    s = -1 / 39916800 + q * (1 / 6227020800 - q / 1307674368000)
    s = -1 / 6 + q * (1 / 120 + q * (-1 / 5040 + q * (1 / 362880 + q * s)))
    s = r + r * q * s
    c = 1 / 479001600 + q * (-1 / 87178291200 + q / 20922789888000)
    c = 1 / 24 + q * (-1 / 720 + q * (1 / 40320 + q * (-1 / 3628800 + q * c)))
    c = (1.0 - 0.5 * q) + q * q * c
    half = np.floor(0.5 * k)
    odd = k - 2.0 * half
    low = half - 2.0 * np.floor(0.5 * half)  # quarter turn k mod 4 = 2 low + odd
    sine = c if odd == 1.0 else s
    cosine = s if odd == 1.0 else c
    sine = -sine if low == 1.0 else sine
    cosine = -cosine if odd != low else cosine
    return sine, cosine


@jit
def turned(
    ux: float, uy: float, uz: float, kx: float, ky: float, kz: float, sine: float, versine: float
) -> tuple[float, float, float]:
    """A vector turned about the unit vector k: u + sin (k x u) + (1 - cos) k x (k x u)."""
    ax = ky * uz - kz * uy
    ay = kz * ux - kx * uz
    az = kx * uy - ky * ux
    return (
        ux + sine * ax + versine * (ky * az - kz * ay),
        uy + sine * ay + versine * (kz * ax - kx * az),
        uz + sine * az + versine * (kx * ay - ky * ax),
    )


@jit
def landing(height: float, speed: float, acceleration: float, longest: float) -> float:
    """First time at which height + speed t + acceleration t^2 / 2 falls through 0, at most `longest`."""
    square = speed * speed - 2.0 * acceleration * height
    root = math.sqrt(greater(square, 0.0))
    falling = speed < 0.0
    over = 2.0 * height if falling else speed + root
    under = root - speed if falling else -acceleration
    hits = (square >= 0.0) if falling else (acceleration < 0.0)
    time = over / nonzero(under)
    return lesser(time, longest) if hits else longest


@jit
def hardest(a: float, b: float, c: float, d: float, e: float, low: float) -> tuple[float, float]:
    """Point s of [low, 1] where one plastic impulse takes most energy, and twice that energy.

    Along an edge of the patch the normal speed is a + b s and the inverse mass c + 2 d s + e s^2; the energy
    taken is (a + b s)^2 / (c + 2 d s + e s^2), stationary at s = (a d - b c) / (b d - a e), where the speed is
    an approach exactly if the denominator is positive. If it is not, the faster end takes most.
    """
    under = b * d - a * e
    s = (a * d - b * c) / nonzero(under)
    s = greater(lesser(s, 1.0), low)
    end = low if b > 0.0 else 1.0
    s = s if under > 0.0 else end
    speed = a + b * s
    taken = speed * speed / (c + s * (2.0 * d + e * s))
    return s, (taken if speed < 0.0 else 0.0)


@jit
def _look(W: Floats, p: Parameters) -> None:
    """Stage 1: the downward axes, the lift, what touches, and how long the die may move."""
    half, g = p.half, p.gravity
    inertia = half * half * (2.0 / 3.0)
    reach = half * math.sqrt(3.0)
    for i in range(LANES):
        z = W[Z + i]
        vx, vy, vz = W[VX + i], W[VY + i], W[VZ + i]
        wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
        # Body axes turned downward and scaled to half an edge, the steepest first.
        d0z, d1z, d2z = W[U + 2 * LANES + i], W[U + 5 * LANES + i], W[U + 8 * LANES + i]
        f0 = -half if d0z > 0.0 else half
        f1 = -half if d1z > 0.0 else half
        f2 = -half if d2z > 0.0 else half
        d0x, d0y, d0z = f0 * W[U + i], f0 * W[U + LANES + i], f0 * d0z
        d1x, d1y, d1z = f1 * W[U + 3 * LANES + i], f1 * W[U + 4 * LANES + i], f1 * d1z
        d2x, d2y, d2z = f2 * W[U + 6 * LANES + i], f2 * W[U + 7 * LANES + i], f2 * d2z
        swap = d1z < d0z
        d0x, d1x = (d1x if swap else d0x), (d0x if swap else d1x)
        d0y, d1y = (d1y if swap else d0y), (d0y if swap else d1y)
        d0z, d1z = (d1z if swap else d0z), (d0z if swap else d1z)
        swap = d2z < d1z
        d1x, d2x = (d2x if swap else d1x), (d1x if swap else d2x)
        d1y, d2y = (d2y if swap else d1y), (d1y if swap else d2y)
        d1z, d2z = (d2z if swap else d1z), (d1z if swap else d2z)
        swap = d1z < d0z
        d0x, d1x = (d1x if swap else d0x), (d0x if swap else d1x)
        d0y, d1y = (d1y if swap else d0y), (d0y if swap else d1y)
        d0z, d1z = (d1z if swap else d0z), (d0z if swap else d1z)
        # A corner may be below the table by the band; the rest is lifted, and the kinetic energy pays.
        gap = z + ((d0z + d1z) + d2z)
        kinetic = 0.5 * (vx * vx + vy * vy + vz * vz) + 0.5 * inertia * (wx * wx + wy * wy + wz * wz)
        due = g * greater(-gap - p.contact_band, 0.0)
        paid = lesser(due, kinetic)
        scale = math.sqrt((kinetic - paid) / nonzero(kinetic)) if paid > 0.0 else 1.0
        lift = paid / g
        z, gap = z + lift, gap + lift
        vx, vy, vz = vx * scale, vy * scale, vz * scale
        wx, wy, wz = wx * scale, wy * scale, wz * scale
        level = z + greater(-gap, 0.0)  # what follows takes the lowest corner for the table's height
        # What touches: the lowest corner; its edge or face where the other axes are level within the band.
        touch = gap <= p.contact_band
        edge = touch & (-2.0 * d2z <= p.contact_band)
        flat = edge & (-2.0 * d1z <= p.contact_band)
        lo2 = -1.0 if edge else 1.0
        lo1 = -1.0 if flat else 1.0
        # Speed and acceleration of the corner d0 + s1 d1 + s2 d2 are linear in the signs s1, s2.
        n0 = vz + (wx * d0y - wy * d0x)
        n1 = wx * d1y - wy * d1x
        n2 = wx * d2y - wy * d2x
        ww = wx * wx + wy * wy + wz * wz
        c0 = wz * (wx * d0x + wy * d0y + wz * d0z) - ww * d0z - g
        c1 = wz * (wx * d1x + wy * d1y + wz * d1z) - ww * d1z
        c2 = wz * (wx * d2x + wy * d2y + wz * d2z) - ww * d2z
        approach = -(n0 + lesser(n1, lo1 * n1) + lesser(n2, lo2 * n2))
        impact = touch & (approach > p.micro_bounce_speed)
        left = p.time_limit - W[T + i]
        short = lesser(p.time_step, left)
        hh = 0.5 * short * short
        e0 = (level + d0z) + short * n0 + hh * c0
        e1 = d1z + short * n1 + hh * c1
        e2 = d2z + short * n2 + hh * c2
        lowest = e0 + lesser(e1, lo1 * e1) + lesser(e2, lo2 * e2)
        # A pressed corner approaches at a rounding error of either sign, which must not decide anything.
        pressed = approach > STILL * p.micro_bounce_speed
        held = touch & (approach <= p.micro_bounce_speed) & (pressed | (lowest < 0.0))
        # How long: to the next corner's landing along its parabola, while the turn is small; or, high up,
        # until a corner could reach the table at all. Held corners are carried by the table.
        longest = lesser(left, p.turn / nonzero(math.sqrt(ww))) if ww > 0.0 else left  # no spin, no limit
        longest = lesser(short, longest) if held else longest
        # Carried corners stay; the others fall at most 3/2 g faster and faster, by 3/2 g h^2 in a move whose kick
        # comes first, like a parabola of 3 g.
        c0 = c0 - 2.0 * g if held else c0
        z0 = level + d0z
        t0 = landing(z0 + d1z + d2z, n0 + n1 + n2, c0 + c1 + c2, longest)
        t1 = landing(z0 + d1z - d2z, n0 + n1 - n2, c0 + c1 - c2, longest)
        t2 = landing(z0 - d1z + d2z, n0 - n1 + n2, c0 - c1 + c2, longest)
        t3 = landing(z0 - d1z - d2z, n0 - n1 - n2, c0 - c1 - c2, longest)
        t0 = longest if held else t0
        t1 = longest if held & edge else t1
        t2 = longest if held & flat else t2
        t3 = longest if held & flat else t3
        h = lesser(lesser(t0, t1), lesser(t2, t3))
        h = greater(h, CRAWL * p.time_step)
        high = greater(z - reach, 0.0)
        clear = (vz + math.sqrt(vz * vz + 2.0 * g * high)) / g
        h = greater(h, clear) if high > 0.0 else h
        h = lesser(h, left)
        h = 0.0 if impact else h
        # Before a move on the table: the kick of gravity, and the spin damping.
        vz = vz - g * h if held else vz
        fade = greater(1.0 - p.spin_damping * h, 0.0) if held else 1.0
        W[CONTACTS + i] += 1.0 if impact else 0.0
        W[Z + i] = z
        W[VX + i], W[VY + i], W[VZ + i] = vx, vy, vz
        W[WX + i], W[WY + i], W[WZ + i] = wx * fade, wy * fade, wz * fade
        W[D + i], W[D + LANES + i], W[D + 2 * LANES + i] = d0x, d0y, d0z
        W[D + 3 * LANES + i], W[D + 4 * LANES + i], W[D + 5 * LANES + i] = d1x, d1y, d1z
        W[D + 6 * LANES + i], W[D + 7 * LANES + i], W[D + 8 * LANES + i] = d2x, d2y, d2z
        W[IMPACT + i] = 1.0 if impact else 0.0
        W[HELD + i] = 1.0 if held else 0.0
        W[TOUCH + i] = 1.0 if impact | held else 0.0
        W[EDGE + i] = lo2
        W[FLAT + i] = lo1
        W[H + i] = h
        W[BEFORE + i] = kinetic - paid
        W[J + i] = 0.0
        W[JX + i] = 0.0
        W[JY + i] = 0.0
        W[LOST_NORMAL + i] = 0.0
        W[LOST_FRICTION + i] = 0.0


@jit
def _press(W: Floats, p: Parameters, restitution: float) -> None:
    """Stages 2 and 4: Moreau's law for the touching corner, edge or face.

    P is the projection of the velocity, in the kinetic metric, onto "no corner approaches". The impulse that
    leads there is a single one, at the point of the patch where it takes most energy: inside the face if the
    velocity can be stopped altogether, otherwise on the boundary.
    """
    half = p.half
    inertia = half * half * (2.0 / 3.0)
    inverse = 1.0 / inertia
    for i in range(LANES):
        vz, wx, wy = W[VZ + i], W[WX + i], W[WY + i]
        d0x, d0y = W[D + i], W[D + LANES + i]
        d1x, d1y = W[D + 3 * LANES + i], W[D + 4 * LANES + i]
        d2x, d2y = W[D + 6 * LANES + i], W[D + 7 * LANES + i]
        lo2, lo1 = W[EDGE + i], W[FLAT + i]
        n0 = vz + (wx * d0y - wy * d0x)
        n1 = wx * d1y - wy * d1x
        n2 = wx * d2y - wy * d2x
        k11 = inverse * (d1x * d1x + d1y * d1y)
        k22 = inverse * (d2x * d2x + d2y * d2y)
        # The four sides of the patch; they coincide where only a corner or an edge touches.
        x, y = d0x + d1x, d0y + d1y
        a, most = hardest(n0 + n1, n2, 1.0 + inverse * (x * x + y * y), inverse * (x * d2x + y * d2y), k22, lo2)
        b = 1.0
        x, y = d0x + d2x, d0y + d2y
        s, taken = hardest(n0 + n2, n1, 1.0 + inverse * (x * x + y * y), inverse * (x * d1x + y * d1y), k11, lo1)
        more = taken > most
        a, b, most = (1.0 if more else a), (s if more else b), (taken if more else most)
        x, y = d0x + lo1 * d1x, d0y + lo1 * d1y
        s, taken = hardest(n0 + lo1 * n1, n2, 1.0 + inverse * (x * x + y * y), inverse * (x * d2x + y * d2y), k22, lo2)
        more = taken > most
        a, b, most = (s if more else a), (lo1 if more else b), (taken if more else most)
        x, y = d0x + lo2 * d2x, d0y + lo2 * d2y
        s, taken = hardest(n0 + lo2 * n2, n1, 1.0 + inverse * (x * x + y * y), inverse * (x * d1x + y * d1y), k11, lo1)
        more = taken > most
        a, b = (lo2 if more else a), (s if more else b)
        # Inside the face: the one point at which an impulse stops the fall and the tipping together.
        down = (lo1 < 0.0) & (vz < 0.0)
        pivot = inertia / (vz if vz < 0.0 else -1.0)
        x, y = -pivot * wy - d0x, pivot * wx - d0y
        det = d1x * d2y - d1y * d2x
        det = det if down else 1.0
        s1 = (x * d2y - y * d2x) / det
        s2 = (d1x * y - d1y * x) / det
        inside = down & (abs(s1) <= 1.0) & (abs(s2) <= 1.0)
        a, b = (s2 if inside else a), (s1 if inside else b)
        rx = d0x + b * d1x + a * d2x
        ry = d0y + b * d1y + a * d2y
        bounce = restitution if W[IMPACT + i] > 0.0 else 0.0
        speed = vz + (wx * ry - wy * rx)
        j = -(1.0 + bounce) * speed / (1.0 + inverse * (rx * rx + ry * ry))
        j = -(1.0 + bounce) * vz if inside else j
        j = j if (speed < 0.0) & (W[TOUCH + i] > 0.0) else 0.0
        inside = inside & (j > 0.0)
        uz = -bounce * vz if inside else vz + j
        ux = -bounce * wx if inside else wx + inverse * ry * j
        uy = -bounce * wy if inside else wy - inverse * rx * j
        pressed = j > 0.0
        uz, ux, uy = (uz if pressed else vz), (ux if pressed else wx), (uy if pressed else wy)
        before = vz * vz + inertia * (wx * wx + wy * wy)
        W[LOST_NORMAL + i] += 0.5 * (before - (uz * uz + inertia * (ux * ux + uy * uy)))
        W[VZ + i], W[WX + i], W[WY + i] = uz, ux, uy
        W[J + i] += j
        W[ALPHA + i], W[BETA + i] = a, b
        W[INSIDE + i] = 1.0 if inside else 0.0


@jit
def _rub(W: Floats, p: Parameters) -> None:
    """Stage 3: one tangential impulse at the centre of pressure, and one against the spin about the vertical.

    Sliding: at most friction times the normal impulse, against the slip, and at most what stops it. A face that
    stays down whole slides as a block: friction moves the centre of pressure forward instead of tipping the die,
    as long as that point stays inside the face.
    Turning: the same limit with the mean arm of the pressed patch; a corner has none.
    """
    half, mu = p.half, p.friction
    inertia = half * half * (2.0 / 3.0)
    inverse = 1.0 / inertia
    for i in range(LANES):
        vx, vy = W[VX + i], W[VY + i]
        wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
        d0x, d0y, d0z = W[D + i], W[D + LANES + i], W[D + 2 * LANES + i]
        d1x, d1y, d1z = W[D + 3 * LANES + i], W[D + 4 * LANES + i], W[D + 5 * LANES + i]
        d2x, d2y, d2z = W[D + 6 * LANES + i], W[D + 7 * LANES + i], W[D + 8 * LANES + i]
        a, b, j = W[ALPHA + i], W[BETA + i], W[J + i]
        rx = d0x + b * d1x + a * d2x
        ry = d0y + b * d1y + a * d2y
        rz = d0z + b * d1z + a * d2z
        before = vx * vx + vy * vy + inertia * (wx * wx + wy * wy + wz * wz)
        # As a block.
        speed = math.sqrt(vx * vx + vy * vy)
        block_j = lesser(mu * j, speed)
        block_x, block_y = vx / nonzero(speed), vy / nonzero(speed)
        arm = -rz * block_j / nonzero(j)
        inside = W[INSIDE + i] > 0.0
        det = d1x * d2y - d1y * d2x
        det = det if inside else 1.0
        s1 = b + arm * (block_x * d2y - block_y * d2x) / det
        s2 = a + arm * (d1x * block_y - d1y * block_x) / det
        block = inside & (abs(s1) <= 1.0) & (abs(s2) <= 1.0)
        # At a point.
        slip_x = vx + (wy * rz - wz * ry)
        slip_y = vy + (wz * rx - wx * rz)
        slip = math.sqrt(slip_x * slip_x + slip_y * slip_y)
        tx, ty = slip_x / nonzero(slip), slip_y / nonzero(slip)
        kx, ky, kz = -rz * ty, rz * tx, rx * ty - ry * tx
        jt = lesser(mu * j, slip / (1.0 + inverse * (kx * kx + ky * ky + kz * kz)))
        tx, ty, jt = (block_x if block else tx), (block_y if block else ty), (block_j if block else jt)
        turn = 0.0 if block else inverse * jt
        stopped = block & (jt == speed)
        vx = 0.0 if stopped else vx - jt * tx
        vy = 0.0 if stopped else vy - jt * ty
        wx, wy, wz = wx - turn * kx, wy - turn * ky, wz - turn * kz
        # Against the spin about the vertical.
        s1, s2 = 1.0 - b * b, 1.0 - a * a
        arm = s1 * s1 * (d1x * d1x + d1y * d1y) + s2 * s2 * (d2x * d2x + d2y * d2y)
        drag = mu * j * inverse * math.sqrt(arm)
        slower = wz - drag if wz > 0.0 else wz + drag
        wz = 0.0 if drag >= abs(wz) else slower
        after = vx * vx + vy * vy + inertia * (wx * wx + wy * wy + wz * wz)
        pressed = j > 0.0
        W[VX + i], W[VY + i] = (vx if pressed else W[VX + i]), (vy if pressed else W[VY + i])
        W[WX + i], W[WY + i] = (wx if pressed else W[WX + i]), (wy if pressed else W[WY + i])
        W[WZ + i] = wz if pressed else W[WZ + i]
        W[JX + i], W[JY + i] = -jt * tx, -jt * ty
        W[PX + i], W[PY + i] = W[X + i] + rx, W[Y + i] + ry
        W[LOST_FRICTION + i] = 0.5 * (before - after) if pressed else 0.0


@jit
def _move(W: Floats, p: Parameters) -> None:
    """Stage 5: the displacement, exact in flight; then whether the throw is over."""
    half, g = p.half, p.gravity
    inertia = half * half * (2.0 / 3.0)
    for i in range(LANES):
        h = W[H + i]
        vx, vy, vz = W[VX + i], W[VY + i], W[VZ + i]
        wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
        held = W[HELD + i] > 0.0
        ww = wx * wx + wy * wy + wz * wz
        kinetic = 0.5 * (vx * vx + vy * vy + vz * vz) + 0.5 * inertia * ww
        rise = g * h * vz
        budget = W[BEFORE + i]
        # A move on the table may not end with more energy than it began with: share^2 kinetic + share rise = budget.
        share = (math.sqrt(rise * rise + 4.0 * kinetic * budget) - rise) / nonzero(2.0 * kinetic)
        share = share if held & (kinetic + rise > budget) & (kinetic > 0.0) else 1.0
        vx, vy, vz = share * vx, share * vy, share * vz
        wx, wy, wz = share * wx, share * wy, share * wz
        W[VX + i], W[VY + i] = vx, vy
        W[WX + i], W[WY + i], W[WZ + i] = wx, wy, wz
        fall = 0.0 if held else g
        z = W[Z + i] + (h * vz - 0.5 * fall * h * h)
        vz = vz - fall * h
        W[X + i] += h * vx
        W[Y + i] += h * vy
        W[Z + i] = z
        W[VZ + i] = vz
        ww = wx * wx + wy * wy + wz * wz
        w = math.sqrt(ww)
        kx, ky, kz = wx / nonzero(w), wy / nonzero(w), wz / nonzero(w)
        s, c = sincos(0.5 * w * h)
        sine, versine = 2.0 * s * c, 2.0 * s * s
        for f in range(U, U + 9 * LANES, 3 * LANES):
            W[f + i], W[f + LANES + i], W[f + 2 * LANES + i] = turned(
                W[f + i], W[f + LANES + i], W[f + 2 * LANES + i], kx, ky, kz, sine, versine
            )
        time = lesser(W[T + i] + h, p.time_limit)
        W[T + i] = time
        kinetic = 0.5 * (vx * vx + vy * vy + vz * vz) + 0.5 * inertia * ww
        asleep = held & (W[FLAT + i] < 0.0) & (kinetic == 0.0)
        settled = asleep | (kinetic + g * z < p.trap_energy)
        late = OUT_OF_TIME if time >= p.time_limit else 0.0
        W[DONE + i] = SETTLED if settled else late


@jit
def _any(W: Floats, field: int) -> bool:
    total = 0.0
    for i in range(LANES):
        total += W[field + i]
    return total > 0.0


@jit
def step(W: Floats, p: Parameters) -> None:
    """Advance every lane by one impact or one move."""
    _look(W, p)
    if _any(W, TOUCH):
        _press(W, p, p.restitution)
        _rub(W, p)
        _press(W, p, 0.0)
    _move(W, p)


@jit
def _steeper(a: Floats, b: Floats) -> bool:
    """Whether downward axis a comes before b: steeper first, then by x, then by y."""
    for c in (2, 0):
        if a[c] != b[c]:
            return bool(a[c] < b[c])
    return bool(a[1] < b[1])


@jit
def _canonical(row: Floats, axes: Floats, order: npt.NDArray[np.int64], sign: Floats) -> None:
    """Bring the three body axes of a row into the order and direction that geometry alone decides.

    Axis k of `axes` is sign[k] times body axis order[k]; exact, because only signs and places change.
    """
    for k in range(3):
        x, y, z = row[9 + 3 * k], row[10 + 3 * k], row[11 + 3 * k]
        up = z > 0.0 or (z == 0.0 and (x < 0.0 or (x == 0.0 and y < 0.0)))
        s = -1.0 if up else 1.0
        order[k], sign[k] = k, s
        axes[k, 0], axes[k, 1], axes[k, 2] = s * x, s * y, s * z
    for a, b in ((0, 1), (1, 2), (0, 1)):
        if _steeper(axes[b], axes[a]):
            order[a], order[b] = order[b], order[a]
            sign[a], sign[b] = sign[b], sign[a]
            for c in range(3):
                axes[a, c], axes[b, c] = axes[b, c], axes[a, c]


@jit
def _park(W: Floats, i: int, p: Parameters) -> None:
    """Leave a lane empty: a die high above the table whose time is up stays where it is."""
    for f in range(FIELDS):
        W[f * LANES + i] = 0.0
    W[Z + i] = 8.0 * p.half
    for k in range(3):
        W[U + 4 * k * LANES + i] = 1.0
    W[T + i] = p.time_limit
    W[DONE + i] = OUT_OF_TIME


@jit
def _load(W: Floats, i: int, row: Floats, axes: Floats, order: npt.NDArray[np.int64], sign: Floats) -> None:
    """Put a release into a lane."""
    _canonical(row, axes, order, sign)
    for f in range(FIELDS):
        W[f * LANES + i] = row[f] if f < 9 else 0.0
    for k in range(3):
        for c in range(3):
            W[U + (3 * k + c) * LANES + i] = axes[k, c]


@jit
def _store(W: Floats, i: int, row: Floats, order: npt.NDArray[np.int64], sign: Floats) -> None:
    """Take the state of a lane, the axes named as the release named them."""
    for f in range(ROW):
        row[f] = W[f * LANES + i]
    for k in range(3):
        for c in range(3):
            row[9 + 3 * order[k] + c] = sign[k] * W[U + (3 * k + c) * LANES + i]


@jit
def simulate(releases: Floats, p: Parameters) -> Floats:
    """Run throws to their end.

    Parameters
    ----------
    releases : array (n, 18)
        Position, velocity, angular velocity, then the three body axes; SI units, world coordinates.
    p : Parameters

    Returns
    -------
    array (n, 21)
        The final state in the same order, then time, contacts, and `SETTLED` or `OUT_OF_TIME`.
    """
    n = releases.shape[0]
    rows = np.empty((n, ROW))
    W = np.empty(FIELDS * LANES)
    throw = np.full(LANES, -1)
    axes, order, sign = np.empty((3, 3)), np.empty((LANES, 3), np.int64), np.empty((LANES, 3))
    for i in range(LANES):
        _park(W, i, p)
    taken, ended = 0, 0
    while ended < n:
        if _any(W, DONE):
            for i in range(LANES):
                if W[DONE + i] == 0.0:
                    continue
                if throw[i] >= 0:
                    _store(W, i, rows[throw[i]], order[i], sign[i])
                    ended += 1
                    throw[i] = -1
                    _park(W, i, p)
                if taken < n:
                    _load(W, i, releases[taken], axes, order[i], sign[i])
                    throw[i] = taken
                    taken += 1
        step(W, p)
    return rows


@jit
def record(release: Floats, p: Parameters) -> Floats:
    """Run one throw and keep every step.

    Parameters
    ----------
    release : array (18,)
        As a row of `simulate`.
    p : Parameters

    Returns
    -------
    array (steps + 1, FIELDS)
        The state after each step, and what the step did; the first row is the release.
    """
    W = np.empty(FIELDS * LANES)
    axes, order, sign = np.empty((3, 3)), np.empty(3, np.int64), np.empty(3)
    for i in range(LANES):
        _park(W, i, p)
    _load(W, 0, release, axes, order, sign)
    rows = np.empty((256, FIELDS))
    steps = 0
    while True:
        if steps == rows.shape[0]:
            longer = np.empty((2 * steps, FIELDS))
            longer[:steps] = rows
            rows = longer
        for f in range(FIELDS):
            rows[steps, f] = W[f * LANES]
        _store(W, 0, rows[steps], order, sign)
        steps += 1
        if W[DONE] > 0.0:
            return rows[:steps].copy()
        step(W, p)


# Normal deviates from uniform ones (Box and Muller): for uniform a, b the numbers sqrt(-2 log(1 - a)) times the
# cosine and the sine of 2 pi b are independent standard normals. The logarithm is again our own arithmetic:
# x = m 2^e with m in [sqrt(1/2), sqrt(2)) and log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172.
LOG2_HIGH = 0.6931471805437468
LOG2_LOW = 1.619851018015993e-11


@jit
def log(x: float) -> float:
    """Natural logarithm of a positive number by exactly rounded arithmetic alone."""
    m, e = math.frexp(x)
    small = m < math.sqrt(0.5)
    m = 2.0 * m if small else m
    e = e - 1 if small else e
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    tail = 1 / 13 + q * (1 / 15 + q * (1 / 17 + q * (1 / 19 + q / 21)))
    tail = q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * tail)))))
    return e * LOG2_HIGH + (e * LOG2_LOW + 2.0 * (s + s * tail))


@jit
def normals(uniforms: Floats) -> Floats:
    """Standard normal deviates, shape (n, 2 k), from uniform ones in [0, 1) of the same shape."""
    n, m = uniforms.shape
    out = np.empty((n, m))
    for i in range(n):
        for j in range(0, m, 2):
            r = math.sqrt(-2.0 * log(1.0 - uniforms[i, j]))
            s, c = sincos(2.0 * math.pi * uniforms[i, j + 1])
            out[i, j], out[i, j + 1] = r * c, r * s
    return out
