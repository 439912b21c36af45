"""Outcomes and tallies: unsettled throws are data, and nobody counts them unawares; frames and pictures in text."""

import pickle

import numpy as np
import pandas as pd
import pytest

from dicesim import Outcomes, Setup, Solver, count, throw
from dicesim.outcomes import UnsettledError
from dicesim.solids import FACES

HASTY = Setup(solver=Solver(time_limit=0.5))  # most throws are not at rest by then
GIVEN_UP = Setup(solver=Solver(time_limit=0.01))


@pytest.fixture(scope="module")
def rested() -> Outcomes:
    return throw(2000, rng=1, until="rest")


@pytest.fixture(scope="module")
def hasty() -> Outcomes:
    return throw(2000, setup=HASTY, rng=1, until="rest")


# Unsettled throws


def test_an_unsettled_throw_is_data(hasty: Outcomes, rested: Outcomes) -> None:
    assert rested.settle_time is not None
    assert hasty.settle_time is not None
    in_time, step = rested.settle_time <= 0.5, HASTY.solver.time_step
    assert 0 < in_time.sum() < len(hasty)
    assert np.array_equal(hasty.settle_time, np.minimum(rested.settle_time, 0.5))
    # The last step is cut short, so that a die may come to rest in it that otherwise would in the step after.
    assert not (in_time & ~hasty.settled).any()
    assert not (hasty.settled & (rested.settle_time > 0.5 + step)).any()
    assert ((hasty.face >= 0) & (hasty.face < 6)).all()


def test_counts_refuse_an_unsettled_throw_and_hand_over_what_there_is(hasty: Outcomes) -> None:
    unsettled = int((~hasty.settled).sum())
    with pytest.raises(UnsettledError) as caught:
        hasty.counts()
    assert caught.value.partial is hasty
    assert str(caught.value) == (
        f"{unsettled} of 2000 throws did not settle within the time limit; raise it or allow unsettled throws"
    )
    assert isinstance(caught.value, ValueError)
    allowed = hasty.counts(allow_unsettled=True)
    assert np.array_equal(allowed, np.bincount(hasty.face[hasty.settled], minlength=6))
    assert allowed.sum() == 2000 - unsettled


def test_a_tally_refuses_too(hasty: Outcomes) -> None:
    with pytest.raises(UnsettledError) as caught:
        count(2000, setup=HASTY, rng=1, until="rest")
    allowed = count(2000, setup=HASTY, rng=1, until="rest", allow_unsettled=True)
    assert caught.value.partial == allowed
    assert allowed.unsettled == (~hasty.settled).sum()
    assert allowed.counts == tuple(hasty.counts(allow_unsettled=True).tolist())
    assert allowed.contacts is not None
    assert allowed.contacts.n == hasty.settled.sum()


def test_counts_when_nothing_settled() -> None:
    outcomes = throw(20, setup=GIVEN_UP, rng=1)
    assert outcomes.counts(allow_unsettled=True).tolist() == [0] * 6
    assert not outcomes.settled.any()


def test_an_unsettled_error_survives_a_journey_between_processes() -> None:
    error = UnsettledError(2, 10, "what there is")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.partial) == (str(error), error.partial)


# Representations


def test_a_frame_has_a_row_for_each_throw(rested: Outcomes) -> None:
    frame = rested.to_frame()
    assert list(frame.columns) == ["face", "settled", "contacts", "settle_time"]
    assert isinstance(frame.index, pd.RangeIndex)
    assert len(frame) == 2000
    assert np.array_equal(frame["settle_time"], rested.settle_time)
    assert list(throw(3, rng=1).to_frame().columns) == ["face", "settled"]


def test_a_frame_is_a_copy(rested: Outcomes) -> None:
    frame = rested.to_frame()
    before = rested.face[0]
    frame.loc[0, "face"] = before + 1
    assert rested.face[0] == before


def test_a_repr_is_one_line_and_names_every_face(hasty: Outcomes) -> None:
    text = repr(hasty)
    counts = hasty.counts(allow_unsettled=True)
    assert text.startswith("<Outcomes of 2000 throws: ")
    assert all(f"{name} {number}" in text for name, number in zip(FACES, counts, strict=True))
    assert f"unsettled {(~hasty.settled).sum()}>" in text
    assert "\n" not in text


def test_a_notebook_shows_a_table(hasty: Outcomes) -> None:
    table = hasty._repr_html_()
    numbers = [*hasty.counts(allow_unsettled=True).tolist(), int((~hasty.settled).sum())]
    assert table.count("<th>") == table.count("<td>") == 7
    assert all(f"<td>{number}</td>" in table for number in numbers)
    assert table.startswith("<table>")
    assert table.endswith("</table>")
