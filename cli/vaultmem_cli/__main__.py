"""``python -m vaultmem_cli`` is the command ``vaultmem``."""

from __future__ import annotations

import sys

from vaultmem_cli.main import main

if __name__ == "__main__":
    sys.exit(main())
