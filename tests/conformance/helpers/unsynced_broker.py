"""The reference broker with a planted fault: `data` does not sync files, `folders` does not sync folders."""

from __future__ import annotations

import sys

from zeps_broker.journal.disk import OsDisk
from zeps_cli.main import main


def _nothing(*_: object) -> None:
    pass


if __name__ == "__main__":
    setattr(OsDisk, {"data": "fdatasync", "folders": "sync_folder"}[sys.argv.pop(1)], _nothing)
    sys.exit(main())
