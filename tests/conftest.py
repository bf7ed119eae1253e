"""What the tests of index, search and vault share."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol

import pytest
from hypothesis import settings

from tests.vaults import WORDS, vault_at, write
from vaultmem.settings import Settings
from vaultmem.vault import Vault

NOBODY = 65534

# The suite tries the same examples every time, so that what turns red was changed; ``make fuzz`` looks for new ones.
settings.register_profile("suite", derandomize=True, deadline=None)
settings.register_profile("fuzz", max_examples=2_000, deadline=None, print_blob=True)
settings.load_profile("suite")


# Who is started in the background of a script ignores SIGINT, and under nohup SIGHUP; so would the commands that are
# interrupted here.
if threading.current_thread() is threading.main_thread() and (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):
    signal.signal(signal.SIGINT, signal.default_int_handler)
if (
    sys.platform != "win32"
    and threading.current_thread() is threading.main_thread()
    and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class VaultOf(Protocol):
    """Makes a vault with those files; closed when the test ends."""

    def __call__(
        self,
        files: Mapping[str, str | bytes] | None = None,
        *,
        settings: Settings = WORDS,
        cores: int = 1,
    ) -> Vault: ...


@pytest.fixture
def vault_of(tmp_path: Path) -> Iterator[VaultOf]:
    """A maker of vaults in the test's folder; called again it gives another ``Vault`` on the same files."""
    opened: list[Vault] = []

    def make(
        files: Mapping[str, str | bytes] | None = None,
        *,
        settings: Settings = WORDS,
        cores: int = 1,
    ) -> Vault:
        vault = vault_at(tmp_path / "vault", settings=settings, cores=cores)
        write(vault.root, files or {})
        opened.append(vault)
        return vault

    yield make
    for vault in opened:
        vault.close()


@pytest.fixture
def users_folder() -> Iterator[Path]:
    """An empty folder, owned by the user the test then runs as: never the superuser, who may do everything."""
    if sys.platform == "win32":
        pytest.skip("permissions are another matter on Windows")
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
