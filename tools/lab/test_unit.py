# SPDX-License-Identifier: GPL-2.0
"""The KUnit suites and the tests in C: that they pass, and that they can fail."""
import pathlib

import hosttest
import pytest
from hosttest import assert_refused

HERE = pathlib.Path(__file__).resolve().parent

BAD_OPTIONS = (
    (["--seed", "0"], "must be 1 to 4294967295"),
    (["--seed", "4294967296"], "must be 1 to 4294967295"),
    (["--dma-align", "512"], "must be 1 to 256"),
    (["--dma-align", "3"], "must be a power of two"),
    (["--such"], "--such"),
    (["curpage_such"], "see --list"),
    (["curpage_fit", "curpage_mru"], "one GLOB is allowed"),
)


def pytest_generate_tests(metafunc):
    """A test for each KUnit suite that the program lists."""
    if "listed" in metafunc.fixturenames:
        out = hosttest.ROOT / "out/lab-san"
        hosttest.make(HERE, out, "all", "SAN=1")
        tests = hosttest.Program(out / "kunit").output("--list").splitlines()
        metafunc.parametrize("listed", sorted({test.partition(".")[0]
                                               for test in tests}))


@pytest.fixture
def kunit(san):
    """The KUnit suites, with sanitizers."""
    return hosttest.Program(san / "kunit")


def assert_passed(done):
    """Each test passed, and one at least."""
    assert not done.returncode and " fail:0 " in done.stdout \
        and " pass:0 " not in done.stdout, done.stdout + done.stderr


def test_suite(kunit, listed):
    """Each test of a KUnit suite passes."""
    assert_passed(kunit.run(listed))


@pytest.mark.parametrize("align", (32, 64, 128))
def test_dma(kunit, align):
    """First fit keeps to its promises where DMA is not coherent."""
    assert_passed(kunit.run("--dma-align", align, "curpage_fit"))


def test_random(kunit, seed):
    """Random tests pass with the seed of this run, and print it."""
    seed = seed % (2 ** 32 - 1) + 1
    done = kunit.run("--seed", seed, "curpage_*.*")
    assert_passed(done)
    assert f"# seed {seed}\n" in done.stdout


@pytest.mark.parametrize("args, word", BAD_OPTIONS,
                         ids=[" ".join(bad[0]) for bad in BAD_OPTIONS])
def test_refused(kunit, args, word):
    """A bad argument is named, with what is allowed."""
    assert_refused(kunit.run(*args), word)


def test_cases(san):
    """Each case in C passes."""
    done = hosttest.Program(san / "unit").run()
    assert not done.returncode and done.stdout.endswith(" passed, 0 failed\n"), \
        done.stdout + done.stderr


@pytest.mark.full
@pytest.mark.parametrize("notice", hosttest.faults(HERE / "faults", "kunit"))
def test_suite_notices(fast, mutant, notice):
    """A KUnit test fails with what mm/ must not do, and passes without."""
    assert_passed(hosttest.Program(fast / "kunit").run(notice.text))
    done = mutant(notice, fast, ["suites"], "kunit").run(notice.text)
    assert done.returncode == 1 and "pass:0 fail:1 " in done.stdout, \
        done.stdout + done.stderr


@pytest.mark.full
@pytest.mark.parametrize("notice", hosttest.faults(HERE / "faults", "unit"))
def test_case_notices(fast, mutant, notice):
    """A case in C fails with what mm/ must not do, and passes without."""
    done = hosttest.Program(fast / "unit").run(notice.text)
    assert not done.returncode and "1 passed" in done.stdout, done.stdout
    done = mutant(notice, fast, ["obj"], "unit").run(notice.text)
    assert done.returncode == 1 and "0 passed, 1 failed" in done.stdout, \
        done.stdout + done.stderr
