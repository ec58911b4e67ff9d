"""`zeps forward` as an implementation, without expected findings."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from adapter_processes import ROOT, Adapter, having

from zeps_conformance.cli import main

pytestmark = pytest.mark.xdist_group("adapter-zeps-forward")


@having(names=["zeps-forward"])
def test_a_forwarder_that_does_not_start_is_told(adapter: Adapter) -> None:
    answer = adapter.ask("proxy", frontend="XSUB", backend="XPUB", connect="tcp://nowhere")
    assert "b''" in answer["error"]
    answer = adapter.do("proxy", frontend="XSUB", backend="XPUB", connect="tcp://127.0.0.1:1")
    assert answer["frontend"] is None
    adapter.do("proxy_close", proxy=answer["proxy"])


@having(names=["zeps-forward"])
@pytest.mark.parametrize("policy", ["cap 8", "one-hop", "everything"])
def test_no_policy_changes_what_subscribers_are_sent(
    adapter: Adapter, policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Runs only the cases of data: the policy determines the subscriptions that publishers receive."""
    implementation = tmp_path / "implementation.toml"
    command = [sys.executable, str(ROOT / "conformance/adapters/zeps/adapter.py"), "--policy", policy]
    implementation.write_text(
        f"kind = 'adapter'\nname = 'zeps forward'\ntypes = ['PROXY']\ncommand = {command}\nstart_timeout = 20\n"
    )
    code = main(["run", "--implementation", str(implementation), "--type", "PROXY", "--case", "data.*"])
    assert code == 0, capsys.readouterr().out


@having(names=["zeps-forward"])
def test_it_passes_every_case_of_a_proxy(adapter: Adapter, capsys: pytest.CaptureFixture[str]) -> None:
    implementation = ROOT / "conformance" / "implementations" / "zeps-forward.toml"
    assert main(["run", "--implementation", str(implementation), "--type", "PROXY"]) == 0, (
        capsys.readouterr().out
    )
