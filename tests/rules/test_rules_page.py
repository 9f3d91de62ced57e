"""rules/README.md: up to date, and every diagnostic's link leads to its rule."""

from __future__ import annotations

import re
from pathlib import Path

from gpuadvisor.lsp.links import RULES_PAGE
from gpuadvisor.render.rule_pages import rules_page
from gpuadvisor.rules import rules_dir
from gpuadvisor.rules.load import load_rules

ROOT = Path(__file__).parents[2]


def test_the_page_is_that_of_the_rules() -> None:
    page = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
    assert page == rules_page(load_rules().rules, rules_dir()), "make docs writes it again"


def test_every_code_has_its_anchor_and_links_exist() -> None:
    page = (ROOT / "rules" / "README.md").read_text(encoding="utf-8")
    assert RULES_PAGE.endswith("/rules/README.md")
    for rule in load_rules().rules:
        assert f'<a id="{rule.code.lower()}"></a>' in page
    for link in re.findall(r"\]\(([^)#:]+)\)", page):
        assert (ROOT / "rules" / link).is_file(), link


def test_no_template_shows_through() -> None:
    page = rules_page(load_rules().rules, rules_dir())
    prose = re.sub(r"```.*?```", "", page, flags=re.S)
    assert not re.search(r"\{[a-z_]+(:[^}]*)?\}", prose)
