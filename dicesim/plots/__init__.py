"""Figures of results. Every function takes the Axes to draw on, or makes a figure of its own, and returns the Axes.

No window is opened and no backend chosen, because figures are made without pyplot. In a notebook, end a cell with
``plots.face_counts(counts).figure`` to see one.
"""

from dicesim.plots.aim import aim_curves
from dicesim.plots.amplification import growth_and_fits
from dicesim.plots.basins import basin_map, basin_zooms, boundary_dimension
from dicesim.plots.convergence import step_convergence
from dicesim.plots.decorrelation import flip_rates, scale_against_contacts
from dicesim.plots.faces import face_counts, wobble_shares
from dicesim.plots.files import save
from dicesim.plots.inexact import failures_by_precision
from dicesim.plots.throws import animate, energy_ledger, throw_picture
from dicesim.plots.verdicts import fairness_verdict

__all__ = [
    "aim_curves",
    "animate",
    "basin_map",
    "basin_zooms",
    "boundary_dimension",
    "energy_ledger",
    "face_counts",
    "failures_by_precision",
    "fairness_verdict",
    "flip_rates",
    "growth_and_fits",
    "save",
    "scale_against_contacts",
    "step_convergence",
    "throw_picture",
    "wobble_shares",
]
