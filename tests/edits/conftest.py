"""A small vault and its editor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import pytest

from tests.conftest import VaultOf
from vaultmem.edits.editor import Editor
from vaultmem.vault import Vault


class Desk(Protocol):
    """Makes a vault with those files, and what changes it."""

    def __call__(self, files: Mapping[str, str | bytes]) -> tuple[Vault, Editor]: ...


@pytest.fixture
def desk_of(vault_of: VaultOf) -> Desk:
    def make(files: Mapping[str, str | bytes]) -> tuple[Vault, Editor]:
        vault = vault_of(files)
        return vault, vault.edits

    return make
