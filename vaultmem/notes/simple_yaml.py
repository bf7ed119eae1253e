"""tmp"""

from vaultmem.notes.yaml12 import LoadedYaml


def load_simple(block: str) -> LoadedYaml | None:
    return None
