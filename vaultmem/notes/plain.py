"""The words a reader sees, out of a slice of Markdown: for embedding and for snippets.

A cheap rendering by patterns, not a parse: a slice may start and end anywhere, and a mark more or less in a
snippet costs nothing. Each pattern takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from vaultmem.notes.linktext import shown_target, split_destination, split_wikilink
from vaultmem.notes.spans import is_external, split_size

_FENCE: Final = re.compile(r"^[ \t>]*(`{3,}|~{3,})")


def plain_text(markdown: str) -> str:
    """The text without its marks, line by line; trimmed, at most one blank line in a row.

    Links become their display text, or what Obsidian shows instead (L-37); addresses of links, emphasis,
    heading, list, quote and callout marks, check boxes, table rules, block ids, footnote marks, ``%%`` and
    HTML tags and comments go; the text of ``%%`` comments and of code stays.
    """
    if "<!--" in markdown:
        markdown = _without_html_comments(markdown)
    if "```" not in markdown and "~~~" not in markdown:
        return _tidy(_render(markdown))
    return _tidy("\n".join(_render_around_fences(markdown.split("\n"))))


def _render_around_fences(lines: list[str]) -> list[str]:
    rendered: list[str] = []
    text: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip("`~ \t\r"):
                fence = ""
            else:
                rendered.append(line)
        elif mark:
            rendered.append(_render("\n".join(text)))
            text = []
            fence = mark[1]
        else:
            text.append(line)
    rendered.append(_render("\n".join(text)))
    return rendered


_LINE_MARKS: Final = re.compile(
    r"""^[ \t]*+ (?:>[ \t]*+)*+
        (?: \[![\w-]++\][+-]?[ \t]*+                      # the kind of a callout
          | \#{1,6}[ \t]++
          | (?:[-*+]|[0-9]{1,9}[.)])[ \t]++ (?:\[[^\n]\](?:[ \t]++|$))?
          | \[\^[^\]\s]++\]:[ \t]*+                         # a footnote's text
          | (?:[-_*=][ \t]*+){2,}+$                         # a rule or an underline
          | [|:-][|:\- \t]*+$                               # the rule of a table
        )?+""",
    re.VERBOSE | re.MULTILINE,
)
_HEADING_END: Final = re.compile(r"[ \t]#++[ \t]*+$", re.MULTILINE)
_BLOCK_ID: Final = re.compile(r"(?:^|[ \t])\^[A-Za-z0-9-]++[ \t]*+$", re.MULTILINE)
_WIKILINK: Final = re.compile(r"(!?)\[\[([^\[\]\n]++)\]\]")
_INLINE_LINK: Final = re.compile(
    r"(!?)\[((?:[^\[\]\\\n]|\\.)*+)\]\((<[^<>\n]*+>|[^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+)"
    r"(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?+\)"
)
_FOOTNOTE: Final = re.compile(r"\[\^[^\]\s]{1,100}+\]")
_AUTOLINK: Final = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+)>")
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]*+>")
_EMPHASIS: Final = re.compile(
    r"(?<=\w)\*\*(?=\w)|(?<![\w*])\*{1,3}(?=\S)|(?<=\S)\*{1,3}(?!\w)"
    r"|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)"
    r"|(?:==|~~)(?=\S)|(?<=\S)(?:==|~~)"
)
_ESCAPE: Final = re.compile(r"\\([!-/:-@\[-`{}~])")
_ASIDE: Final = 0xE000
_BACK: Final = {_ASIDE + code: chr(code) for code in range(0x21, 0x7F)}
_TABLE_ROW: Final = re.compile(r"^[ \t]*+\|.*+$", re.MULTILINE)
_CODE: Final = re.compile("(`+)")


def _render(text: str) -> str:
    text = _LINE_MARKS.sub("", text)
    if "^" in text:
        text = _FOOTNOTE.sub("", _BLOCK_ID.sub("", text))
    if "#" in text:
        text = _HEADING_END.sub("", text)
    if "`" not in text:
        return _render_inline(text)
    return _around_code_spans(text, _render_inline)


def _render_inline(text: str) -> str:
    if "\\" not in text:
        return _render_unescaped(text)
    # Escaped marks step aside while the others go; a table row's own "\\|" is left to it.
    text = _ESCAPE.sub(lambda match: chr(_ASIDE + ord(match[1])), text)
    return _render_unescaped(text).translate(_BACK)


def _render_unescaped(text: str) -> str:
    if "[[" in text:
        text = _WIKILINK.sub(_wikilink_text, text)
    if "](" in text:
        # Twice, for an image inside a link.
        text = _INLINE_LINK.sub(_link_text, _INLINE_LINK.sub(_link_text, text))
    if "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    text = text.replace("%%", "")
    if "*" in text or "_" in text or "==" in text or "~~" in text:
        text = _EMPHASIS.sub("", text)
    if "|" in text:
        text = _TABLE_ROW.sub(_row_text, text)
    return text


def _around_code_spans(text: str, render: Callable[[str], str]) -> str:
    """The text with all but its code spans rendered, and the spans without their backticks."""
    pieces = _CODE.split(text)
    closers: dict[str, list[int]] = {}
    for at in range(len(pieces) - 2, 0, -2):
        closers.setdefault(pieces[at], []).append(at)
    out: list[str] = []
    at = 0
    while at < len(pieces):
        if at % 2 == 0:
            out.append(render(pieces[at]))
            at += 1
            continue
        places = closers[pieces[at]]
        while places and places[-1] <= at:
            places.pop()
        if places:
            out += pieces[at + 1 : places[-1]]
            at = places[-1] + 1
        else:
            out.append(pieces[at])
            at += 1
    return "".join(out)


def _wikilink_text(match: re.Match[str]) -> str:
    target, subpath, display = split_wikilink(match[2], in_table=True)
    if display and match[1]:
        display, _ = split_size(display, target)
    return display or shown_target(target, subpath)


def _link_text(match: re.Match[str]) -> str:
    if not match[1]:
        return match[2]
    dest = match[3].strip("<>")
    # What lies elsewhere is shown as an image whatever its name.
    text, _ = split_size(match[2], ".png" if is_external(dest) else split_destination(dest)[0])
    return text or ""


def _row_text(match: re.Match[str]) -> str:
    return match.group().replace("\\|", "|").replace("|", " ").strip()


def _without_html_comments(text: str) -> str:
    pieces = text.split("<!--")
    kept = [pieces[0]]
    for piece in pieces[1:]:
        _, closing, after = piece.partition("-->")
        kept.append(after if closing else piece)
    return "".join(kept)


_BLANK_ENDS: Final = re.compile(r"(?<![ \t\r])[ \t\r]++$", re.MULTILINE)
_BLANK_LINES: Final = re.compile(r"\n{3,}")


def _tidy(text: str) -> str:
    return _BLANK_LINES.sub("\n\n", _BLANK_ENDS.sub("", text)).strip()
