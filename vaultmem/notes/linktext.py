"""The text of links: taking it apart as read, and putting it together as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import normalize

from vaultmem.errors import RefusedError
from vaultmem.notes.obsidian import LinkFormat, ObsidianSettings
from vaultmem.notes.paths import parent, stem
from vaultmem.notes.resolve import Lookup, resolve

# --- reading ---


def split_wikilink(inner: str, *, in_table: bool = False) -> tuple[str, str, str | None]:
    r"""Target, subpath and display text of what stands between ``[[`` and ``]]``, each trimmed.

    The first ``|`` that is not the first character separates (L-02, L-07), written ``\|`` or not (L-13,
    L-14); without one, display is None, and a blank one is ``""`` (L-08). The subpath starts at the
    target's first ``#`` and keeps it (L-03). Nothing is percent-decoded (L-33). Both target and subpath
    are ``""`` for a blank inner text, which is no link. Inside a table, ``\|`` in the display text is ``|``.

    >>> split_wikilink(r" a#b \| c|d ")
    ('a', '#b', 'c|d')
    >>> split_wikilink("|x")
    ('|x', '', None)
    """
    text = inner.strip()
    if text.startswith("\\|"):
        text = text[1:]
    separator = text.find("|", 1)
    display: str | None = None
    if separator > 0:
        display = text[separator + 1 :].strip()
        if in_table:
            display = display.replace("\\|", "|")
        text = text[:separator].removesuffix("\\")
    target, subpath = _split_subpath(text)
    return target, subpath, display


_PERCENT_RUN: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


def split_destination(dest: str) -> tuple[str, str]:
    """Target and subpath of a Markdown destination, its escapes and angle brackets already undone.

    Percent signs are decoded before the split (L-27, L-34); a run that is no UTF-8 stays as typed.

    >>> split_destination("Reef%20two.md#Low%20tide")
    ('Reef two.md', '#Low tide')
    """
    if "%" in dest:
        dest = _PERCENT_RUN.sub(_decoded, dest)
    return _split_subpath(dest)


def _decoded(run: re.Match[str]) -> str:
    try:
        return bytes.fromhex(run[0].replace("%", "")).decode()
    except UnicodeDecodeError:
        return run[0]


def _split_subpath(text: str) -> tuple[str, str]:
    start = text.find("#")
    if start < 0:
        return text.strip(), ""
    return text[:start].strip(), text[start:].strip()


def shown_target(target: str, subpath: str) -> str:
    """What a reader sees of a link without display text: the target with `` > `` for each ``#`` (L-37)."""
    parts = (target, *(part.strip() for part in subpath.split("#")))
    return " > ".join(part for part in parts if part)


# --- writing ---

_UNSAFE_IN_HEADING: Final = re.compile(r"[:#|^\\\r\n]|%%|\[\[|\]\]")


def heading_for_link(heading: str) -> str:
    """A heading's text as a link may hold it; it still matches the heading (L-39, H-01).

    A bracket at the very end goes too: with the link's own it would close the link too early.

    >>> heading_for_link("Sand: fine | coarse")
    'Sand fine coarse'
    """
    return " ".join(_UNSAFE_IN_HEADING.sub(" ", heading).split()).rstrip("] ")


_ENCODE: Final = re.compile(
    r"""%(?=[0-9A-Fa-f]{2})    # would be decoded
      | [\x00-\x20\x7f\\|`$<>] # ends a destination or table cell, escapes, opens code, math or HTML
      | &(?=\#?\w+;)           # would be read as an entity
    """,
    re.VERBOSE,
)
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def encode_destination(path: str) -> str:
    """The path (with its subpath) as a Markdown destination that needs no angle brackets (L-40).

    Blanks become ``%20`` and a ``%`` that would be decoded becomes ``%25``; letters of any script stay
    readable. Parentheses stay where they are balanced (L-32).

    >>> encode_destination("b/Żaba 50%25.md")
    'b/Żaba%2050%2525.md'
    """
    encoded = _ENCODE.sub(lambda match: f"%{ord(match[0]):02X}", path)
    if not _balanced(encoded):
        encoded = encoded.replace("(", "%28").replace(")", "%29")
    if scheme := _SCHEME.match(encoded):
        encoded = f"{scheme[0][:-1]}%3A{encoded[scheme.end() :]}"
    return encoded


def _balanced(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def make_link(
    *,
    source: str,
    target_path: str,
    settings: ObsidianSettings,
    lookup: Lookup,
    subpath: str = "",
    display: str | None = None,
    embed: bool = False,
    in_table: bool = False,
) -> str:
    """The link to insert into the note ``source`` so that it leads to the file ``target_path``.

    Form and path follow the settings (L-41); ``.md`` goes in wikilinks and stays in Markdown links. A
    subpath starts with ``#``; its headings are made safe (L-39). A pipe is escaped in a table (L-42). The
    text always leads back to the file: where the short form would not, a longer one is written, and a
    name that no wikilink can hold (R-20) gets a Markdown link.

    Raises RefusedError for a file that neither kind of link can address.
    """
    subpath = _safe_subpath(subpath)
    mark = "!" if embed else ""
    style = settings.new_link_format
    same_note = source == target_path and bool(subpath)
    if not settings.use_markdown_links:
        for text in ("",) if same_note else _leading_back(source, target_path, style, lookup):
            if _fits_wikilink(text):
                return mark + _wikilink(text, subpath, display, in_table=in_table)
    for text in (
        ("",)
        if same_note
        else _leading_back(source, target_path, style, lookup, keep_extension=True)
    ):
        dest = encode_destination(text)
        if split_destination(dest) == (text, ""):
            shown = _bracket_text(target_path, text, subpath, embed) if display is None else display
            dest += encode_destination(subpath)
            return f"{mark}[{_safe_bracket_text(shown, in_table=in_table)}]({dest})"
    raise RefusedError(
        f"No link can lead to {target_path}: its name has no extension or holds characters of links.",
        hint="Rename the file first.",
    )


def _leading_back(
    source: str,
    target_path: str,
    style: LinkFormat,
    lookup: Lookup,
    *,
    keep_extension: bool = False,
) -> Iterator[str]:
    """Texts that resolve to the file from the source, the wanted style first, ever longer ones after."""
    for typed in _typed_forms(source, target_path, style):
        # A name like "Log.md.md" may need its .md, and one that a Mac decomposed its own spelling.
        spellings = dict.fromkeys((normalize("NFC", typed), typed))
        short = [_without_extension(spelling) for spelling in spellings]
        for text in (*spellings, *short) if keep_extension else (*short, *spellings):
            if resolve(text, source, lookup).path == target_path:
                yield text


def _typed_forms(source: str, target_path: str, style: LinkFormat) -> Iterator[str]:
    if style is LinkFormat.SHORTEST:
        yield target_path[target_path.rfind("/") + 1 :]
    if style is LinkFormat.RELATIVE:
        relative = _relative(source, target_path)
        yield relative
        if not relative.startswith("../"):
            yield "./" + relative
    yield target_path


def _relative(source: str, target_path: str) -> str:
    here = parent(source).split("/") if parent(source) else []
    there = target_path.split("/")
    shared = 0
    while shared < min(len(here), len(there) - 1) and here[shared] == there[shared]:
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:])


def _without_extension(text: str) -> str:
    return text[:-3] if text[-3:].lower() == ".md" else text


def _fits_wikilink(text: str) -> bool:
    """Whether ``[[text]]`` reads back as a link to just this text, whatever stands around it (L-09, R-20)."""
    if text != text.strip() or any(mark in text for mark in "#^|\\`<\r\n") or text.count("$") > 1:
        return False
    return ("[[" + text).rfind("[[") == 0 and (text + "]]").find("]]") == len(text)


def _wikilink(text: str, subpath: str, display: str | None, *, in_table: bool) -> str:
    if display is None or display == shown_target(text, subpath):
        return f"[[{text}{subpath}]]"
    # Brackets that would open or close a link, and line breaks, may not stand in display text.
    safe = " ".join(display.split("\n")).replace("\r", "")
    safe = re.sub(r"\[(?=\[)|\](?=\]|\Z)", r"\g<0> ", safe)
    if in_table:
        safe = safe.replace("|", "\\|")
    return f"[[{text}{subpath}{chr(92) if in_table else ''}|{safe}]]"


def _bracket_text(target_path: str, text: str, subpath: str, embed: bool) -> str:
    """What a Markdown link shows when nothing was asked for: the note's name; nothing for an embed."""
    if embed:
        return ""
    return stem(target_path) if text else shown_target("", subpath)


def _safe_bracket_text(text: str, *, in_table: bool) -> str:
    escaped = re.sub(r"[\\\[\]`$<]", r"\\\g<0>", " ".join(text.split("\n")).replace("\r", ""))
    return escaped.replace("|", "\\|") if in_table else escaped


def _safe_subpath(subpath: str) -> str:
    """Each heading of the chain made safe; block and footnote ids as they are.

    A ``#`` beside a blank belongs to a heading's text ("Using C# well") and is no link of the chain.
    """
    parts = re.split(r"#(?![\s#]|\Z)(?<!\s#)", subpath.strip())
    kept = (part if part.startswith(("^", "[^")) else heading_for_link(part) for part in parts)
    return "".join("#" + part for part in kept if part)
