"""The command line: help, errors, and imports."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path

import pytest

from zeps_cli.main import EXTRAS

Zeps = Callable[..., tuple[int, str, str]]


def test_version(zeps: Zeps) -> None:
    assert zeps("--version") == (0, f"zeps {version('zeps')}\n", "")


def test_help_names_the_commands(zeps: Zeps) -> None:
    code, output, _ = zeps("--help")
    assert code == 0
    for command in ("broker", "pub", "sub", "streams", "journal"):
        assert f"\n    {command} " in output
        assert f"\n  zeps {command} " in output


def test_help_of_the_broker(zeps: Zeps) -> None:
    code, output, _ = zeps("broker", "--help")
    assert code == 0
    for word in ("--config", "--data", "--bind", "--sync", "ready tcp://127.0.0.1:5670", "Exit codes"):
        assert word in output


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "required: COMMAND"),
        (("brokr",), "invalid choice: 'brokr'"),
        (("broker", "--sink", "os"), "unrecognized arguments: --sink os"),
        (("broker", "--log-level", "loud"), "invalid choice: 'loud'"),
        (("broker", "--stats-seconds", "-1"), "-1 is not from 0 to 86400"),
        (("broker", "--stats-seconds", "soon"), "soon is not from 0 to 86400"),
        (("broker", "--ready-fd", "9999"), "9999 is not an open file descriptor"),
        (("journal",), "required: COMMAND"),
        (
            ("forward", "--downstream", "tcp://*:5557"),
            "no upstream endpoint: give --upstream or --upstream-bind",
        ),
        (
            ("forward", "--upstream-bind", "tcp://*:1"),
            "no downstream endpoint: give --downstream or --downstream-c",
        ),
    ],
)
def test_usage(zeps: Zeps, arguments: tuple[str, ...], complaint: str) -> None:
    code, output, error = zeps(*arguments)
    assert (code, output) == (2, "")
    assert complaint in error
    assert "--help" in error


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (["--version"], ["zmq", "zeps_wire", "zeps_client"]),
        (["broker", "--help"], ["zmq", "zeps_wire", "zeps_client"]),
        (["journal", "--help"], ["zmq", "zeps_client", "re2"]),
        (["streams", "--help"], ["zmq", "zeps_client", "re2"]),
        (["pub", "--help"], ["zeps_broker.core", "zeps_broker.journal", "re2"]),
    ],
)
def test_a_command_imports_what_it_needs(arguments: list[str], absent: list[str]) -> None:
    program = (
        "import sys; from zeps_cli.main import main\n"
        f"try: main({arguments!r})\n"
        "except SystemExit: pass\n"
        f"sys.exit(','.join(name for name in {absent!r} if name in sys.modules) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr


_BRIDGE = [
    "bridge",
    "--amqp",
    "amqp://guest:guest@127.0.0.1:1",
    "--exchange",
    "x",
    "--downstream",
    "tcp://127.0.0.1:*",
]


@pytest.mark.parametrize(
    ("arguments", "module", "extra"),
    [
        (_BRIDGE, "pika", "bridge"),
        (_BRIDGE, "numpy", "broker"),
        (["broker"], "numpy", "broker"),
        (["broker"], "re2", "broker"),
        (["sub", "prices"], "zmq", "broker"),
        (["journal", "ls"], "google_crc32c", "broker"),
    ],
)
def test_a_missing_module_is_reported_with_its_extra(
    tmp_path: Path, arguments: list[str], module: str, extra: str
) -> None:
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        f"from zeps_cli.main import main\nsys.exit(main({arguments!r}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    error = f"zeps: error: module {module} is not installed: pip install 'zeps[{extra}]'\n"
    assert (done.returncode, done.stderr) == (1, error)


def test_each_extra_installs_its_modules() -> None:
    distributions = packages_distributions()
    required = requires("zeps")
    assert required is not None
    for module, extra in EXTRAS.items():
        pattern = re.compile(rf"{distributions[module][0]}\b.*; extra == '{extra}'", re.IGNORECASE)
        assert any(map(pattern.match, required)), module


_CURVE_AND_GATEWAY = """
[curve]
secret_key = "key"
[gateways.s]
subscribers = ["tcp://127.0.0.1:*"]
"""
_LIBZMQ_AND_GATEWAY = """
[transport]
engine = "libzmq"
[gateways.s]
subscribers = ["tcp://127.0.0.1:*"]
"""


@pytest.mark.parametrize("configuration", [_CURVE_AND_GATEWAY, _LIBZMQ_AND_GATEWAY], ids=["curve", "libzmq"])
def test_settings_that_exclude_each_other_are_a_usage_error(
    zeps: Zeps, tmp_path: Path, configuration: str
) -> None:
    file = tmp_path / "zeps.toml"
    file.write_text(configuration)
    code, output, error = zeps("broker", "--config", file)
    assert (code, output) == (2, "")
    assert "gateways need" in error


_DEVICES = (
    ("broker", "--data", "{folder}", "--bind", "{endpoint}"),
    ("forward", "--upstream-bind", "tcp://127.0.0.1:*", "--downstream", "{endpoint}"),
    ("bridge", "--amqp", "amqp://127.0.0.1:1", "--exchange", "x", "--downstream", "{endpoint}"),
)
_CONNECTING = (
    ("forward", "--upstream", "{endpoint}", "--downstream", "tcp://127.0.0.1:*"),
    ("sub", "s", "--endpoint", "{endpoint}"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("endpoint", "code"),
    [("nonsense", 2), ("carrier://pigeon", 2), ("tcp://127.0.0.1:70000", 2), ("tcp://203.0.113.1:1", 1)],
)
@pytest.mark.parametrize("arguments", _DEVICES, ids=lambda arguments: arguments[0])
def test_exit_code_of_an_endpoint_to_listen_on(
    zeps: Zeps, tmp_path: Path, arguments: tuple[str, ...], endpoint: str, code: int
) -> None:
    given = [argument.format(folder=tmp_path, endpoint=endpoint) for argument in arguments]
    assert zeps(*given)[:2] == (code, "")


@pytest.mark.slow
@pytest.mark.parametrize("endpoint", ["nonsense", "carrier://pigeon", "tcp://127.0.0.1:x"])
@pytest.mark.parametrize("arguments", _CONNECTING, ids=lambda arguments: arguments[0])
def test_exit_code_of_an_endpoint_to_connect_to(
    zeps: Zeps, arguments: tuple[str, ...], endpoint: str
) -> None:
    assert zeps(*(argument.format(endpoint=endpoint) for argument in arguments))[:2] == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize("descriptors", [6, 8, 9])
def test_a_broker_with_too_few_descriptors_says_so(tmp_path: Path, descriptors: int) -> None:
    command = ["prlimit", f"--nofile={descriptors}:{descriptors}", sys.executable, "-m", "zeps_cli", "broker"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert re.fullmatch(r"zeps: error: .*(too few file descriptors|Too many open files).*\n", done.stderr)
