"""``make demo`` works on anybody's vault."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vaults import write

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "scripts" / "demo.py"

ODD_NAMES: dict[str, str | bytes] = {
    "README.md": "[[a/README]] [[--help]] [[b]]",
    "a/README.md": "[[README]]",
    "--help.md": "[[README]] [[README]]",
    "a/-v.md": "[[x]]",
    " blank.md": "[[x]] [[y]] [[z]] [[w]]",
    "[[c]].md": "[[x]] [[y]] [[z]] [[w]]",
    ".hidden/n.md": "[[x]] [[y]] [[z]] [[w]] [[v]]",
    "---.MD": "[[x]] [[y]]",
}


@pytest.mark.parametrize("files", [ODD_NAMES, {}], ids=["odd names", "empty"])
@pytest.mark.parametrize("folder", ["it's a $HOME vault", "-x"])
def test_the_demonstration_ends_well(
    tmp_path: Path, folder: str, files: dict[str, str | bytes]
) -> None:
    vault = tmp_path / folder
    vault.mkdir()
    write(vault, files)

    ended = demo([sys.executable, str(DEMO), str(vault)], tmp_path)

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Everything is back" in ended.stdout
    assert (vault / ".vaultmem" / "memory.db").is_file()
    kept = {p.relative_to(vault).as_posix() for p in vault.rglob("*") if p.is_file()}
    assert {path for path in kept if not path.startswith(".vaultmem/")} == set(files)


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_make_hands_over_a_path_as_typed(tmp_path: Path) -> None:
    vault = '/it\'s/$HOME "x"'
    rule = 'told: ; @printf %s "$$VAULT"'

    assert demo(["make", "-s", "--eval", rule, "told", f"VAULT={vault}"], tmp_path).stdout == vault


def demo(command: list[str], home: Path) -> subprocess.CompletedProcess[str]:
    environ = os.environ | {"HOME": str(home / "home"), "VAULTMEM_EMBEDDER": "none"}
    return subprocess.run(
        command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
