"""The profiler's own rules beside ours."""

from __future__ import annotations

from gpuadvisor.evidence import VendorRule
from gpuadvisor.render.layout import plain
from gpuadvisor.render.vendor_text import plain_message, vendor_lines


def test_links_become_their_text() -> None:
    message = "Look at @section:Stats:Warp  Stats@ and @url:the Guide:https://x.y/#z@.\nThen a@b."
    assert plain_message(message) == "Look at Warp Stats and the Guide. Then a@b."


def test_rules_with_their_own_estimate() -> None:
    rules = [
        VendorRule("SOL", "Bottleneck", "S", ("High.", "Very."), "global", 29.83),
        VendorRule("Other", "", "S", ("Low.",)),
        VendorRule("Silent", "Silent", "S", ()),
    ]
    assert [plain(spans) for spans in vendor_lines(rules, 80)] == [
        "",
        "the profiler's own rules",
        "  Bottleneck (its estimate: 29.8 %, global): High. Very.",
        "  Other: Low.",
    ]
    assert list(vendor_lines(rules[2:], 80)) == []
