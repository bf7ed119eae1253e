"""``python -m tests.cli.refresh``: plays every transcript and writes down what the commands print now.

Read the difference before you commit it: it is what users will see.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.cli.transcripts import FOLDER, played, sample_vault


def main() -> None:
    """Makes the transcripts anew and says which have changed."""
    for path in sorted(FOLDER.glob("*.txt")):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name).resolve()
            with sample_vault(folder):
                before = path.read_text(encoding="utf-8")
                after = played(before, folder)
        if after != before:
            path.write_text(after, encoding="utf-8", newline="\n")
        print(f"{'changed  ' if after != before else 'the same '} {path.name}")


if __name__ == "__main__":
    main()
