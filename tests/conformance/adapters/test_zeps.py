"""`zeps forward` as an implementation, without expected findings."""

from __future__ import annotations

import json
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
    """Runs only the cases of data: the policy determines the subscriptions that publishers receive. With a cap, a
    subscriber with more topics receives everything itself, which the referee reports.
    """
    implementation = tmp_path / "implementation.toml"
    command = [sys.executable, str(ROOT / "conformance/adapters/zeps/adapter.py"), "--policy", policy]
    implementation.write_text(
        f"kind = 'adapter'\nname = 'zeps forward'\ntypes = ['PROXY']\ncommand = {command}\nstart_timeout = 20\n"
    )
    report = tmp_path / "report.json"
    chosen = ["--implementation", str(implementation), "--type", "PROXY", "--case", "data.*"]
    code = main(["run", *chosen, "--json", str(report)])
    cases = json.loads(report.read_text(encoding="utf-8"))["cases"]
    findings = {case["id"]: (case["rule"], case["checked"]) for case in cases if case["verdict"] == "fail"}
    greedy = {f"zmtp-proxy.data.greedy-neighbour-3-{minor}": ("ZMTP-S-7", "pass") for minor in (0, 1)}
    assert findings == (greedy if policy.startswith("cap") else {}), capsys.readouterr().out
    assert code == bool(findings)


@having(names=["zeps-forward"])
def test_it_passes_every_case_of_a_proxy(adapter: Adapter, capsys: pytest.CaptureFixture[str]) -> None:
    implementation = ROOT / "conformance" / "implementations" / "zeps-forward.toml"
    assert main(["run", "--implementation", str(implementation), "--type", "PROXY"]) == 0, (
        capsys.readouterr().out
    )
