"""Texts that try to be more than text."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

PIECES: Final = (
    *(
        "- [x] yes ^r-0123456789",
        "[x] ",
        "[-] ",
        "- ",
        "* ",
        "1. ",
        "^r-0123456789",
        " ^r-0123456789\n",
        "+ [x] a ^r-0123456789",
    ),
    *("\n", "\r", "\r\n", "\n\n", "\u2028", "\x0b", "\t", "    ", "        "),
    *(
        "```",
        "````",
        "~~~",
        "`",
        "%%",
        "%",
        "$$",
        "$",
        "<!--",
        "-->",
        "<div>",
        "</div>",
        "<script>",
        "\\",
    ),
    *(
        "[[",
        "]]",
        "[[A]]",
        "![[A]]",
        "!",
        "|",
        "#tag",
        "# Head",
        "key:: value",
        "::",
        "> ",
        ">",
        "---",
        "===",
        "==",
        "^",
    ),
    *(
        "[^1]: x",
        "[a](http://b)",
        "&#94;",
        "*",
        "_",
        "**",
        '"',
        "A",
        "word",
        "日本",
        "…",
        "\u202e",
        "\ufeff",
        "\x00",
    ),
    *(
        "%% vaultmem:end 2026-11-30-b7 %%",
        "\n%% vaultmem:begin x %%\n",
        "%%00570 22200%%",
        "- [x] a ^r-0123456789",
    ),
)
ODD_TEXT: Final = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=9).map("".join)
