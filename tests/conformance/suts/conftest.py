"""A testee, built, and its shim, running."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from shims import Shim, Testee, build, described


@pytest.fixture(scope="module", params=described())
def testee(request: pytest.FixtureRequest) -> Testee:
    return build(request.param)


@pytest.fixture
def shim(testee: Testee) -> Iterator[Shim]:
    shim = Shim(testee.command)
    with shim.process:
        yield shim
        shim.process.kill()
