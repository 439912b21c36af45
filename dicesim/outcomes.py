"""What became of throws, every one of them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dicesim.solids import FACES
from dicesim.states import States


class UnsettledError(ValueError):
    """Some throws did not settle within the time limit; what was measured is attached.

    Parameters
    ----------
    unsettled : int
        How many throws did not settle.
    n : int
        Of how many.
    partial : object
        The outcomes or the tally, unsettled throws included.

    Examples
    --------
    >>> UnsettledError(2, 10, None)
    UnsettledError('2 of 10 throws did not settle within the time limit; raise it or allow unsettled throws')
    """

    def __init__(self, unsettled: int, n: int, partial: object) -> None:
        super().__init__(
            f"{unsettled} of {n} throws did not settle within the time limit; raise it or allow unsettled throws"
        )
        self.unsettled, self.n, self.partial = unsettled, n, partial

    def __reduce__(self) -> Any:
        return type(self), (self.unsettled, self.n, self.partial)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """What became of n throws.

    Parameters
    ----------
    face : array of int8 (n,)
        The side that ended up on top: 0 to 5 for +x -x +y -y +z -z. For an unsettled throw, the side that was up
        when the time was over.
    states : States
        The last states: at rest, or, thrown until the face was certain, at that moment.
    settled : array of bool (n,)
        Whether the throw ended within the time limit.
    contacts : array of int32 (n,) or None
        Contacts of a throw to rest. A contact is an impact: a touching episode of a corner, an edge or a face that
        begins with an approach faster than the micro-bounce speed. Absent unless thrown to rest.
    settle_time : array (n,) or None
        Time from release to rest, s; of an unsettled throw the time limit. Absent unless thrown to rest.
    seed : int, SeedSequence or None
        What the releases were drawn with; `throw` and `draw` with ``rng=seed`` have them again. None for given states.

    Examples
    --------
    >>> from dicesim import throw
    >>> outcomes = throw(600, rng=1)
    >>> int(outcomes.counts().sum())
    600
    """

    face: npt.NDArray[np.int8]
    states: States
    settled: npt.NDArray[np.bool_]
    contacts: npt.NDArray[np.int32] | None
    settle_time: npt.NDArray[np.float64] | None
    seed: Any = None

    def __post_init__(self) -> None:
        for array in (self.face, self.settled, self.contacts, self.settle_time):
            if array is not None:
                array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.face)

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{name} {count}" for name, count in zip(FACES, self.counts(allow_unsettled=True), strict=True)
        )
        return f"<Outcomes of {len(self)} throws: {counts}; unsettled {int((~self.settled).sum())}>"

    def _repr_html_(self) -> str:
        names = "".join(f"<th>{name}</th>" for name in (*FACES, "unsettled"))
        numbers = "".join(
            f"<td>{number}</td>" for number in (*self.counts(allow_unsettled=True), int((~self.settled).sum()))
        )
        return f"<table><tr>{names}</tr><tr>{numbers}</tr></table>"

    def counts(self, *, allow_unsettled: bool = False) -> npt.NDArray[np.int64]:
        """How often each face came up.

        Parameters
        ----------
        allow_unsettled : bool
            Whether to leave out unsettled throws instead of refusing.

        Returns
        -------
        array of int64 (6,)
            Counts of faces 0 to 5 among settled throws.

        Raises
        ------
        UnsettledError
            If a throw did not settle; the outcomes are attached as ``partial``.

        Examples
        --------
        >>> from dicesim import throw
        >>> int(throw(60, rng=1).counts().sum())
        60
        """
        unsettled = int((~self.settled).sum())
        if unsettled and not allow_unsettled:
            raise UnsettledError(unsettled, len(self), self)
        counts: npt.NDArray[np.int64] = np.bincount(self.face[self.settled], minlength=6)
        return counts

    def to_frame(self) -> Any:
        """One row a throw, as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            Columns face and settled, and contacts and settle_time if thrown to rest.

        Examples
        --------
        >>> from dicesim import throw
        >>> list(throw(3, rng=1, until="rest").to_frame().columns)
        ['face', 'settled', 'contacts', 'settle_time']
        """
        import pandas as pd

        columns = {name: getattr(self, name) for name in ("face", "settled", "contacts", "settle_time")}
        return pd.DataFrame({name: column for name, column in columns.items() if column is not None})
