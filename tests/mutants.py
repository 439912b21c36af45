"""Deliberately broken kernels, to prove that the checks can fail and to measure what a fault costs.

A mutant is the shipped kernel's text with a few places replaced. `broken` puts it in the kernel's place.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import dicesim
from dicesim import kernel
from dicesim.ensembles import working


@dataclass(frozen=True)
class Mutant:
    """A fault: its name, what is replaced in the kernel's text, and what it gets wrong."""

    name: str
    replacements: tuple[tuple[str, str], ...]
    fault: str


STEPPED_FLIGHT = (
    ("LONG = 0.25 ", "LONG = 1e300 "),
    ("        longest = lesser(short if held else left, calm)\n", "        longest = lesser(short, calm)\n"),
)

DROPPED_TERM = Mutant(
    "dropped term",
    (*STEPPED_FLIGHT, ("(h * vz - 0.5 * fall * h)", "(h * (vz - fall))")),
    "a step of free flight moves by the velocity at its end, without g t^2 / 2: plain semi-implicit Euler",
)
OVERSHOT_BUDGET = Mutant(
    "overshot budget",
    (
        ("        left = p.time_limit - W[T + i]\n", "        left = p.time_limit - W[T + i] + p.time_step\n"),
        ("        time = lesser(W[T + i] + h, p.time_limit)\n", "        time = W[T + i] + h\n"),
    ),
    "the last step is not cut at the time limit",
)
PENETRATION_ONLY = Mutant(
    "penetration only",
    (
        ("        touch = gap <= p.contact_band\n", "        touch = gap < 0.0\n"),
        (
            "        impact = touch & (approach > p.micro_bounce_speed)\n",
            "        impact = touch & (approach > 1e-9)\n",
        ),
        ("        held = touch & (approach <= p.micro_bounce_speed)", "        held = touch & (approach > 1e300)"),
        *STEPPED_FLIGHT,
        ("        h = lesser(greater(h, CRAWL * lesser(p.time_step, calm)), left)\n", "        h = short\n"),
    ),
    "a contact is seen when a corner is already below the table, and every one bounces",
)
#: The faults the source met.
MET = (DROPPED_TERM, OVERSHOT_BUDGET, PENETRATION_ONLY)

#: Faults it could have had.
MORE = (
    Mutant(
        "one corner at a time",
        (("        edge = touch & (-2.0 * d2z <= p.contact_band)\n", "        edge = touch & (d2z > 1.0)\n"),),
        "corners that touch together are struck one after another",
    ),
    Mutant(
        "energetic restitution",
        (
            ("bounce = restitution if", "bounce = math.sqrt(restitution) if"),
            ("_press_face(W, i, p, p.restitution if", "_press_face(W, i, p, math.sqrt(p.restitution) if"),
        ),
        "restitution is taken for a ratio of energies",
    ),
    Mutant(
        "boundless friction",
        (("    share = lesser(limit * (mobility * per), square * slip * per)\n", "    share = square * slip * per\n"),),
        "friction always stops the slip, whatever presses",
    ),
    Mutant(
        "driving friction",
        (("    return -share * slip_x, -share * slip_y\n", "    return share * slip_x, share * slip_y\n"),),
        "friction pushes along the slip",
    ),
    Mutant(
        "tilted table",
        (("        z = W[Z + i]\n        vx", "        z = W[Z + i] + 1e-4 * W[X + i]\n        vx"),),
        "the height depends on where the die is",
    ),
    Mutant(
        "numbered axes",
        (
            (
                "        swap = d1z < d0z\n        d0x, d1x = (d1x if swap else d0x), (d0x if swap else d1x)\n"
                "        d0y, d1y = (d1y if swap else d0y), (d0y if swap else d1y)\n"
                "        d0z, d1z = (d1z if swap else d0z), (d0z if swap else d1z)\n"
                "        swap = d2z",
                "        swap = d2z",
            ),
            ("            order[a], order[b] = order[b], order[a]\n", "            pass\n"),
        ),
        "the order of the axes is not undone",
    ),
)
MUTANTS = (*MET, *MORE)

_CUT = """@jit
def _cut(W: Floats, i: int, p: Parameters) -> None:
    ax, ay, az = W[U + i], W[U + LANES + i], W[U + 2 * LANES + i]
    bx, by, bz = W[U + 3 * LANES + i], W[U + 4 * LANES + i], W[U + 5 * LANES + i]
    if p.crossed > 0.0:
        W[U + 6 * LANES + i] = ay * bz - az * by
        W[U + 7 * LANES + i] = az * bx - ax * bz
        W[U + 8 * LANES + i] = ax * by - ay * bx
    for f in range(U, U + 9 * LANES, LANES):
        c = p.cut * W[f + i]
        W[f + i] = c - (c - W[f + i])


@jit
def _turn("""
#: Not a fault of the physics: the axes keep their own names instead of geometry's order, and after every turn the third
#: is made of the first two, if `crossed`, and all are rounded; so relabelled throws differ in the last place. `still`
#: takes the place of the kernel's tolerance: an approach below it is none. These are parameters of a run (`inexact`),
#: since compiling takes seconds. With c = (2^(53 - bits) + 1) x, the difference c - (c - x) is x rounded to so many
#: bits; to all 53 of a double, x itself.
INEXACT = Mutant(
    "inexact",
    (
        (
            "    trap_energy: float\n",
            "    trap_energy: float\n    cut: float = 2.0\n    crossed: float = 1.0\n    still: float = STILL\n",
        ),
        ("approach > STILL * p.micro", "approach > p.still * p.micro"),
        ("        s = -1.0 if up else 1.0\n", "        s = 1.0\n"),
        ("        if _steeper(axes[b], axes[a]):\n", "        if False:\n"),
        ("@jit\ndef _turn(", _CUT),
        (
            "        W[DONE + i] = W[DONE + i] if small else SPINS\n",
            "        W[DONE + i] = W[DONE + i] if small else SPINS\n        _cut(W, i, p)\n",
        ),
    ),
    "the last place of the axes depends on their names",
)


def inexact(p: Any, bits: int, still: float = kernel.STILL, crossed: bool = True) -> Any:
    """Parameters of the inexact kernel that keep so many bits of the axes, 2 to 53."""
    if not 2 <= bits <= 53:
        raise ValueError(f"a double has 53 bits, of which 2 or more can be kept, not {bits}")
    return p._replace(cut=2.0 ** (53 - bits) + 1.0 if bits < 53 else 2.0, crossed=float(crossed), still=still)


def source_of(mutant: Mutant) -> str:
    """The text of a broken kernel; each replaced place must stand exactly once in the shipped one."""
    text = Path(kernel.__file__).read_text(encoding="utf-8")
    for old, new in mutant.replacements:
        if text.count(old) != 1:
            raise ValueError(f"mutant {mutant.name!r}: {old.strip()!r} stands {text.count(old)} times in the kernel")
        text = text.replace(old, new)
    return text


def _load(mutant: Mutant) -> ModuleType:
    """Run a mutant's text as a module, as if its file were beside this one, so that its machine code is kept here."""
    path = Path(__file__).with_name(f"kernel_{mutant.name.replace(' ', '_')}.py")
    module = ModuleType(f"dicesim_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    exec(compile(source_of(mutant), path, "exec"), vars(module))
    return module


@contextmanager
def broken(mutant: Mutant) -> Iterator[ModuleType]:
    """Throw with a broken kernel while the context lasts."""
    module = _load(mutant)
    sys.modules["dicesim.kernel"] = module
    dicesim.kernel = module
    try:
        with working(None):  # in this process, for no other has the mutant
            yield module
    finally:
        sys.modules["dicesim.kernel"] = kernel
        dicesim.kernel = kernel
        del sys.modules[module.__name__]
