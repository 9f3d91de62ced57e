"""Making text of unknown origin harmless where it is shown.

Kernel names, paths and source lines come from files that anyone may have written. A terminal
would obey the escape sequences in them, a text view would reorder bidirectional overrides, and
an issue tracker would run its markup.
"""

from __future__ import annotations

import re

# Control characters (C0, DEL, C1), line and paragraph separators, bidirectional controls,
# zero-width characters, lone surrogates, the byte-order mark and tag characters.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_MARKDOWN = re.compile(r"([\\`*_{}\[\]|~$]|^[-+=])")
_BACKTICKS = re.compile("`+")


def visible(text: str) -> str:
    """One line of text with everything that is not seen written out (`\\x1b`, `\\u202e`)."""
    return _UNSEEN.sub(_written_out, text)


def code_line(text: str, tab: int = 4) -> str:
    """A source line with tabs as spaces, trailing blanks gone and the unseen written out."""
    return visible(text.expandtabs(tab).rstrip())


def markdown(text: str) -> str:
    """Prose for Markdown: no emphasis, links, HTML, tables, mentions or issue references."""
    text = _MARKDOWN.sub(r"\\\1", visible(text))
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    # Trackers look for mentions, issue numbers and links in the rendered text, where an escape no
    # longer shows; a comment in the middle keeps the parts apart.
    return text.replace("@", "@<!-- -->").replace("#", "#<!-- -->").replace("://", ":<!-- -->//")


def markdown_code(text: str, *, in_table: bool = False) -> str:
    """An inline code span holding exactly this text; `in_table` also guards its pipes."""
    text = visible(text)
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text:
        text = f" {text} "
    if in_table:
        text = text.replace("|", "\\|")
    return f"{fence}{text}{fence}"


def markdown_block(lines: list[str], language: str = "") -> list[str]:
    """A fenced code block around lines; the fence is longer than any backtick run inside."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *lines, fence]


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x100:
        return {0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"}.get(code, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
