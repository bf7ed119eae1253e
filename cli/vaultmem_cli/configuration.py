"""``vaultmem config``: the settings in force and where each comes from."""

from __future__ import annotations

import os
from pathlib import Path

from vaultmem.errors import VaultNotFoundError
from vaultmem.places import find_vault
from vaultmem.settings import VAULT_CONFIG, explain, load_settings, user_config_path
from vaultmem_cli.answers import ConfigAnswer, SettingView
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import cells, clean, pad


def configuration(flag: Path | None) -> ConfigAnswer:
    """The settings in force for the vault that the call means; without a vault, those of the user.

    Raises VaultNotFoundError only for a vault that was named and is not there; SettingsError.
    """
    vault = _vault(flag)
    user = user_config_path()
    settings = load_settings(vault=vault, user_config=user, environ=os.environ)
    return ConfigAnswer(
        vault=str(vault) if vault else None,
        vault_config=str(vault / VAULT_CONFIG) if vault else None,
        user_config=str(user),
        settings=tuple(
            SettingView(item.key, item.value, item.origin.source, item.origin.where, item.about)
            for item in explain(settings)
        ),
    )


def _vault(flag: Path | None) -> Path | None:
    try:
        return find_vault(Path.cwd(), flag=flag, environ=os.environ, home=Path.home())
    except VaultNotFoundError:
        if flag is not None:
            raise
        return None


def toml_word(value: str | int | float | bool) -> str:
    """The value as a settings file has it, without quotes unless there is nothing between them."""
    return str(value).lower() if isinstance(value, bool) else str(value) or '""'


def config_page(answer: ConfigAnswer, style: Style) -> Page:
    """One setting a line: key, value, origin."""
    values = [toml_word(item.value) for item in answer.settings]
    key_width = max(len(item.key) for item in answer.settings) + 2
    value_width = max(map(cells, values)) + 2
    lines = [
        pad(item.key, key_width)
        + style.bold(pad(clean(value), value_width))
        + style.dim(f"{item.origin} ({clean(item.where)})" if item.where else item.origin)
        for item, value in zip(answer.settings, values, strict=True)
    ]
    files = [answer.vault_config or "no vault here", answer.user_config]
    return Page(lines, [f"Settings files: {', '.join(map(clean, files))}"])
