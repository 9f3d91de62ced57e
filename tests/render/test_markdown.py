"""The Markdown view."""

from __future__ import annotations

import re
from collections.abc import Callable

from markdown_it import MarkdownIt

from gpuadvisor.evidence.findings import Analysis
from gpuadvisor.render.markdown import render
from gpuadvisor.render.text import TextOptions


def html(analysis: Analysis, options: TextOptions | None = None) -> str:
    parser = MarkdownIt("gfm-like", {"linkify": False, "html": True})
    return str(parser.render(render(analysis, options)))


def test_the_transpose_sample(analysis: Analysis, kept: Callable[[str, str], None]) -> None:
    kept("transpose.md", render(analysis, TextOptions(base="/home/u")))


def test_it_is_read_as_meant(analysis: Analysis) -> None:
    page = html(analysis)
    assert page.count("<tr>") == 1 + len(analysis.kernels)
    assert page.count("<h2>") == len(analysis.kernels) + 1
    assert "<h3>warning GA101 uncoalesced-global-access</h3>" in page
    assert '<code class="language-cuda">' in page


def test_hostile_text_makes_no_element(hostile: Analysis) -> None:
    page = html(hostile, TextOptions(lines=True, vendor=True))
    elements = set(re.findall(r"<([a-z0-9]+)", page))
    assert not elements & {"img", "a", "script"}
    # Bold is ours alone: why, fix, gain and next.
    assert page.count("<strong>") == 4
    prose = re.sub(r"<(code|pre)[^>]*>.*?</\1>", "", page, flags=re.DOTALL)
    assert "@team" not in prose
    assert "http://" not in prose
    assert page.count("<td") == 9


def test_nothing_unseen_is_left(hostile: Analysis) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", render(hostile))
