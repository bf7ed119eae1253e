"""``vaultmem init``: the folder ``.vaultmem`` with its settings file, never over anything that is there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from vaultmem.errors import FailedError, RefusedError, VaultNotFoundError
from vaultmem.index.store import INDEX_NAME
from vaultmem.places import STATE_FOLDER, find_vault, index_dir, user_cache_path
from vaultmem.settings import (
    VAULT_CONFIG,
    Explained,
    Settings,
    explain,
    load_settings,
    user_config_path,
)
from vaultmem_cli.answers import InitReport
from vaultmem_cli.configuration import toml_word
from vaultmem_cli.console import Page, Style
from vaultmem_cli.textwidth import clean
from vaultmem_cli.views.words import labelled

LOCATION_KEY = "index.location"

GITIGNORE = """\
# Derived from the notes: these can be made again at any time.
memory.db*
embeddings.db*
*.lock

# What is under way at this moment, and how the daemon of this machine is.
intents/
displaced/
activity
daemon.*
"""

CONFIG_HEAD = """\
# The settings of this vault. A line that begins with # shows a default.
# `vaultmem config` shows what is in force and where each value comes from.
"""


def initialise(flag: Path | None, location: str | None) -> InitReport:
    """Makes what is missing of ``.vaultmem/config.toml`` and ``.vaultmem/.gitignore`` in the vault meant.

    Raises VaultNotFoundError, FailedError when the folder cannot be written, and RefusedError when
    ``location`` is asked for and the settings file that is there says otherwise.
    """
    vault = _vault_to_be(flag)
    texts = {
        vault / VAULT_CONFIG: config_text(location),
        vault / STATE_FOLDER / ".gitignore": GITIGNORE,
    }
    made = {path: _make(path, text) for path, text in texts.items()}
    settings = load_settings(vault=vault, user_config=user_config_path(), environ=os.environ)
    if location is not None and settings.index.location != location:
        where = settings.origin(LOCATION_KEY).where
        raise RefusedError(
            f'{where} says location = "{settings.index.location}", and init never overwrites.',
            hint=f'Write location = "{location}" there, under [index].',
        )
    return InitReport(
        vault=str(vault),
        index_location=settings.index.location,
        created=tuple(str(path) for path, is_new in made.items() if is_new),
        kept=tuple(str(path) for path, is_new in made.items() if not is_new),
        has_index=(index_dir(vault, settings, user_cache_path()) / INDEX_NAME).is_file(),
    )


def _vault_to_be(flag: Path | None) -> Path:
    """The vault that a call means, or the current folder where there is none yet (but not one as wide as home)."""
    here, home = Path.cwd(), Path.home()
    try:
        return find_vault(here, flag=flag, environ=os.environ, home=home)
    except VaultNotFoundError:
        named = flag is not None or bool(os.environ.get("VAULTMEM_VAULT"))
        if named or here in (home, *home.parents):
            raise
        return here


def config_text(location: str | None = None) -> str:
    """A settings file with every default in a comment, and the index's location when one is chosen; not what is never
    taken from a vault."""
    return CONFIG_HEAD + "".join(_tables(location))


def _tables(location: str | None) -> Iterator[str]:
    shown = (item for item in explain(Settings()) if item.in_vault)
    for table, items in groupby(shown, lambda item: item.key.partition(".")[0]):
        yield f"\n[{table}]\n"
        for item in items:
            yield f"# {item.about}\n{_line(item, location)}\n"


def _line(item: Explained, location: str | None) -> str:
    name = item.key.partition(".")[2]
    if item.key == LOCATION_KEY and location is not None:
        return f'{name} = "{location}"'
    value = f'"{item.value}"' if isinstance(item.value, str) else toml_word(item.value)
    return f"# {name} = {value}"


def _make(path: Path, text: str) -> bool:
    """Writes a new file; False when there is one already. Raises FailedError."""
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        if path.exists():
            return False
        raise FailedError(f"{path} cannot be made: something else has that name.") from None
    except OSError as error:
        raise FailedError(
            f"{path} cannot be written: {error.strerror}.",
            hint="The vault need not be writable: set VAULTMEM_INDEX_LOCATION=cache instead.",
        ) from error
    return True


def init_page(report: InitReport, style: Style) -> Page:
    """What was made, what was there, and what to do next."""
    rows = [
        ("vault", clean(report.vault)),
        *(("created", clean(path)) for path in report.created),
        *(("kept", clean(path)) for path in report.kept),
    ]
    return Page(
        labelled(rows, style),
        [f"Next: {'' if report.has_index else 'vaultmem rebuild, then '}vaultmem search WORDS."],
    )
