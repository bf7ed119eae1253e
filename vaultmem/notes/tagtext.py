"""What a tag may be made of (T-01, T-02)."""

from __future__ import annotations

import re
from typing import Final

TAG_CHARACTERS: Final = (
    r"[^\s\x00-\x2c\x2e\x3a-\x40\x5b-\x5e\x60\x7b-\x7f\u2000-\u206f\u2e00-\u2e7f]"
)
"""Letters and digits of any script, ``_``, ``-``, ``/`` and symbols: all but the listed ranges."""

TAG_NAME: Final = re.compile(TAG_CHARACTERS + "+")


def is_tag_name(name: str) -> bool:
    """Whether the text, without its ``#``, is a tag: only allowed characters, not only digits.

    >>> is_tag_name("y1984"), is_tag_name("1984"), is_tag_name("low tide")
    (True, False, False)
    >>> is_tag_name("１９８４"), is_tag_name("١٩٨٤م")
    (False, True)
    """
    return TAG_NAME.fullmatch(name) is not None and not is_number(name)


def is_number(name: str) -> bool:
    """Whether the name is made of decimal digits of any script alone, so that it is no tag (T-02)."""
    return name.isdecimal()
