# %% [markdown]
# # Is it fair?
#
# A die is **fair** if each face comes up one time in six. It is **unpredictable** if you cannot aim it. These are two
# properties with two causes, and this notebook is about the first: where fairness comes from, where it does not come
# from, how to have it without trusting anybody, and what to say of a real die on your own table.
#
# Every number is read from a kept result of an experiment of this project; *run again* makes its small version on the
# spot and compares. "The source" is the published page whose claims are measured again here.

# %%
import pandas as pd

import dicesim
from dicesim import plots
from dicesim.classics import WOLF_WHITE
from experiments.story import Prose, story

# %% [markdown]
# ## Two million throws
#
# The shipped throw lets a die go as a shaken cup would: turned any way at all.

# %%
fairness = story("fairness")
fairness

# %%
fairness.figure()

# %% [markdown]
# Uniform, as far as so many throws can see. How far is that? A face that is off by more than the number below would
# have been noticed nine times in ten; anything smaller could hide.

# %%
Prose(f"Detectable: **{fairness.rows['detectable_bias']:.3%}** of all throws, in a face that should have 16.667 %.")

# %%
fairness.rerun()

# %% [markdown]
# Games ask for more than single faces. In Liar's Dice a hand of five is bid on, and with aces wild a die helps a bid of
# sixes if it shows a six or a one. Hands dealt from these throws should follow the binomial law with a chance of 1/3.

# %%
hands = story("hands")
hands

# %%
hands.rerun()

# %% [markdown]
# ## A perfect cube that is not fair
#
# It is tempting to think: *a symmetric die lands on each face one time in six, however it is thrown.* The source began
# with that thought, and found it false. Here is the same perfect cube, thrown again and again by a steady hand. The
# hand wobbles: its velocity, and its spin with it, scatter more and more from left to right. What the hand never does
# is turn the die over; the orientation at release stays as it is.

# %%
wobble = story("wobble")
wobble.figure()

# %%
wobble

# %% [markdown]
# At the left one face comes up every time. At the right the arm wobbles by as much as the whole throw is fast, and the
# die is still measurably biased. In the shaded strip the arm does not wobble at all, but the die is turned at random,
# and all six faces are even.
#
# So symmetry is not fairness. What the symmetry of a cube gives is this: turn the die in your hand onto another of its
# sides, throw it in the very same way, and the face that comes up is the one turned along with it. The throws that end
# on one face are the rotated image of the throws that end on another. To have *equally many* of both, the releases
# themselves must not care which side is which, and that is what a shaken cup does for them.

# %%
wobble.rerun()

# %% [markdown]
# That turning the die permutes the outcome and changes nothing else is not quite obvious in a computer, where numbers
# are rounded. In the source's program it failed in 5 of 12,000 throws. Here it is exact: for each of the 24 ways to
# put a cube onto itself, the face is permuted and every other bit of the outcome is the same.

# %%
relabelling = story("relabelling")
relabelling

# %%
relabelling.rerun()

# %% [markdown]
# This also sets a sentence right that stands in a well-known encyclopedia, that *the symmetry of the die is broken when
# it is thrown*. A throw cannot touch the symmetry of the solid, and without that turning the die over would not make it
# fair. What a throw does is to spread the releases out over what becomes of them.

# %% [markdown]
# ## Fairness by counting
#
# One can have fairness without any trust in the hand. There are 24 ways to put the labels 1 to 6 onto the cube by
# turning it, and each side gets each number in exactly four of them. Draw one of the 24 evenly before each throw, and
# without a look at it, and every number has a chance of 4/24 = 1/6, *whatever* the throw does.

# %%
labellings = story("labellings")
pd.DataFrame(
    labellings.rows["all"],
    index=pd.Index(dicesim.solids.FACES, name="face"),
    columns=pd.Index(range(1, 7), name="ways to carry the number"),
)

# %%
labellings

# %%
labellings.rerun()

# %% [markdown]
# That is a counting argument and needs no throws. Whether it *does* anything is another question. Under the shipped
# throw it does nothing: the faces are even already, and then every labelling gives even numbers, a broken one too. To
# see it at work, give it a hand that always throws the same face.

# %%
labelled = story("labelled")
labelled

# %%
labelled.rerun()

# %% [markdown]
# ## Perfectly fair and perfectly useless
#
# And here is fairness without any unpredictability. Lower a die from just above a table that does not bounce, without
# spin. It has too little energy to roll over, so it comes to lie on the face that was lowest. If it was turned at
# random before, it is exactly fair, and yet every outcome can be read off before the hand opens.

# %%
lowered = story("lowered")
lowered

# %% [markdown]
# The last line is a surprise worth keeping: even a thrown die remembers a little. The side that is up when it is let go
# comes up somewhat more often than one time in six. That does not make the die unfair, since each side is as likely to
# be the one that is up; it is a bit of aim, for someone who sees the die leave the hand.

# %%
lowered.rerun()

# %% [markdown]
# ## A real die
#
# Real dice are not perfect. These are famous ones: Weldon's, rolled by hand in the nineteenth century, Wolf's, and
# Labby's, rolled by a machine.

# %%
classics = story("classics")
classics.figure()

# %%
classics

# %%
classics.rerun()

# %% [markdown]
# `dicesim.fairness_test` says what counts can and cannot say, for any number of faces. This is Wolf's white die:

# %%
verdict = dicesim.fairness_test(WOLF_WHITE.counts)
verdict

# %%
plots.fairness_verdict(verdict).figure

# %% [markdown]
# And this is what it says of a few throws of the simulated die, which could as well be the one on your desk. They are
# few, and the verdict says so: which bias they would have shown, and how many rolls a smaller one takes.

# %%
few = fairness.experiment.smoke.throws
Prose(str(dicesim.fairness_test(dicesim.throw(few, rng=fairness.seed).counts())))

# %% [markdown]
# From a shell the same is `dicesim fairness 72 61 70 59 68 70`, or `dicesim fairness --rolls my_rolls.csv`.
#
# What a hand must do so that nobody can aim a die is the subject of the notebook `decorrelation`.
