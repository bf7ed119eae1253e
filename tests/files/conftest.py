"""What the tests of the disk layer share."""

import codecs
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def users_folder() -> Iterator[Path]:
    """An empty folder, owned by the user the test then runs as: never the superuser, who may do everything."""
    if sys.platform == "win32":
        pytest.skip("permissions are another matter on Windows")
    codecs.lookup("ascii")  # loaded when first used, from where that user may not read
    folder = Path(tempfile.mkdtemp(prefix="vaultmem-test-"))
    superuser = os.geteuid() == 0
    if superuser:
        os.chown(folder, NOBODY, NOBODY)
        os.setegid(NOBODY)
        os.seteuid(NOBODY)
    try:
        yield folder
    finally:
        if superuser:
            os.seteuid(0)
            os.setegid(0)
        for place in (folder, *folder.rglob("*")):
            if place.is_dir() and not place.is_symlink():
                place.chmod(0o700)
        shutil.rmtree(folder)
