"""When a point of a turning body that falls freely lands: the first root, isolated so that none can be missed.

With w the spin, k its direction and r the point seen from the centre, its height at time t is
    z + v t - g t^2 / 2 + B + C cos(w t) + S sin(w t),  B = k_z (k . r),  C = r_z - B,  S = (k x r)_z.
The second derivative -g - w^2 A cos(w t + phi), A^2 = C^2 + S^2, vanishes at known times. Between two of them the
derivative is monotone and so has at most one zero; on either side of it the height is monotone and so has at most
one root.
"""

import math

#: z, v, g, w, B, C, S.
Curve = tuple[float, float, float, float, float, float, float]
NEVER = 1e300


def height(c: Curve, t: float) -> float:
    """Height of a corner with coefficients z, v, g, w, B, C, S."""
    return c[0] + t * (c[1] - 0.5 * c[2] * t) + c[4] + c[5] * math.cos(c[3] * t) + c[6] * math.sin(c[3] * t)


def climb(c: Curve, t: float) -> float:
    """Its derivative."""
    return c[1] - c[2] * t + c[3] * (c[6] * math.cos(c[3] * t) - c[5] * math.sin(c[3] * t))


def value(c: Curve, t: float, derivative: bool) -> float:
    """The height, or its derivative."""
    return climb(c, t) if derivative else height(c, t)


def zero(c: Curve, derivative: bool, a: float, b: float) -> float:
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
        if t in (a, b):
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


def fall_between(c: Curve, a: float, b: float) -> float:
    """Where a monotone height falls through 0."""
    high, low = height(c, a), height(c, b)
    if low > 0.0 or low >= high:
        return NEVER
    return zero(c, False, a, b) if high > 0.0 else a


def root_between(c: Curve, a: float, b: float) -> float:
    """First fall through 0 in an interval on which the derivative is monotone."""
    if (climb(c, a) > 0.0) == (climb(c, b) > 0.0):
        return fall_between(c, a, b)
    turning = zero(c, True, a, b)
    t = fall_between(c, a, turning)
    return t if t < NEVER else fall_between(c, turning, b)


def landing(c: Curve, start: float, end: float) -> float:
    """First time from start to end at which a corner falls through 0."""
    size, w = math.hypot(c[5], c[6]), c[3]
    if start >= end:
        return NEVER
    if size * w * w <= c[2] or size * w == 0.0:
        return root_between(c, start, end)
    bend, phase = math.acos(-c[2] / (size * w * w)), math.atan2(-c[6], c[5])
    a, turn = start, math.floor((w * start + phase) / (2.0 * math.pi))
    while True:
        for angle in (bend, 2.0 * math.pi - bend):
            b = min((angle + 2.0 * math.pi * turn - phase) / w, end)
            if b > a:
                t = root_between(c, a, b)
                if t < NEVER or b == end:
                    return t
                a = b
        turn += 1.0
