"""From a path, the environment or the current folder to a vault."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from vaultmem.errors import SettingsError
from vaultmem.places import find_vault, user_cache_path
from vaultmem.settings import Settings, load_settings, user_config_path
from vaultmem.vault import Vault


def open_vault(
    path: Path | str | None = None,
    *,
    settings: Settings | None = None,
    environ: Mapping[str, str] | None = None,
    start: Path | None = None,
    home: Path | None = None,
    user_config: Path | None = None,
    cache_root: Path | None = None,
) -> Vault:
    """The vault at ``path``, or the one that the environment or the current folder means.

    Nothing is read or written yet, and any folder of Markdown will do. Whatever is not given is taken from the
    process: its environment, current folder, home, and the user's settings. Raises VaultNotFoundError,
    SettingsError.
    """
    environ = os.environ if environ is None else environ
    root = find_vault(
        start or Path.cwd(),
        flag=Path(path) if path is not None else None,
        environ=environ,
        home=home or Path.home(),
    )
    if settings is None:
        settings = load_settings(
            vault=root, user_config=user_config or user_config_path(), environ=environ
        )
        loaded = True
    else:
        loaded = False
    return Vault(root, settings, cache_root=cache_root or user_cache_path(), loaded=loaded)


def open_to_examine(
    path: Path | str | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    start: Path | None = None,
    home: Path | None = None,
    user_config: Path | None = None,
    cache_root: Path | None = None,
) -> Vault:
    """Like :func:`open_vault`, for :meth:`Vault.doctor`, which then reports settings that cannot be read; in their
    place those stand that are not the vault's own, or the defaults.

    A vault without an index gets none inside then: that may be what its settings forbid. Raises VaultNotFoundError.
    """
    environ = os.environ if environ is None else environ
    opening = partial(
        open_vault, path, environ=environ, start=start, home=home, cache_root=cache_root
    )
    try:
        return opening(user_config=user_config)
    except SettingsError as error:
        fault = error
    try:
        usable = load_settings(
            vault=None, user_config=user_config or user_config_path(), environ=environ
        )
    except SettingsError:
        usable = Settings()
    vault = opening(settings=usable)
    if not vault.index_path.exists():
        elsewhere = replace(usable, index=replace(usable.index, location="cache"))
        vault = opening(settings=elsewhere)
    vault.settings_fault = fault
    return vault
