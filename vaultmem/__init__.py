"""vaultmem: the memory that never loses or rewrites a note behind your back.

from vaultmem import open_vault

with open_vault("~/Notes") as vault:
    for hit in vault.search("where is the fuel key").hits:
        print(hit.path, hit.snippet.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vaultmem.errors import VaultmemError
    from vaultmem.opening import open_vault
    from vaultmem.vault import Vault

__all__ = ["Vault", "VaultmemError", "__version__", "open_vault"]

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Imports the public names on first use: ``import vaultmem`` alone costs nothing."""
    if name == "Vault":
        from vaultmem.vault import Vault

        return Vault
    if name == "open_vault":
        from vaultmem.opening import open_vault

        return open_vault
    if name == "VaultmemError":
        from vaultmem.errors import VaultmemError

        return VaultmemError
    raise AttributeError(f"module 'vaultmem' has no attribute {name!r}")
