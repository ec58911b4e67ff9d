"""The wheel contains every package, including the generated codec and the data files."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
MUST_HOLD = [
    "zeps_wire/zeps.py",
    "zeps_wire/zeps_server.py",
    "zeps_wire/zeps_client.py",
    "zeps_wire/journal.py",
    "zeps_wire/py.typed",
    "zeps_codegen/source/abnf.lark",
    "zeps_codegen/cli.py",
    "zeps_broker/core/broker.py",
    "zeps_broker/devices/bridge/server.py",
    "zeps_broker/devices/forwarder/core.py",
    "zeps_broker/service/server.py",
    "zeps_broker/topics/subscriptions.py",
    "zeps_broker/transport/zmtp/hub.py",
    "zeps_cli/main.py",
    "zeps_command/__init__.py",
    "zeps_client/client.py",
    "zeps_journal/scan.py",
    "zeps_multicast/sockets.py",
    "zeps_conformance/cli.py",
    "zeps_conformance/model.json",
    "zeps_conformance/specifications/zeps-rfc.html",
    "zeps_conformance/specifications/zmtp-rfc.html",
    "zeps_conformance/reports/pages/index.html.j2",
    "zeps_conformance/reports/pages/pages.js",
    "zeps_pipeline/cli.py",
    "zeps_pipeline/py.typed",
    "zeps_pipeline/reports/templates/audit.html.j2",
    "pyspark_zeps/__init__.py",
]


def test_contains_every_package(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert [name for name in MUST_HOLD if name not in names] == []


def test_holds_the_generated_model_which_the_suite_reads(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("zeps_conformance/model.json") == (ROOT / "generated/model.json").read_bytes()
        archive.extractall(tmp_path)
    program = "import zeps_conformance.model.definitions as d; print(d.__file__, d.load_model().digest)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True, text=True, check=False, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout.startswith(str(tmp_path))
    assert done.stdout.split()[-1] == hashlib.sha256((ROOT / "generated/model.json").read_bytes()).hexdigest()


def test_wire_imports_from_the_zip_alone(wheel: Path) -> None:
    program = (
        "import sys; sys.path[:] = [p for p in sys.path if 'site-packages' not in p]; "
        f"sys.path.insert(0, {str(wheel)!r}); import zeps_wire.zeps as z; "
        "assert '.whl' in z.__file__; print(z.decode(z.encode(z.Attach('stocks'))).stream)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "stocks\n"), done.stderr
