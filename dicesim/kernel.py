"""The jitted core: one step of a block of throws, and the loops that drive it.

Plain numbers and arrays in, fresh arrays out. No defaults, no validation, no randomness; everything is
per unit mass, because the mass of a single die on a fixed table cancels.

Lanes
    A block of `LANES` throws advances together. All their state is one flat buffer ``W``: field ``F`` of
    lane ``i`` is ``W[F + i]``. Every stage is a loop over lanes of straight-line arithmetic with selects
    and no branch, so the compiler turns it into vector instructions. When a throw ends its lane takes the
    next one. A lane never looks at its neighbours, so a throw's bits do not depend on them. What few lanes
    need at a time (a face that lands, a long arc, the last slide) is done lane by lane, between the loops.

Same bits everywhere
    Only + - x / and the square root are used, and never fast-math: each is exactly rounded, so every
    processor gives the same bits. Sine and cosine are our own polynomials for the same reason.

Symmetry
    A cube turned onto itself is the same cube. Before a throw starts, its three body axes are brought
    into one order and one direction that only geometry decides (`_canonical`); all 24 ways to name them
    then run through the very same numbers, and the final axes are named back. Nothing below asks for the
    handedness of the axes, so a mirrored throw is mirrored too. The horizontal position enters nothing.

One step of one lane is either an *impact*, which takes no time, or a *move*
    1. `_look`    where the die is and what touches.
    2. `_aim`     whether that is an impact, or else how it may move and for how long.
    3. `_press`   the normal impulse (Moreau's law), with restitution in an impact.
    4. `_rub`     Coulomb friction at the centre of pressure.
    5. `_press`   once more, plastic, so that friction leaves nothing approaching.
    6. `_move`    an exact arc of free flight, or a short slide or roll on the table; `_turn` turns the axes.
    Stages 3 to 5 are for corners and edges; `_land` does them for a face. Besides, an arc high above the table is
    flown at once (`_soar`), and a die that lies on its face and slides is brought to rest at once (`_slide`).

Why the energy never rises, and what that proves
    Let E be the energy per unit mass, v the velocity in the kinetic metric.
    *Arcs* keep E. *Normal impulses*: with P the velocity after a plastic impulse at a point and N = v - P,
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
    For the depth: a step starts with at most the band, and an arc ends within the landing error of the table
    (`dicesim.parameters.landing_error`). In a move on the table, below the saddle, the spin obeys
    I w^2 / 2 <= g (half (sqrt(2) - 1) + d), so with I = 2 half^2 / 3 and a small d a corner accelerates by at
    most g + w^2 R, about g (1 + 3 sqrt(3) (sqrt(2) - 1)) < 3.2 g, and sinks by half of that times h^2. It may
    sink besides by the speed that it has; but a tie at a depth d' > d leaves a kinetic energy of about g (d' - d),
    hence speeds of the order of g h: the bound limits itself. The allowance d = band + landing error + 3.2 g h^2
    takes twice the acceleration's share for this; that it suffices is not derived to the last constant but tested,
    for the depth itself and for the faces, over the range of parameters.

Why a die that slides on its face keeps it
    Let a die whose face is level within the band be carried with v_z = w_x = w_y = 0, exactly. Its tilt does not
    change while it turns about the vertical alone. The kick of gravity presses the face at the one point where the
    impulse stops the fall without tipping: under the centre, inside the face, and v_z, w_x, w_y are 0 again. Friction
    moves the centre of pressure by at most friction times half an edge; while friction is below 1 (`JAM`, less a
    margin for the tilt), that is inside the face too, so the die slides as a block and nothing tips. By induction it
    stays so until it rests, whatever its speed. Friction then takes g mu from the speed and, with the mean arm
    sqrt(2) half of the pressed face, mu g sqrt(2) half / I from the spin, each second: both stop at times known
    in advance, and `_slide` goes there at once, as an arc of free flight goes to its landing.

Where the time goes (experiment `stages` measures it again; figures of one core at 3 GHz with 512-bit vectors)
    A throw takes 130 steps to a certain face: 82 carried, 38 in flight, 10 impacts. A lane-step takes some 26 ns: 10 in
    `_aim`, 4 in `_look`, 3 each in `_turn` and `_rub`, 2 in `_move`, and 2 in each `_press`. That is 84 % of a throw;
    the rest are landings on a face, arcs and slides of their own, loading, storing and looking for lanes that are done.
    Fewer than one lane-step in a hundred is idle.
    The arithmetic alone would need two thirds of that. A step of 8 lanes is some 860 vector instructions: at two a
    cycle 18 ns a lane. 9 of them are divisions and 6 square roots, which keep the divider busy for 12 of these. What is
    lost is waiting: each lane-step is one chain of results, and the processor sees only a few of them at a time.
    Tried without gain: 16 or 64 lanes; `_look` and `_aim` in one loop; fewer terms in the series of the turn; sums of
    corners shared. Tried with loss: stages 3 to 5 in one loop (6 %); both laws for faces in the loop over lanes
    (20 %); turning axes by a call that takes the buffer (it no longer becomes vector code).
    What paid, in this order: slides and long arcs in closed form; corners and edges apart from faces, so that no lane
    computes what one in fifty needs; 512-bit vectors (20 %); a parabola that meets the cubic, for longer arcs between
    two looks; fractions compared crosswise, so that of four landings one is divided; no sine in short turns.
"""

# Names of single letters follow the mechanics: v velocity, w angular velocity, u body axis, d the axis times
# half an edge, turned downward; numba compiles nothing until a function is first called.

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dicesim._compiler import jit, wide

Floats = npt.NDArray[np.float64]

LANES = 32

# State of a throw, in the order of a row of the input and of the output.
X, Y, Z, VX, VY, VZ, WX, WY, WZ = (i * LANES for i in range(9))
U = 9 * LANES  # nine fields: component c of body axis j is field U + (3 j + c) LANES
T, CONTACTS, DONE = (i * LANES for i in range(18, 21))
ROW = 21
# What a step hands from stage to stage: the downward axes; speeds and accelerations of the corners; what touches;
# the move; the impulse and the place S where it acts.
D = ROW * LANES  # nine fields, as U
(N0, N1, N2, M0, C0, C1, C2, WW, LEVEL, TOUCH, FACE, IMPACT, HELD, EDGE, FLAT, H, BEFORE, J, S) = (
    i * LANES for i in range(ROW + 9, ROW + 28)
)
FIELDS = ROW + 28

# The notes of a recorded step follow the state in its row.
HOW, PUSH, PULL_X, PULL_Y, AT_X, AT_Y, LOST_NORMAL, LOST_FRICTION = range(ROW, ROW + 8)
NOTED = ROW + 8
FLYING, STRUCK, CARRIED, SLID = 0.0, 1.0, 2.0, 3.0

SETTLED, OUT_OF_TIME, SOARS, SLIDES, SPINS = 1.0, 2.0, 3.0, 4.0, 5.0  # the last three ask for a move of their own
STILL = 1e-6  # an approach below this share of the micro-bounce speed is none
CRAWL = 1.0 / 4096.0  # the shortest move, as a share of the longest one allowed, so that time always advances
LONG = 0.25  # an arc so much longer than sqrt(reach / gravity), clear of the table, is flown at once
TINY = 1e-290  # least divisor: its inverse is finite, and so are products with it
SMALL = 0.1  # square of an angle up to which `small_turn` is good to the last bit
JAM = 0.99  # friction up to which a die that lies on its face cannot tip


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
    """A divisor: the number itself if it is above what products of vanishing speeds come to, else 1."""
    return a if a > TINY else 1.0


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
    s = -1 / 39916800 + q * (1 / 6227020800 - q * (1 / 1307674368000))
    s = -1 / 6 + q * (1 / 120 + q * (-1 / 5040 + q * (1 / 362880 + q * s)))
    s = r + r * q * s
    c = 1 / 479001600 + q * (-1 / 87178291200 + q * (1 / 20922789888000))
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
def small_turn(q: float) -> tuple[float, float]:
    """For an angle of square q, at most `SMALL`: its sine over it, and 1 minus its cosine over its square."""
    a = 1 / 362880 + q * (-1 / 39916800 + q * (1 / 6227020800))
    a = 1.0 - q * (1 / 6 - q * (1 / 120 - q * (1 / 5040 - q * a)))
    b = 1 / 3628800 - q * (1 / 479001600)
    b = 0.5 - q * (1 / 24 - q * (1 / 720 - q * (1 / 40320 - q * b)))
    return a, b


@jit
def rotation(kx: float, ky: float, kz: float, first: float, second: float) -> tuple[float, ...]:
    """What a turn about the vector k adds to a vector u, first (k x u) + second k x (k x u): a matrix, row by row.

    For a unit vector first and second are the sine and 1 minus the cosine of the angle. The matrix of the turn itself,
    this and 1 on the diagonal, would round small turns to the precision of 1, the same way each time.
    """
    ax, ay, az = first * kx, first * ky, first * kz
    xx, yy, zz = second * (kx * kx), second * (ky * ky), second * (kz * kz)
    xy, xz, yz = second * (kx * ky), second * (kx * kz), second * (ky * kz)
    return -(yy + zz), xy - az, xz + ay, xy + az, -(zz + xx), yz - ax, xz - ay, yz + ax, -(xx + yy)


@jit
def landing(height: float, speed: float, acceleration: float) -> tuple[float, float]:
    """First time at which height + speed t + acceleration t^2 / 2 falls through 0, as a fraction; 1 / 0 if never."""
    square = speed * speed - 2.0 * acceleration * height
    root = math.sqrt(greater(square, 0.0))
    falling = speed < 0.0
    hits = (square >= 0.0) if falling else (acceleration < 0.0)
    over = 2.0 * height if falling else speed + root
    under = root - speed if falling else -acceleration
    return (over if hits else 1.0), (under if hits else 0.0)


@jit
def _look(W: Floats, p: Parameters) -> None:
    """Stage 1: the downward axes, the lift, what touches, and how its corners move."""
    wide()
    half, g = p.half, p.gravity
    inertia = half * half * (2.0 / 3.0)
    per_g = 1.0 / g
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
        # A corner may be below the table by the band; the rest is lifted, and the kinetic energy pays. With x the share
        # due, 2 (1 - x) (1 - x / 2) / ((1 - x / 2)^2 + 1 - x) is less than the square root of 1 - x, by x^4 / 128.
        gap = z + ((d0z + d1z) + d2z)
        kinetic = 0.5 * (vx * vx + vy * vy + vz * vz) + 0.5 * inertia * (wx * wx + wy * wy + wz * wz)
        paid = lesser(g * greater(-gap - p.contact_band, 0.0), kinetic)
        spared, between = kinetic - paid, kinetic - 0.5 * paid
        scale = 2.0 * spared * between / nonzero(between * between + spared * kinetic)
        lift = paid * per_g
        z, gap = z + lift, gap + lift
        vx, vy, vz = vx * scale, vy * scale, vz * scale
        wx, wy, wz = wx * scale, wy * scale, wz * scale
        # What touches: the lowest corner; its edge or face where the other axes are level within the band.
        touch = gap <= p.contact_band
        edge = touch & (-2.0 * d2z <= p.contact_band)
        flat = edge & (-2.0 * d1z <= p.contact_band)
        # Speed and acceleration of the corner d0 + s1 d1 + s2 d2 are linear in the signs s1, s2.
        m0 = wx * d0y - wy * d0x
        n0 = vz + m0
        n1 = wx * d1y - wy * d1x
        n2 = wx * d2y - wy * d2x
        ww = wx * wx + wy * wy + wz * wz
        c0 = wz * (wx * d0x + wy * d0y + wz * d0z) - ww * d0z - g
        c1 = wz * (wx * d1x + wy * d1y + wz * d1z) - ww * d1z
        c2 = wz * (wx * d2x + wy * d2y + wz * d2z) - ww * d2z
        W[Z + i] = z
        W[VX + i], W[VY + i], W[VZ + i] = vx, vy, vz
        W[WX + i], W[WY + i], W[WZ + i] = wx, wy, wz
        W[D + i], W[D + LANES + i], W[D + 2 * LANES + i] = d0x, d0y, d0z
        W[D + 3 * LANES + i], W[D + 4 * LANES + i], W[D + 5 * LANES + i] = d1x, d1y, d1z
        W[D + 6 * LANES + i], W[D + 7 * LANES + i], W[D + 8 * LANES + i] = d2x, d2y, d2z
        W[N0 + i], W[N1 + i], W[N2 + i], W[M0 + i] = n0, n1, n2, m0
        W[C0 + i], W[C1 + i], W[C2 + i], W[WW + i] = c0, c1, c2, ww
        W[LEVEL + i] = z + greater(-gap, 0.0)  # what follows takes the lowest corner for the table's height
        W[TOUCH + i] = 1.0 if touch else 0.0
        W[EDGE + i] = -1.0 if edge else 1.0
        W[FLAT + i] = -1.0 if flat else 1.0
        W[BEFORE + i] = kinetic - paid
        W[J + i] = 0.0


@jit
def _aim(W: Floats, p: Parameters) -> None:
    """Stage 2: whether what touches is struck or carried, and how long the die may move."""
    wide()
    g = p.gravity
    for i in range(LANES):
        n0, n1, n2, m0 = W[N0 + i], W[N1 + i], W[N2 + i], W[M0 + i]
        c0, c1, c2, ww = W[C0 + i], W[C1 + i], W[C2 + i], W[WW + i]
        level = W[LEVEL + i]
        d0z, d1z, d2z = W[D + 2 * LANES + i], W[D + 5 * LANES + i], W[D + 8 * LANES + i]
        lo2, lo1 = W[EDGE + i], W[FLAT + i]
        touch = W[TOUCH + i] > 0.0
        edge, flat = lo2 < 0.0, lo1 < 0.0
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
        # How long: to the next corner's landing along its parabola, while the turn is small. Held corners are
        # carried by the table.
        calm = p.turn / nonzero(math.sqrt(ww)) if ww > 0.0 else p.time_limit  # no spin, no limit
        longest = lesser(short if held else left, calm)
        # Carried corners stay; the others fall at most 3/2 g faster and faster, by 3/2 g h^2 in a move whose kick
        # comes first, like a parabola of 3 g.
        c0 = c0 - 2.0 * g if held else c0
        # The third derivative of a corner's height is -w^2 (w x r). The parabola with a third of it, over the longest
        # calm move, added to the acceleration meets the cubic at its end.
        third = (lesser(p.time_step, calm) if held else calm) * ww * (1.0 / 3.0)
        c0, c1, c2 = c0 - third * m0, c1 - third * n1, c2 - third * n2
        z0 = level + d0z
        zn, sn, cn = z0 - d1z, n0 - n1, c0 - c1
        zp, sp, cp = z0 + d1z, n0 + n1, c0 + c1
        over, under = landing(zp + d2z, sp + n2, cp + c2)
        over, under = (1.0 if held else over), (0.0 if held else under)
        o, u = landing(zp - d2z, sp - n2, cp - c2)
        sooner = (o * under < over * u) & ~(held & edge)
        over, under = (o if sooner else over), (u if sooner else under)
        o, u = landing(zn + d2z, sn + n2, cn + c2)
        q, w = landing(zn - d2z, sn - n2, cn - c2)
        sooner = q * u < o * w
        o, u = (q if sooner else o), (w if sooner else u)
        sooner = (o * under < over * u) & ~(held & flat)
        over, under = (o if sooner else over), (u if sooner else under)
        h = lesser(over / nonzero(under), longest) if under > 0.0 else longest
        h = lesser(greater(h, CRAWL * lesser(p.time_step, calm)), left)
        h = 0.0 if impact else h
        # Before a move on the table: the kick of gravity, and the spin damping.
        fade = greater(1.0 - p.spin_damping * h, 0.0) if held else 1.0
        W[VZ + i] -= g * h if held else 0.0
        W[CONTACTS + i] += 1.0 if impact else 0.0
        W[WX + i] *= fade
        W[WY + i] *= fade
        W[WZ + i] *= fade
        W[IMPACT + i] = 1.0 if impact else 0.0
        W[HELD + i] = 1.0 if held else 0.0
        W[TOUCH + i] = 1.0 if (impact | held) & ~flat else 0.0
        W[FACE + i] = 1.0 if (impact | held) & flat else 0.0
        W[H + i] = h


@jit
def side(a: float, b: float, c: float, d: float, e: float, low: float) -> tuple[float, float, float]:
    """Where on an edge one plastic impulse takes most energy: s of [low, 1], the normal speed and inverse mass there.

    The speed is a + b s and the inverse mass c + 2 d s + e s^2; the energy taken is half of (a + b s)^2 /
    (c + 2 d s + e s^2), stationary at s = (a d - b c) / (b d - a e), where the speed is an approach exactly if the
    denominator is positive. If it is not, the faster end takes most.
    """
    under = b * d - a * e
    s = (a * d - b * c) / nonzero(under)
    s = greater(lesser(s, 1.0), low)
    s = s if under > 0.0 else (low if b > 0.0 else 1.0)
    return s, a + b * s, c + s * (2.0 * d + e * s)


@jit
def _press(W: Floats, p: Parameters, restitution: float) -> None:
    """Stages 3 and 5: Moreau's law for a touching corner or edge.

    P is the projection of the velocity, in the kinetic metric, onto "no corner approaches". The impulse that leads
    there is a single one, at the point of the edge where it takes most energy.
    """
    wide()
    inverse = 1.5 / (p.half * p.half)
    for i in range(LANES):
        vz, wx, wy = W[VZ + i], W[WX + i], W[WY + i]
        x, y = W[D + i] + W[D + 3 * LANES + i], W[D + LANES + i] + W[D + 4 * LANES + i]
        tx, ty = W[D + 6 * LANES + i], W[D + 7 * LANES + i]
        touch = W[TOUCH + i] > 0.0
        bounce = restitution if W[IMPACT + i] > 0.0 else 0.0
        c, d, e = 1.0 + inverse * (x * x + y * y), inverse * (x * tx + y * ty), inverse * (tx * tx + ty * ty)
        s, speed, mass = side(vz + (wx * y - wy * x), wx * ty - wy * tx, c, d, e, W[EDGE + i])
        j = -(1.0 + bounce) * speed / mass
        j = j if (speed < 0.0) & touch else 0.0
        W[VZ + i] = vz + j
        W[WX + i] = wx + inverse * (y + s * ty) * j
        W[WY + i] = wy - inverse * (x + s * tx) * j
        W[J + i] += j
        W[S + i] = s


@jit
def _rub(W: Floats, p: Parameters) -> None:
    """Stage 4: one tangential impulse where a corner or edge is pressed, and one against the spin about the vertical.

    Sliding: at most friction times the normal impulse, against the slip, and at most what stops it.
    Turning: the same limit with the mean arm of the pressed edge, whose length is the die's to a part in 10^8; a
    corner has none.
    """
    wide()
    mu, half = p.friction, p.half
    inverse = 1.5 / (p.half * p.half)
    for i in range(LANES):
        vx, vy = W[VX + i], W[VY + i]
        wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
        s, limit = W[S + i], mu * W[J + i]
        rx = W[D + i] + W[D + 3 * LANES + i] + s * W[D + 6 * LANES + i]
        ry = W[D + LANES + i] + W[D + 4 * LANES + i] + s * W[D + 7 * LANES + i]
        rz = W[D + 2 * LANES + i] + W[D + 5 * LANES + i] + s * W[D + 8 * LANES + i]
        slip_x = vx + (wy * rz - wz * ry)
        slip_y = vy + (wz * rx - wx * rz)
        jx, jy = friction(slip_x, slip_y, rx, ry, rz, inverse, limit)
        wz = wz + inverse * (rx * jy - ry * jx)
        W[VX + i], W[VY + i] = vx + jx, vy + jy
        W[WX + i], W[WY + i] = wx - inverse * rz * jy, wy + inverse * rz * jx
        W[WZ + i] = slowed(wz, limit * inverse * half * (1.0 - s * s))


@jit
def friction(
    slip_x: float, slip_y: float, rx: float, ry: float, rz: float, inverse: float, limit: float
) -> tuple[float, float]:
    """The impulse against a slip at the point r: what stops it, or the limit if that is less.

    The inverse mass against it is 1 + inverse (rz^2 + arm^2), with arm the horizontal distance of the line of the
    slip from the centre.
    """
    square = slip_x * slip_x + slip_y * slip_y
    slip = math.sqrt(square)
    arm = rx * slip_y - ry * slip_x
    mobility = square + inverse * (rz * rz * square + arm * arm)
    per = 1.0 / nonzero(slip * mobility)
    share = lesser(limit * (mobility * per), square * slip * per)
    return -share * slip_x, -share * slip_y


@jit
def slowed(spin: float, drag: float) -> float:
    """A spin that is taken towards 0 by drag, and not beyond."""
    slower = spin - drag if spin > 0.0 else spin + drag
    return 0.0 if drag >= abs(spin) else slower


@jit
def _press_face(W: Floats, i: int, p: Parameters, bounce: float) -> tuple[float, float, float, bool]:
    """Moreau's law for a face: the impulse, the point a, b where it acts, and whether that is inside the face.

    Inside, the velocity can be stopped altogether, by one impulse at the one point that stops the fall and the tipping
    together. Otherwise it acts on one of the two sides that meet at the fastest corner.
    """
    inertia = p.half * p.half * (2.0 / 3.0)
    inverse = 1.5 / (p.half * p.half)
    vz, wx, wy = W[VZ + i], W[WX + i], W[WY + i]
    d0x, d0y = W[D + i], W[D + LANES + i]
    d1x, d1y = W[D + 3 * LANES + i], W[D + 4 * LANES + i]
    d2x, d2y = W[D + 6 * LANES + i], W[D + 7 * LANES + i]
    x, y = -inertia * wy - d0x * vz, inertia * wx - d0y * vz
    det = (d1x * d2y - d1y * d2x) * vz
    b, a = x * d2y - y * d2x, d1x * y - d1y * x
    if vz < 0.0 and abs(b) <= abs(det) and abs(a) <= abs(det) and det != 0.0:
        W[VZ + i], W[WX + i], W[WY + i] = -bounce * vz, -bounce * wx, -bounce * wy
        return -(1.0 + bounce) * vz, a / det, b / det, True
    n0 = vz + (wx * d0y - wy * d0x)
    n1 = wx * d1y - wy * d1x
    n2 = wx * d2y - wy * d2x
    k11 = inverse * (d1x * d1x + d1y * d1y)
    k22 = inverse * (d2x * d2x + d2y * d2y)
    f1 = -1.0 if n1 > 0.0 else 1.0
    f2 = -1.0 if n2 > 0.0 else 1.0
    x, y = d0x + f1 * d1x, d0y + f1 * d1y
    c, d = 1.0 + inverse * (x * x + y * y), inverse * (x * d2x + y * d2y)
    a, speed, mass = side(n0 + f1 * n1, n2, c, d, k22, -1.0)
    x, y = d0x + f2 * d2x, d0y + f2 * d2y
    c, d = 1.0 + inverse * (x * x + y * y), inverse * (x * d1x + y * d1y)
    b, faster, other = side(n0 + f2 * n2, n1, c, d, k11, -1.0)
    if speed >= 0.0 or (faster < 0.0 and faster * faster * mass > speed * speed * other):
        a, speed, mass = f2, faster, other
    else:
        b = f1
    if speed >= 0.0:
        return 0.0, a, b, False
    j = -(1.0 + bounce) * speed / mass
    W[VZ + i] = vz + j
    W[WX + i] = wx + inverse * (d0y + b * d1y + a * d2y) * j
    W[WY + i] = wy - inverse * (d0x + b * d1x + a * d2x) * j
    return j, a, b, False


@jit
def _rub_face(W: Floats, i: int, p: Parameters, j: float, a: float, b: float, inside: bool) -> None:
    """Friction of a face pressed by j at the point a, b.

    A face that stays down whole slides as a block: friction moves the centre of pressure forward instead of tipping the
    die, as long as that point stays inside the face. The limit of the turning has the mean arm of the pressed patch.
    """
    inverse = 1.5 / (p.half * p.half)
    vx, vy = W[VX + i], W[VY + i]
    wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
    d1x, d1y, d2x, d2y = W[D + 3 * LANES + i], W[D + 4 * LANES + i], W[D + 6 * LANES + i], W[D + 7 * LANES + i]
    rx, ry = W[D + i] + b * d1x + a * d2x, W[D + LANES + i] + b * d1y + a * d2y
    rz = W[D + 2 * LANES + i] + b * W[D + 5 * LANES + i] + a * W[D + 8 * LANES + i]
    limit = p.friction * j
    # As a block, the centre of pressure moves by -rz times the impulse over j along the motion.
    speed = math.sqrt(vx * vx + vy * vy)
    det = (d1x * d2y - d1y * d2x) * j * speed
    ahead = -rz * lesser(limit, speed)
    s1 = b * det + ahead * (vx * d2y - vy * d2x)
    s2 = a * det + ahead * (d1x * vy - d1y * vx)
    if inside and abs(s1) <= abs(det) and abs(s2) <= abs(det):
        left = 0.0 if speed <= limit else 1.0 - limit / speed
        W[VX + i], W[VY + i] = left * vx, left * vy
    else:
        jx, jy = friction(vx + (wy * rz - wz * ry), vy + (wz * rx - wx * rz), rx, ry, rz, inverse, limit)
        W[VX + i], W[VY + i] = vx + jx, vy + jy
        W[WX + i], W[WY + i] = wx - inverse * rz * jy, wy + inverse * rz * jx
        wz = wz + inverse * (rx * jy - ry * jx)
    s1, s2 = 1.0 - b * b, 1.0 - a * a
    arm = math.sqrt(s1 * s1 * (d1x * d1x + d1y * d1y) + s2 * s2 * (d2x * d2x + d2y * d2y))
    W[WZ + i] = slowed(wz, limit * inverse * arm)


@jit
def _land(W: Floats, i: int, p: Parameters) -> None:
    """Stages 3 to 5 for a face, which few lanes need."""
    j, a, b, inside = _press_face(W, i, p, p.restitution if W[IMPACT + i] > 0.0 else 0.0)
    if j > 0.0:
        _rub_face(W, i, p, j, a, b, inside)
        W[J + i] = j + _press_face(W, i, p, 0.0)[0]


@jit
def aloft(high: float, speed: float, gravity: float, time: float) -> bool:
    """Whether a height that starts above zero with a speed stays above zero for a time."""
    return (high > 0.0) & (high + time * (speed - 0.5 * gravity * time) > 0.0)


@jit
def _move(W: Floats, p: Parameters) -> None:
    """Stage 6: the displacement, exact in flight; then whether the throw is over, or a move of its own is due."""
    wide()
    half, g = p.half, p.gravity
    inertia = half * half * (2.0 / 3.0)
    reach = half * math.sqrt(3.0)
    long = LONG * math.sqrt(reach / g)
    stops = p.trap_energy > 0.0
    block = p.friction <= JAM
    for i in range(LANES):
        h = W[H + i]
        vx, vy, vz = W[VX + i], W[VY + i], W[VZ + i]
        wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
        held = W[HELD + i] > 0.0
        kinetic = 0.5 * (vx * vx + vy * vy + vz * vz) + 0.5 * inertia * (wx * wx + wy * wy + wz * wz)
        budget = W[BEFORE + i]
        # A move on the table may not end with more energy than it began with: with a share s of the velocity it ends
        # with s^2 kinetic + s rise. The share taken is where the chord of this convex function, from budget / total
        # where it is within the budget to 1 where it is not, meets the budget: never too large.
        total = kinetic + g * h * vz
        share = budget * (total + kinetic) / nonzero(total * total + kinetic * budget)
        share = share if held & (total > budget) else 1.0
        vx, vy, vz = share * vx, share * vy, share * vz
        wx, wy, wz = share * wx, share * wy, share * wz
        fall = 0.0 if held else g * h
        z = W[Z + i] + (h * vz - 0.5 * fall * h)
        vz = vz - fall
        time = lesser(W[T + i] + h, p.time_limit)
        W[X + i] += h * vx
        W[Y + i] += h * vy
        W[Z + i] = z
        W[VX + i], W[VY + i], W[VZ + i] = vx, vy, vz
        W[WX + i], W[WY + i], W[WZ + i] = wx, wy, wz
        W[T + i] = time
        kinetic = 0.5 * (vx * vx + vy * vy + vz * vz) + 0.5 * inertia * (wx * wx + wy * wy + wz * wz)
        lies = held & (W[FLAT + i] < 0.0) & (wx == 0.0) & (wy == 0.0) & (vz == 0.0)
        slides = lies & block
        certain = (kinetic + g * z < p.trap_energy) | (slides & stops) | (lies & (kinetic == 0.0))
        done = SOARS if aloft(z - reach, vz, g, long) else 0.0
        done = SLIDES if slides else done
        done = OUT_OF_TIME if time >= p.time_limit else done
        W[DONE + i] = SETTLED if certain else done


@jit
def _turn(W: Floats, p: Parameters) -> None:
    """Turn the axes by what the move turns them; a large angle, which only an odd setup makes, is left to `_spin`."""
    wide()
    for i in range(LANES):
        h = W[H + i]
        kx, ky, kz = h * W[WX + i], h * W[WY + i], h * W[WZ + i]
        q = kx * kx + ky * ky + kz * kz
        small = q <= SMALL
        first, second = small_turn(q)
        xx, xy, xz, yx, yy, yz, zx, zy, zz = rotation(kx, ky, kz, first if small else 0.0, second if small else 0.0)
        for f in range(U, U + 9 * LANES, 3 * LANES):
            x, y, z = W[f + i], W[f + LANES + i], W[f + 2 * LANES + i]
            W[f + i] = x + (xx * x + (xy * y + xz * z))
            W[f + LANES + i] = y + (yy * y + (yx * x + yz * z))
            W[f + 2 * LANES + i] = z + (zz * z + (zx * x + zy * y))
        W[DONE + i] = W[DONE + i] if small else SPINS


@jit
def _any(W: Floats, field: int) -> bool:
    found = False
    for i in range(LANES):
        found = found | (W[field + i] > 0.0)
    return found


@jit
def step(W: Floats, p: Parameters) -> None:
    """Advance every lane by one impact or one move."""
    wide()
    _look(W, p)
    _aim(W, p)
    _press(W, p, p.restitution)
    _rub(W, p)
    _press(W, p, 0.0)
    if _any(W, FACE):
        for i in range(LANES):
            if W[FACE + i] > 0.0:
                _land(W, i, p)
    _move(W, p)
    _turn(W, p)


# Moves of a lane by itself


@jit
def _spin(W: Floats, i: int, angle: float) -> None:
    """Turn the axes about the angular velocity by any angle."""
    wx, wy, wz = W[WX + i], W[WY + i], W[WZ + i]
    w = math.sqrt(wx * wx + wy * wy + wz * wz)
    per = 1.0 / nonzero(w)
    s, c = sincos(0.5 * angle * w)
    xx, xy, xz, yx, yy, yz, zx, zy, zz = rotation(wx * per, wy * per, wz * per, 2.0 * s * c, 2.0 * s * s)
    for f in range(U, U + 9 * LANES, 3 * LANES):
        x, y, z = W[f + i], W[f + LANES + i], W[f + 2 * LANES + i]
        W[f + i] = x + (xx * x + (xy * y + xz * z))
        W[f + LANES + i] = y + (yy * y + (yx * x + yz * z))
        W[f + 2 * LANES + i] = z + (zz * z + (zx * x + zy * y))


@jit
def _pass(W: Floats, i: int, p: Parameters, h: float, done: float) -> None:
    """Let time pass in a lane."""
    time = p.time_limit if done == OUT_OF_TIME else lesser(W[T + i] + h, p.time_limit)
    W[T + i] = time
    W[DONE + i] = OUT_OF_TIME if time >= p.time_limit else done


@jit
def _soar(W: Floats, i: int, p: Parameters) -> None:
    """One exact arc, of any turn, until a corner could reach the table."""
    g, vz = p.gravity, W[VZ + i]
    high = greater(W[Z + i] - p.half * math.sqrt(3.0), 0.0)
    h = lesser((vz + math.sqrt(vz * vz + 2.0 * g * high)) / g, p.time_limit - W[T + i])
    W[X + i] += h * W[VX + i]
    W[Y + i] += h * W[VY + i]
    W[Z + i] += h * vz - 0.5 * g * h * h
    W[VZ + i] = vz - g * h
    _spin(W, i, h)
    _pass(W, i, p, h, 0.0)


@jit
def _slide(W: Floats, i: int, p: Parameters) -> None:
    """The rest of a throw that slides and turns on its face, each slowed steadily; or as much as there is time for."""
    slowing = p.friction * p.gravity
    drag = slowing * (1.5 * math.sqrt(2.0)) / p.half
    vx, vy, wz = W[VX + i], W[VY + i], W[WZ + i]
    speed, spin = math.sqrt(vx * vx + vy * vy), abs(wz)
    left = p.time_limit - W[T + i]
    stops, stills = speed <= slowing * left, spin <= drag * left
    straight = speed / nonzero(slowing) if stops else left
    turning = spin / nonzero(drag) if stills else left
    path = straight * (1.0 - 0.5 * straight * slowing / nonzero(speed))
    W[X + i] += path * vx
    W[Y + i] += path * vy
    _spin(W, i, turning * (1.0 - 0.5 * turning * drag / nonzero(spin)))
    share = 0.0 if stops else 1.0 - straight * slowing / nonzero(speed)
    W[VX + i], W[VY + i] = share * vx, share * vy
    W[WZ + i] = 0.0 if stills else wz * (1.0 - turning * drag / nonzero(spin))
    _pass(W, i, p, greater(straight, turning), SETTLED if stops and stills else OUT_OF_TIME)


@jit
def _alone(W: Floats, i: int, p: Parameters) -> None:
    """The move that a lane has asked for, of its own."""
    if W[DONE + i] == SPINS:
        _spin(W, i, W[H + i])
        _pass(W, i, p, 0.0, 0.0)
    elif W[DONE + i] == SOARS:
        _soar(W, i, p)
    elif W[DONE + i] == SLIDES:
        _slide(W, i, p)


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
def _load(
    W: Floats, i: int, row: Floats, axes: Floats, order: npt.NDArray[np.int64], sign: Floats, p: Parameters
) -> None:
    """Put a release into a lane."""
    _canonical(row, axes, order, sign)
    for f in range(9):
        W[f * LANES + i] = row[f]
    for k in range(3):
        for c in range(3):
            W[U + (3 * k + c) * LANES + i] = axes[k, c]
    W[T + i], W[CONTACTS + i] = 0.0, 0.0
    reach = p.half * math.sqrt(3.0)
    W[DONE + i] = SOARS if aloft(row[2] - reach, row[5], p.gravity, LONG * math.sqrt(reach / p.gravity)) else 0.0


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
    wide()
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
                _alone(W, i, p)
                if W[DONE + i] == 0.0:
                    continue
                if throw[i] >= 0:
                    _store(W, i, rows[throw[i]], order[i], sign[i])
                    ended += 1
                    throw[i] = -1
                if taken < n:
                    _load(W, i, releases[taken], axes, order[i], sign[i], p)
                    throw[i] = taken
                    taken += 1
                    _alone(W, i, p)
                else:
                    _park(W, i, p)
        step(W, p)
    return rows


@jit
def _energy(W: Floats, p: Parameters) -> float:
    """Kinetic energy of lane 0."""
    square = W[VX] * W[VX] + W[VY] * W[VY] + W[VZ] * W[VZ]
    inertia = p.half * p.half * (2.0 / 3.0)
    return float(0.5 * square + 0.5 * inertia * (W[WX] * W[WX] + W[WY] * W[WY] + W[WZ] * W[WZ]))


@jit
def _noted_step(W: Floats, p: Parameters, note: Floats) -> None:
    """A step of lane 0 by itself, with notes taken between the stages."""
    _look(W, p)
    _aim(W, p)
    kinetic, vx, vy = _energy(W, p), W[VX], W[VY]
    if W[FACE] > 0.0:
        j, a, b, inside = _press_face(W, 0, p, p.restitution if W[IMPACT] > 0.0 else 0.0)
    else:
        _press(W, p, p.restitution)
        j, a, b, inside = W[J], W[S], 1.0, False
    pressed = _energy(W, p)
    if W[FACE] == 0.0:
        _rub(W, p)
    elif j > 0.0:
        _rub_face(W, 0, p, j, a, b, inside)
    rubbed = _energy(W, p)
    if W[FACE] == 0.0:
        _press(W, p, 0.0)
    elif j > 0.0:
        W[J] = j + _press_face(W, 0, p, 0.0)[0]
    note[HOW] = STRUCK if W[IMPACT] > 0.0 else (CARRIED if W[HELD] > 0.0 else FLYING)
    note[PUSH], note[PULL_X], note[PULL_Y] = W[J], W[VX] - vx, W[VY] - vy
    note[AT_X] = W[X] + W[D] + b * W[D + 3 * LANES] + a * W[D + 6 * LANES]
    note[AT_Y] = W[Y] + W[D + LANES] + b * W[D + 4 * LANES] + a * W[D + 7 * LANES]
    note[LOST_NORMAL] = (kinetic - pressed) + (rubbed - _energy(W, p))
    note[LOST_FRICTION] = pressed - rubbed
    _move(W, p)
    _turn(W, p)
    if W[DONE] == SPINS:
        _alone(W, 0, p)


@jit
def _noted_move(W: Floats, p: Parameters, note: Floats) -> None:
    """A move of its own of lane 0, with notes."""
    slides = W[DONE] == SLIDES
    kinetic, vx, vy, start = _energy(W, p), W[VX], W[VY], W[T]
    _alone(W, 0, p)
    if slides:
        note[HOW] = SLID
        note[PUSH], note[PULL_X], note[PULL_Y] = p.gravity * (W[T] - start), W[VX] - vx, W[VY] - vy
        note[AT_X], note[AT_Y] = W[X], W[Y]
        note[LOST_FRICTION] = kinetic - _energy(W, p)


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
    array (steps + 1, ROW + 8)
        The state after each step, and notes, from `HOW` on, of what the step did; the first row is the release.
    """
    W = np.empty(FIELDS * LANES)
    axes, order, sign = np.empty((3, 3)), np.empty(3, np.int64), np.empty(3)
    for i in range(LANES):
        _park(W, i, p)
    _load(W, 0, release, axes, order, sign, p)
    rows = np.zeros((256, NOTED))
    _store(W, 0, rows[0], order, sign)
    steps = 1
    while W[DONE] != SETTLED and W[DONE] != OUT_OF_TIME:
        if steps == rows.shape[0]:
            longer = np.zeros((2 * steps, rows.shape[1]))
            longer[:steps] = rows
            rows = longer
        if W[DONE] == 0.0:
            _noted_step(W, p, rows[steps])
        else:
            _noted_move(W, p, rows[steps])
        _store(W, 0, rows[steps], order, sign)
        steps += 1
    return rows[:steps].copy()


# Normal deviates from uniform ones (Box and Muller): for uniform a, b the numbers sqrt(-2 log(1 - a)) times the
# cosine and the sine of 2 pi b are independent standard normals. The logarithm is again our own arithmetic:
# x = m 2^e with m in [sqrt(1/2), sqrt(2)) and log m = 2 artanh s, s = (m - 1) / (m + 1), |s| < 0.172.
LOG2_HIGH = 0.6931471805437468
LOG2_LOW = 1.619851018015993e-11
FRACTION, EXPONENT, BIAS = (1 << 52) - 1, 1 << 52, 1022  # of a double; with this bias the fraction is in [1/2, 1)


@jit
def log(m: float, e: float) -> float:
    """Natural logarithm of m 2^e, m in [1/2, 1), by exactly rounded arithmetic alone."""
    small = m < math.sqrt(0.5)
    m = 2.0 * m if small else m
    e = e - 1.0 if small else e
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    tail = 1 / 13 + q * (1 / 15 + q * (1 / 17 + q * (1 / 19 + q * (1 / 21))))
    tail = q * (1 / 3 + q * (1 / 5 + q * (1 / 7 + q * (1 / 9 + q * (1 / 11 + q * tail)))))
    return e * LOG2_HIGH + (e * LOG2_LOW + 2.0 * (s + s * tail))


@jit
def normals(uniforms: Floats) -> Floats:
    """Standard normal deviates, shape (n, 2 k), from uniform ones in [0, 1) of the same shape."""
    wide()
    pairs = uniforms.size // 2
    given, out = uniforms.reshape(pairs, 2), np.empty((pairs, 2))
    fraction, exponent = np.empty(pairs), np.empty(pairs)
    for i in range(pairs):
        fraction[i] = 1.0 - given[i, 0]
    bits = fraction.view(np.int64)
    for i in range(pairs):
        exponent[i] = (bits[i] // EXPONENT) - BIAS
        bits[i] = (bits[i] & FRACTION) | (BIAS * EXPONENT)
    for i in range(pairs):
        r = math.sqrt(-2.0 * log(fraction[i], exponent[i]))
        s, c = sincos(2.0 * math.pi * given[i, 1])
        out[i, 0], out[i, 1] = r * c, r * s
    return out.reshape(uniforms.shape)


@jit
def orientations(normals: Floats) -> Floats:
    """Uniform orientations, shape (n, 3, 3): the first four of each row of normals, scaled to length 1, are a uniform
    unit quaternion, scalar first.
    """
    axes = np.empty((normals.shape[0], 3, 3))
    for i in range(normals.shape[0]):
        w, x, y, z = normals[i, 0], normals[i, 1], normals[i, 2], normals[i, 3]
        per = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = w * per, x * per, y * per, z * per
        axes[i, 0, 0], axes[i, 0, 1], axes[i, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
        axes[i, 1, 0], axes[i, 1, 1], axes[i, 1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
        axes[i, 2, 0], axes[i, 2, 1], axes[i, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)
    return axes
