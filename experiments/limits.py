"""What the model leaves out, what it would change, and the experiments that bear on it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Limit:
    """Something that real throws have and these have not, or have otherwise.

    Parameters
    ----------
    what : str
        What is left out or assumed.
    change : str
        What it would change.
    see : tuple of str
        Experiments that bear on it.
    """

    what: str
    change: str
    see: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.see:
            raise ValueError(f"limit {self.what!r}: name an experiment that bears on it")


LIMITS: Final = (
    Limit(
        "Dice are thrown one at a time and never strike each other",
        "Dice of one cup would make more contacts, rest later and be harder still to foresee. The shares of the faces "
        "would stay: renaming the sides of one die alone changes no motion.",
        ("hands", "relabelling", "settling"),
    ),
    Limit(
        "There is no cup: a throw begins in mid-air, with its orientation spread evenly",
        "That a shaken cup spreads orientations evenly is assumed, and the fairness measured here rests on it. A hand "
        "that shakes less is somewhere between the shaken and the steady one.",
        ("fairness", "wobble", "aim"),
    ),
    # Of a cube of 19 mm and 1200 kg/m3, falling at 3.3 m/s, with a drag coefficient of 1: 4 % of its weight.
    Limit(
        "There is no air",
        "Drag on a plastic die of this size comes to some hundredths of its weight just before it lands. It would "
        "change which face a given release shows, as every change of that size does, and not how often faces come up.",
        ("flight", "decorrelation"),
    ),
    Limit(
        "The die has no pips and its mass is spread evenly",
        "Drilled pips take mass away, more from one side than from the other. Then the 24 turns are no symmetry any "
        "more, and neither the exact relabelling nor equal shares would follow.",
        ("relabelling", "fairness", "labelled"),
    ),
    Limit(
        "What is thrown has sharp edges and corners; the chamfered mesh is drawn and not thrown",
        "A rounded die rolls over an edge with less energy: its face would be certain later, and it would rest later.",
        ("mesh", "settling", "certainty"),
    ),
    Limit(
        "The table is one endless plane, without rails, walls or weave",
        "A wall is met in one place and not in another, so a throw moved sideways would no longer be the same throw.",
        ("sideways", "decorrelation"),
    ),
    Limit(
        "Restitution and friction are calibrated, not measured from a die on a cloth",
        "Number of contacts, time to rest and the sensitivity to the release move with both; the shares of a shaken "
        "die do not.",
        ("restitution", "calibration", "certainty"),
    ),
    Limit(
        "Restitution is the same at every speed, down to a calibrated speed below which nothing bounces",
        "Real materials bounce less from harder blows. The last small contacts of a throw would be other ones, and so "
        "would the count of them.",
        ("calibration", "contact_bins", "settling"),
    ),
    Limit(
        "Die and table are rigid, and a blow takes no time",
        "A table that yields gives back some energy late and takes some up in vibration. Throws would differ one by "
        "one; the growth of small differences would be of the same kind.",
        ("amplification", "restitution"),
    ),
    Limit(
        "There is one law of impact: corners that touch together are struck together, with Coulomb friction",
        "Other laws share a blow out differently among corners and turn it into other spins, so that single throws end "
        "on other faces. Sensitivities hold for this law.",
        ("faults", "restitution", "amplification"),
    ),
    Limit(
        "Releases are calibrated to the source's few figures, not measured from hands",
        "How far apart two releases of a hand are decides whether a die can be aimed. That hands vary by more than is "
        "needed is taken from the source.",
        ("calibration", "aim", "decorrelation"),
    ),
    Limit(
        "Near the table time goes in steps, and numbers have 53 bits",
        "A throw that ends close to the border between two faces may show the one or the other by the step alone.",
        ("time_step", "root_finding", "inexact"),
    ),
)
