"""Same seed, same bytes: on every machine, with any workers, in every block and lane, draws included."""

import importlib.util
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from dicesim import Outcomes, Setup, Shaken, States, Table, kernel, simulator, throw, trajectory
from dicesim.ensembles import BLOCK, block_generator, root_seed
from tests.golden import matrix
from tests.golden.__main__ import HASHES
from tests.golden.cases import arrays_of, hashes, sha256

LANES = kernel.LANES
LOW = Shaken(height=0.02, speed=0.1, spin=10.0)


def bits(outcomes: Outcomes | States) -> str:
    return sha256(*arrays_of(outcomes))


def part(outcomes: Outcomes, which: Any) -> list[Any]:
    return [array[which] for array in arrays_of(outcomes)]


# Fresh processes: the golden hashes


@pytest.fixture(scope="module")
def plain() -> matrix.Verdict:
    return matrix.run(matrix.SETTINGS["plain"])


def moved(verdict: matrix.Verdict, plain: matrix.Verdict) -> set[str]:
    return {name for name, value in verdict.canaries.items() if value != plain.canaries[name]}


@pytest.mark.parametrize("name", ["an old machine", "compiler off", "2 spawn"])
def test_fresh_processes_give_the_golden_hashes(name: str, plain: matrix.Verdict) -> None:
    setting = matrix.SETTINGS[name]
    verdict = matrix.run(setting)
    assert (plain.different, verdict.different) == ([], [])
    assert moved(verdict, plain) >= setting.moves  # the setting did bite


def test_this_process_gives_the_golden_hashes() -> None:
    assert hashes("small") == json.loads(HASHES.read_text(encoding="utf-8"))["small"]


@pytest.fixture(scope="module")
def everything() -> dict[str, dict[str, Any]]:
    rows = matrix.run_all()
    matrix.write(rows)
    return rows


@pytest.mark.bits
@pytest.mark.parametrize("name", matrix.SETTINGS)
def test_every_setting_gives_the_golden_hashes(name: str, everything: dict[str, dict[str, Any]]) -> None:
    assert everything[name]["different"] == []
    assert set(everything[name]["canaries moved"]) >= matrix.SETTINGS[name].moves


def test_the_report_is_about_these_hashes_and_finds_no_difference() -> None:
    sections = json.loads(matrix.REPORT.read_text(encoding="utf-8"))
    assert sections
    assert {part["golden"] for part in sections.values()} == {matrix.golden_digest()}, (
        "stale: make check-bits once more"
    )
    rows = [row for part in sections.values() for row in part["settings"].values()]
    assert [row["different"] for row in rows] == [[]] * len(rows)
    assert any(part["settings"].keys() == matrix.SETTINGS.keys() for part in sections.values())


# Workers, blocks and lanes


@pytest.fixture(scope="module")
def many() -> Outcomes:
    return throw(20_000, rng=11, until="rest")


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_the_number_of_threads_does_not_matter(workers: int, many: Outcomes) -> None:
    with ThreadPoolExecutor(workers) as executor:
        assert bits(throw(len(many), rng=11, until="rest", executor=executor)) == bits(many)


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 2 * BLOCK + 1])
def test_the_first_throws_of_more_are_the_throws(n: int, many: Outcomes) -> None:
    assert sha256(*part(many, slice(n))) == bits(throw(n, rng=11, until="rest"))


def test_the_first_1000_of_5000_are_the_1000_of_1000() -> None:
    assert sha256(*part(throw(5000, rng=3), slice(1000))) == bits(throw(1000, rng=3))


@pytest.mark.parametrize("release", [Shaken(), LOW])
def test_given_states_are_thrown_like_drawn_ones(release: Shaken) -> None:
    drawn = throw(BLOCK + 100, release, rng=5)
    states = [release.sample(n, rng=block_generator(root_seed(5), block)) for block, n in ((0, BLOCK), (1, 100))]
    for start, given in zip((0, BLOCK), states, strict=True):
        assert sha256(*part(drawn, slice(start, start + len(given)))) == bits(throw(given))


@pytest.mark.jit_off
@pytest.mark.parametrize("until", ["face", "rest"])
def test_every_throw_alone_is_the_throw_in_the_batch(until: Any, size: Any) -> None:
    states = (Shaken() if size(1, 0) else LOW).sample(size(3 * LANES + 5, LANES + 2), rng=2)
    together = throw(states, until=until)
    for k in range(0, len(states), size(1, 11)):
        assert sha256(*part(together, slice(k, k + 1))) == bits(throw(states[k], until=until))


@pytest.mark.jit_off
def test_lanes_and_neighbours_do_not_matter(size: Any) -> None:
    """In another order every throw runs in another lane, beside others, and starts at another moment."""
    states = LOW.sample(size(BLOCK + 50, LANES + 8), rng=4)
    order = np.random.default_rng(1).permutation(len(states))
    assert sha256(*part(throw(states), order)) == bits(throw(states[order]))


@pytest.mark.parametrize("n", [1, 31, 32, 33, BLOCK - 1, BLOCK, BLOCK + 1])
def test_batches_of_any_length_give_each_throw_its_bits(n: int) -> None:
    states = Shaken().sample(BLOCK + 1, rng=6)
    whole = throw(states)
    assert sha256(*part(whole, slice(n))) == bits(throw(states[:n]))
    assert sha256(*part(whole, slice(-n, None))) == bits(throw(states[-n:]))


@pytest.mark.jit_off
@pytest.mark.parametrize("until", ["face", "rest"])
def test_a_trajectory_ends_where_the_throw_ends(until: Any, size: Any) -> None:
    states = (Shaken() if size(1, 0) else LOW).sample(size(40, 3), rng=9)
    batch = throw(states, until=until)
    for k in range(len(states)):
        path = trajectory(states[k], until=until)
        assert bits(path.states[-1]) == bits(batch.states[k])
        assert (path.face, path.settled) == (batch.face[k], batch.settled[k])


def test_a_second_run_gives_the_same() -> None:
    assert bits(throw(3000, rng=8)) == bits(throw(3000, rng=8))


def test_global_random_states_do_not_matter() -> None:
    before = bits(throw(100, rng=8))
    np.random.seed(1)  # noqa: NPY002
    assert bits(throw(100, rng=8)) == before


# The instrument can fail


def test_the_hash_sees_a_single_bit_a_type_and_a_shape() -> None:
    numbers = np.arange(6.0)
    nudged = numbers.copy()
    nudged[3] = np.nextafter(3.0, 4.0)
    minus = numbers.copy()
    minus[0] = -0.0
    others = [nudged, minus, numbers.astype(np.float32), numbers.reshape(2, 3), numbers[::-1]]
    assert len({sha256(array) for array in (numbers, *others)}) == 6
    assert sha256(numbers, numbers) != sha256(numbers)
    assert sha256(numbers[::-1]) == sha256(numbers[::-1].copy())
    with pytest.raises(TypeError, match="only numbers"):
        sha256(Setup())


def test_every_array_of_the_outcomes_is_hashed() -> None:
    outcomes = throw(10, rng=1, until="rest")
    assert len(arrays_of(outcomes)) == 8
    for array in arrays_of(outcomes):
        before = bits(outcomes)
        array.flags.writeable = True
        array.flat[0] = 1 - array.flat[0]
        assert bits(outcomes) != before


KERNEL = Path(kernel.__file__).read_text(encoding="utf-8")
HURRIED = {
    "the C library's sine": ("    return sine, cosine\n", "    return math.sin(x), math.cos(x)\n"),
    "fast-math": (
        "from dicesim._compiler import jit, wide\n",
        "from numba import njit\n\nfrom dicesim._compiler import wide\n\njit = njit(fastmath=True)\n",
    ),
}


def altered(folder: Path, old: str, new: str) -> ModuleType:
    """Build the kernel with one thing changed."""
    assert old in KERNEL
    path = folder / "altered_kernel.py"
    path.write_text(KERNEL.replace(old, new), encoding="utf-8")
    spec = importlib.util.spec_from_file_location("altered_kernel", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("hurry", HURRIED)
def test_draws_of_a_hurried_kernel_differ(hurry: str, tmp_path: Path) -> None:
    uniforms = np.random.default_rng(1).random((2000, 10))
    hurried = altered(tmp_path, *HURRIED[hurry]).normals(uniforms)
    assert np.allclose(hurried, kernel.normals(uniforms), rtol=1e-12)
    assert sha256(hurried) != sha256(kernel.normals(uniforms))


@pytest.mark.bits
@pytest.mark.parametrize("hurry", HURRIED)
def test_throws_of_a_hurried_kernel_differ(hurry: str, tmp_path: Path) -> None:
    rows = simulator.to_rows(Shaken().sample(500, rng=1))
    numbers = simulator.kernel_parameters(Setup(table=Table(restitution=0.75)), "face")
    hurried = altered(tmp_path, *HURRIED[hurry]).simulate(rows, numbers)
    assert sha256(hurried) != sha256(kernel.simulate(rows, numbers))


# A fault that is known


TRAP = """
from dicesim import Die, Setup, Solver
print(Setup(die=Die(edge=0.003), solver=Solver(time_step=0.0023488602214160473)).trap_energy.hex())
"""


@pytest.mark.skipif(not (matrix.FUSED and matrix.GLIBC), reason="nothing to switch off here")
def test_the_trap_energy_does_not_ask_the_c_library() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", TRAP],
            cwd=matrix.ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for environment in ({}, matrix.OLD_LIBRARY)
    }
    assert len(found) == 1
