"""``zeps keys``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from zeps_command import report_error

__all__ = ["add_commands"]

_DESCRIPTION = """\
Create a CURVE key pair for a broker or a client: NAME.key is public, NAME.key_secret is secret: only its owner
can read it. Prints both paths. An existing file is a failure and is not changed.

  zeps keys broker                     [curve] secret_key = "broker.key_secret" of the broker
  zeps keys alice --folder clients     authorized_keys = "clients" authorizes alice
  zeps sub prices --server-key broker.key --client-key clients/alice.key_secret

exit codes: 0 success, 1 failure (see standard error), 2 usage error
"""


def add_commands(commands: Any) -> None:
    """Adds `keys` to the subparsers `commands`; it sets `run`, a function from options to exit code."""
    parser = commands.add_parser(
        "keys",
        help="create a CURVE key pair",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME", type=_name, help="name of the two new files, without suffix")
    parser.add_argument(
        "--folder", type=Path, default=Path(), metavar="DIR",
        help="folder for the files, created if it does not exist (default: the current folder)",
    )  # fmt: skip
    parser.set_defaults(run=_keys)


def _name(text: str) -> str:
    if not text or "/" in text or text.startswith("."):
        reason = "it must not be empty, contain / or begin with a dot"
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid name: {reason}")
    return text


def _keys(options: argparse.Namespace) -> int:
    from zeps_broker.transport.certificates import make_certificates

    try:
        public, secret = make_certificates(options.folder, options.name)
    except OSError as error:
        return report_error(error)
    print(f"{public}\n{secret}")
    return 0
