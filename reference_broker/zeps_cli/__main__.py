"""``python -m zeps_cli`` is the ``zeps`` command."""

import sys

from zeps_cli.main import main

sys.exit(main())
