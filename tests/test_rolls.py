"""Rolls and counts in the forms in which they come."""

import re
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dicesim.rolls import counts_of, named_counts, read_counts

ROLLS = [1, 2, 2, 4, 6, 6, 6]
COUNTS = [1, 2, 0, 1, 0, 3]


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, lambda rolls: np.array(rolls, dtype=float)])
def test_rolls_are_counted(kind: Any) -> None:
    assert counts_of(kind(ROLLS)).tolist() == COUNTS


def test_rolls_come_in_any_shape_and_of_any_die() -> None:
    assert counts_of([[1, 4], [2, 2]], sides=4).tolist() == [1, 2, 0, 1]
    assert counts_of(pd.DataFrame({"a": [1, 2], "b": [20, 2]}), sides=20).tolist() == [1, 2, *[0] * 17, 1]
    assert counts_of([], sides=2).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("rolls", "sides", "complaint"),
    [
        ([1, 2, 7], 6, "roll 3 is 7, no face of a d6; give whole numbers from 1 to 6, or say how many sides there are"),
        ([0, 1], 6, "roll 1 is 0, no face"),
        ([1, 2.5], 6, "roll 2 is 2.5, no face"),
        ([1, float("nan")], 6, "roll 2 is nan, no face"),
        (["1", "2"], 6, "rolls are whole numbers from 1 to 6, not str"),
        ([True, False], 6, "rolls are whole numbers from 1 to 6, not bool"),
        ([1], 1, "a die has a whole number of sides, 2 or more, not 1"),
        ([1], 2.5, "not 2.5"),
    ],
)
def test_bad_rolls_are_refused(rolls: Any, sides: Any, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        counts_of(rolls, sides)


SIX = dict(zip("123456", [5, 6, 7, 8, 9, 10], strict=True))


@pytest.mark.parametrize(
    "counts",
    [
        [5, 6, 7, 8, 9, 10],
        np.array([5, 6, 7, 8, 9, 10]),
        pd.Series([5, 6, 7, 8, 9, 10]),
        pd.Series({1: 5, 2: 6, 3: 7, 4: 8, 5: 9, 6: 10}),
        {6: 10, 1: 5, 2: 6, 3: 7, 4: 8, 5: 9},
        {np.int64(6): 10, 1: 5, 2: 6, 3: 7, 4: 8, 5: 9},
        {"6": 10, "1": 5, "2": 6, "3": 7, "4": 8, "5": 9},
        Counter({6: 10, 5: 9, 4: 8, 3: 7, 2: 6, 1: 5}),
    ],
)
def test_counts_come_in_any_form(counts: Any) -> None:
    expected = SIX if len(counts) == 6 else SIX | {"4": 0, "5": 0}
    found = named_counts(counts, 6)
    assert (list(found), found) == (list("123456"), expected)


def test_faces_that_never_came_up_are_counted_as_such() -> None:
    assert named_counts(Counter(ROLLS), sides=6) == dict(zip("123456", COUNTS, strict=True))
    assert named_counts(pd.Series(ROLLS).value_counts(), sides=6) == dict(zip("123456", COUNTS, strict=True))


def test_faces_have_any_names() -> None:
    assert named_counts({0: 3, 1: 4}) == {"0": 3, "1": 4}
    assert list(named_counts({"tails": 3, "heads": 4}, sides=2)) == ["tails", "heads"]
    assert named_counts({-1: 3, 0: 5, 1: 4}) == {"-1": 3, "0": 5, "1": 4}


@pytest.mark.parametrize(
    ("counts", "sides", "complaint"),
    [
        ({1: 5, 2: 6, 4: 7}, None, "face 3 has no count; give it one, 0 if it never came up, or say sides="),
        ({2: 6}, None, "face 1 has no count"),
        ({999_999_999: 6}, None, "face 1 has no count"),
        ({1: 5, 7: 6}, 6, "face 7 is none of the 6 from 1 to 6"),
        ({0: 5, 6: 6}, 6, "face 6 is none of the 6 from 0 to 5"),
        ({"1": 5, 1: 6}, None, "each face needs one name of its own, not 1, 1"),
        (pd.Series([5, 6], index=[1, 1]), None, "each face needs one name of its own, not 1, 1"),
        (pd.Series([5, 6], index=[1, np.nan]), None, "each face needs one name of its own, not 1, nan"),
        ([5, 6, 7], 6, "these are counts of 3 faces, not of 6"),
        ({"heads": 5, "tails": 6}, 3, "these are counts of 2 faces, not of 3"),
        ([[1, 2], [3, 4]], None, "counts are one row, a count for each face, not an array of shape (2, 2)"),
        (pd.DataFrame({"a": [1, 2]}), None, "not an array of shape (2, 1)"),
        (7, None, "not an array of shape ()"),
        ([5, 6], 0, "a die has a whole number of sides, 2 or more, not 0"),
    ],
)
def test_bad_counts_are_refused(counts: Any, sides: int | None, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        named_counts(counts, sides)


@pytest.mark.parametrize(
    "text",
    [
        "1\n2\n2\n4\n6\n6\n6",
        "1 2 2 4 6 6 6\n",
        "roll\n1\n2\n2\n4\n6\n6\n6\n",
        "\n\ndie 1,die 2\n1,2\n2,4\n6,6\n6,\n",
        "# from the bar\nred;white\r\n1;2\r\n2;4\r\n\r\n6;6\r\n;6\r\n",
        '"red"\t"white"\n"1"\t"2"\n"2"\t"4"\n"6"\t"6"\n"6"\n',
        "1.0,2.0,2.0,4,6,6,6",
    ],
)
def test_files_of_rolls_are_read(text: str) -> None:
    assert read_counts(text.splitlines(keepends=True)).tolist() == COUNTS


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("1\n2\n7\n", "line 3: '7' is no face of a d6; give whole numbers from 1 to 6, or say how many sides"),
        ("7\n", "line 1: '7' is no face"),
        ("roll\nsix\n", "line 2: 'six' is no face"),
        ("roll\nroll\n", "line 2: 'roll' is no face"),
        ("1,x\n", "line 1: 'x' is no face"),
        ("1\n\n2.5\n", "line 3: '2.5' is no face"),
        ("1\n-1\n", "line 2: '-1' is no face"),
        ("1\n٣\n", "line 2: '٣' is no face"),
        (f"1\n{'6' * 5000}\n", "line 2: '666"),
        ("", "there are no rolls; give at least one"),
        ("roll\n\n", "there are no rolls"),
    ],
)
def test_bad_files_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=re.escape(complaint)):
        read_counts(text.splitlines())
