# %% [markdown]
# # Throw a die
#
# A die is a small cube with a number on each side. You let go of it above a table, it falls, bounces, rolls and comes
# to rest, and the number on top is what you have thrown. This notebook follows one such throw from the hand to the
# table and then counts a great many of them. Nothing needs to be known beforehand.
#
# No random number picks the side here. What is random is only how the die is let go; the rest is mechanics, worked out
# by a program. So there are two things to look after: that the mechanics are right, and that the counting is.
#
# Every number below comes from an **experiment** of this project: a declared measurement with a question, claims, a
# seed and a kept result. The notebook reads these results and draws them. Where it says *run again*, a small version
# of the measurement is made on the spot and compared with what was kept.

# %%
import numpy as np
import pandas as pd

import dicesim
from dicesim import plots
from dicesim.trajectories import KINDS
from experiments.story import Prose, story

fairness = story("fairness")

# %% [markdown]
# ## Letting go
#
# At the moment the fingers open, four things are settled, and together they are called the **release**:
#
# - where the middle of the die is (*position*, in metres; the table is at height zero),
# - which way it is turned (*orientation*),
# - how fast and where it flies (*velocity*, in metres a second),
# - how it spins (*angular velocity*, in radians a second: a full turn is a little more than six radians).
#
# All that happens later follows from these. The experiments draw their releases as a shaken cup would give them: every
# orientation is as likely as every other, and speed and spin point anywhere. These are the numbers of such a release:

# %%
fairness.parameters.release

# %% [markdown]
# Here is one, drawn with the seed of the experiment `fairness`, so that it is the same whenever this is read.

# %%
release = dicesim.draw(1, rng=fairness.seed)
pd.DataFrame(
    {
        "position, m": release.position[0],
        "velocity, m/s": release.velocity[0],
        "angular velocity, rad/s": release.angular_velocity[0],
    },
    index=["x", "y", "z"],
).round(3)

# %% [markdown]
# ## One throw
#
# `dicesim.trajectory` follows a throw and keeps every step of it.

# %%
path = dicesim.trajectory(release[0])
path

# %%
plots.throw_picture(path).figure

# %% [markdown]
# That is the throw as a camera would see it with a light that flashes at even times: where the pictures lie far apart,
# the die is fast. The orange marks under the table line are its *contacts*, larger where the blow was harder. The small
# picture shows the end once more, from above. And this is the same throw as a film, slowed down:
#
# ![A die falls, bounces a few times, rolls over and comes to rest](../experiments/results/throw.gif)

# %% [markdown]
# ## In the air
#
# Between two contacts nothing touches the die but gravity, and air is left out. Then its middle flies along a parabola.
# Its spin is just as simple: a cube resists turning equally about every axis, so it keeps turning about the same
# axis, at the same rate. Both are formulas, and the program need not creep along the flight: it takes a whole flight as
# one step, and looks for the moment at which a corner reaches the table. Only near the table does it go in small steps.

# %%
steps = pd.DataFrame({"what the die does": np.take(KINDS, path.kind[1:]), "seconds": np.diff(path.times)})
steps.groupby("what the die does", sort=False).agg(steps=("seconds", "size"), seconds=("seconds", "sum")).round(3)

# %% [markdown]
# Most of the time is flight, and most of the steps are not. *Impact* is a blow, which takes no time; *carried* means
# that the table holds the die up while it rolls or rocks; a *slide* is its last bit of way, flat on its face.
#
# Is the formula right? One way to find out is to fly the same flight in hundreds of pieces, and to compare the ends.

# %%
flight = story("flight")
flight

# %%
flight.rerun()

# %% [markdown]
# The ends lie apart by about the size of the nucleus of an atom. That is the rounding of the computer's arithmetic, and
# nothing else.
#
# Such a check is worth its while. The project measures again what others have published about a simulator of dice, and
# that simulator once had lost a small term of the parabola, as is easily done: a step moved the die by its speed at the
# end of the step and not by the mean of both ends. Here the same fault is built in on purpose.

# %%
dropped = story("dropped_term")
dropped

# %%
dropped.rerun()

# %% [markdown]
# Less than a millimetre, and yet one throw in several shows another side. *Not reproduced* in the table is no accident
# and no shame: the source found a larger share, we find ours, and the table says so.

# %% [markdown]
# ## On the table
#
# When a corner hits the table, two things happen. The table pushes back: the corner leaves at a fixed fraction of the
# speed at which it came, which is called *restitution*. And the table rubs: *friction* slows what slides across it,
# with a force that is at most a fixed fraction of the push.

# %%
path.setup.table

# %% [markdown]
# Both can only take energy away. The next figure is the account of this throw: the energy of motion (*kinetic*), that
# of height (*potential*), and their sum. In flight the one is changed for the other and the sum stays as it is, at each
# blow it drops, and it never rises.

# %%
plots.energy_ledger(path).figure

# %%
losses = {"pushes": path.lost_normal, "friction": path.lost_friction, "rolling and the rest": path.lost_otherwise}
shares = pd.Series({name: lost.sum() for name, lost in losses.items()}, name="share of the energy lost")
(shares / shares.sum()).round(3).to_frame()

# %% [markdown]
# The table must also notice that it is touched. A program that waits until a corner has sunk *into* the table, and then
# lets it bounce, never lets a die lie still: it chatters for ever on the tiny speed that gravity gives it in one step.
# The source's first simulator did that. Built in on purpose again:

# %%
penetration = story("penetration")
penetration

# %%
penetration.rerun()

# %% [markdown]
# ## When the face is certain
#
# To roll from one side onto the next, a die has to climb over an edge, and its middle must rise for that. A die with
# too little energy left for the climb will stay on the side it is on, whatever it still does. That is the dashed line
# in the figure above: below it **the face is certain**, although the die may rock and slide for a while. Counting
# throws, one may stop there and save the rest. Contacts and the time to rest need the whole way.

# %%
settling = story("settling")
settling

# %%
settling.rerun()

# %% [markdown]
# The last line of the table is the check of the argument: stopped early or watched to the end, every throw shows the
# same face.

# %% [markdown]
# ## The die itself
#
# Real dice have edges that are taken off a little. The shape that is drawn and exported has them too: a mesh of
# triangles, each with an outside and an inside. A triangle that faces the wrong way makes a hole in a picture and a
# wrong volume in a sum. So each is asked twice, by two tests that do not know of each other, and to see that the tests
# can fail at all they are asked about three meshes that are broken on purpose as well.

# %%
mesh = story("mesh")
mesh

# %%
pd.DataFrame(mesh.rows["flagged"], index=["flagged by the winding", "flagged as not outward"]).T

# %% [markdown]
# The mesh that is turned inside out as a whole is the one to look at: the first test finds nothing wrong with it, and
# only the second one sees it.

# %%
mesh.rerun()

# %% [markdown]
# ## Counting faces
#
# One throw says nothing about a die. Here are very many, with the releases of a shaken cup. Each point is the share of
# a face, each bar its *interval*: chance alone makes shares differ a little from one sixth, and the bars are so long
# that for a fair die all six of them cover one sixth in nineteen of twenty such experiments.

# %%
fairness.figure()

# %%
fairness

# %%
fairness.rerun()

# %% [markdown]
# *p* is the chance that a perfectly fair die would give counts at least as uneven as these. A tiny *p* would speak
# against the die; this one does not. That is no proof that the die is fair. It is a bound on how unfair it can be, and
# the experiment says which:

# %%
Prose(
    f"Had one face come up {fairness.rows['detectable_bias']:.2%} of all throws more often than its share, the test "
    f"of {sum(fairness.rows['counts']):,} throws would have noticed it nine times in ten."
)

# %% [markdown]
# ## What comes next
#
# Fair is one thing, unpredictable another. A die that is always let go in the same way shows the same face every time,
# however perfect it is: that is the subject of the notebook `fairness`. And how little has to change in the hand until
# another face comes up is that of `decorrelation`.
