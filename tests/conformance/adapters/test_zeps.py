"""`zeps forward` as a testee: nothing of it is excused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from shims import ROOT, Shim, having

from zeps_conformance.cli import main

pytestmark = pytest.mark.xdist_group("shim-zeps-forward")


@having(names=["zeps-forward"])
def test_a_forwarder_that_does_not_start_is_told(shim: Shim) -> None:
    answer = shim.ask("proxy", frontend="XSUB", backend="XPUB", connect="tcp://nowhere")
    assert "b''" in answer["error"]
    answer = shim.do("proxy", frontend="XSUB", backend="XPUB", connect="tcp://127.0.0.1:1")
    assert answer["frontend"] is None
    shim.do("proxy_close", proxy=answer["proxy"])


@having(names=["zeps-forward"])
@pytest.mark.parametrize("policy", ["cap 8", "one-hop", "everything"])
def test_no_policy_changes_what_subscribers_are_sent(
    shim: Shim, policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cases of data alone: what publishers are told is the policy's affair."""
    testee = tmp_path / "testee.toml"
    command = [sys.executable, str(ROOT / "conformance/suts/shims/zeps/shim.py"), "--policy", policy]
    testee.write_text(
        f"kind = 'shim'\nname = 'zeps forward'\ntypes = ['PROXY']\ncommand = {command}\nstart_timeout = 20\n"
    )
    code = main(["run", "--testee", str(testee), "--type", "PROXY", "--case", "data.*"])
    assert code == 0, capsys.readouterr().out


@having(names=["zeps-forward"])
def test_it_passes_every_case_of_a_proxy(shim: Shim, capsys: pytest.CaptureFixture[str]) -> None:
    testee = ROOT / "conformance" / "suts" / "zeps-forward.toml"
    assert main(["run", "--testee", str(testee), "--type", "PROXY"]) == 0, capsys.readouterr().out
