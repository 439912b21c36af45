"""Broken kernels are caught: each check passes with the shipped kernel and fails with the mutant beside it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import dicesim
from dicesim.ensembles import working
from tests.checks import CHECKS, limit_is_kept, passes
from tests.mutants import INEXACT, MET, MUTANTS, OVERSHOT_BUDGET, Mutant, broken, source_of


def test_every_mutant_has_its_checks() -> None:
    assert list(CHECKS) == [mutant.name for mutant in MUTANTS]


@pytest.mark.parametrize("check", sorted(set(CHECKS.values()), key=lambda check: check.__name__))
def test_the_shipped_kernel_passes(check: Callable[[], bool]) -> None:
    assert check()


@pytest.mark.parametrize("mutant", MET, ids=lambda mutant: mutant.name)
def test_the_faults_the_source_met_are_caught(mutant: Mutant) -> None:
    with broken(mutant):
        assert not passes(CHECKS[mutant.name])


def test_the_shipped_kernel_is_back_after_a_mutant() -> None:
    from dicesim import kernel

    with broken(OVERSHOT_BUDGET) as module:
        assert dicesim.kernel is module
    assert dicesim.kernel is kernel
    assert limit_is_kept()


def test_a_mutant_is_thrown_in_this_process_whoever_works_otherwise() -> None:
    with ThreadPoolExecutor(1) as executor:
        executor.shutdown()  # it would refuse
        with working(executor), broken(OVERSHOT_BUDGET):
            assert not limit_is_kept()


@pytest.mark.parametrize("mutant", [*MUTANTS, INEXACT], ids=lambda mutant: mutant.name)
def test_every_mutant_still_fits_the_kernel(mutant: Mutant) -> None:
    assert source_of(mutant) != source_of(Mutant("none", (), "nothing"))


def test_a_mutant_that_fits_nowhere_is_refused() -> None:
    with pytest.raises(ValueError, match="stands 0 times"):
        source_of(Mutant("lost", (("no such line", ""),), "nothing"))
