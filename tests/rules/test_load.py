"""From folders to a set of rules: packs, selection, thresholds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gpuadvisor.rules import RuleError, load_rules

Writer = Callable[..., Path]


@pytest.fixture
def pack(write_rule: Writer) -> Path:
    """Three rules in place of the shipped ones."""
    limit = {"limit_a": {"value": 2, "about": "A limit."}}
    write_rule(code="XX101", name="first", thresholds=limit)
    write_rule(code="XX102", name="second", status="preview")
    return write_rule(code="YY201", name="third", family="launch").parents[1]


def names(pack: Path, select: Sequence[str] = (), ignore: Sequence[str] = ()) -> list[str]:
    ruleset = load_rules(shipped=pack, select=select, ignore=ignore)
    return [rule.name for rule in ruleset.rules]


def test_selection(pack: Path) -> None:
    assert names(pack) == ["first", "third"]
    assert names(pack, select=["XX1"]) == ["first"]
    assert names(pack, select=["xx101", "launch"]) == ["first", "third"]
    assert names(pack, select=["second"]) == ["second"]
    assert names(pack, select=["XX102", "first"]) == ["first", "second"]
    assert names(pack, ignore=["YY"]) == ["first"]
    assert names(pack, select=["XX1"], ignore=["first"]) == []
    ruleset = load_rules(shipped=pack)
    assert [rule.name for rule in ruleset.inactive] == ["second"]
    assert ruleset.find("xx102") is ruleset.inactive[0]
    assert ruleset.find("third") is ruleset.rules[1]
    assert ruleset.find("nothing") is None


@pytest.mark.parametrize("token", ["XX9", "X", "frist", ""])
def test_a_selection_of_nothing_is_a_mistake(pack: Path, token: str) -> None:
    with pytest.raises(RuleError, match="is no rule, code"):
        load_rules(shipped=pack, select=[token])
    with pytest.raises(RuleError, match="is no rule, code"):
        load_rules(shipped=pack, ignore=[token])


def test_thresholds(pack: Path) -> None:
    ruleset = load_rules(shipped=pack, thresholds={"first.limit_a": 7})
    assert ruleset.rules[0].thresholds["limit_a"].value == 7
    assert load_rules(shipped=pack).rules[0].thresholds["limit_a"].value == 2
    by_code = load_rules(shipped=pack, thresholds={"xx101.limit_a": 7})
    assert by_code.digest == ruleset.digest != load_rules(shipped=pack).digest


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("frist.limit_a", 1.0, "no rule 'frist' .*did you mean 'first'"),
        ("first.limit_b", 1.0, "no threshold 'limit_b'; it has limit_a"),
        ("third.limit_a", 1.0, "it has none"),
        ("limit_a", 1.0, "no rule ''"),
        ("first.limit_a", float("nan"), "out of range"),
        ("first.limit_a", float("inf"), "out of range"),
    ],
)
def test_wrong_thresholds(pack: Path, key: str, value: float, reason: str) -> None:
    with pytest.raises(RuleError, match=reason):
        load_rules(shipped=pack, thresholds={key: value})


def test_the_digest_follows_the_text_and_the_selection(pack: Path) -> None:
    before = load_rules(shipped=pack).digest
    assert load_rules(shipped=pack).digest == before
    assert load_rules(shipped=pack, ignore=["third"]).digest != before
    path = pack / "memory" / "third.yaml"
    path.write_text(path.read_text() + "# a remark that changes the size\n")
    assert load_rules(shipped=pack).digest != before


@pytest.fixture
def shipped(tmp_path: Path, pack: Path) -> Path:
    """The same three rules out of the way, so that a pack can be written beside them."""
    return pack.rename(tmp_path / "shipped")


def test_a_pack_adds_rules(shipped: Path, write_rule: Writer) -> None:
    extra = write_rule(code="ZZ001", name="extra").parents[1]
    assert [rule.name for rule in load_rules([extra], shipped=shipped).rules] == [
        "first",
        "third",
        "extra",
    ]


def test_a_pack_may_be_one_family(shipped: Path, write_rule: Writer) -> None:
    extra = write_rule(code="ZZ001", name="extra").parent
    assert load_rules([extra], shipped=shipped).find("extra") is not None


@pytest.mark.parametrize(
    ("changes", "key"),
    [({"name": "first", "code": "ZZ001"}, "name"), ({"name": "extra", "code": "XX101"}, "code")],
)
def test_a_pack_may_not_take_a_name_or_code(
    shipped: Path, write_rule: Writer, changes: dict[str, str], key: str
) -> None:
    extra = write_rule(**changes)
    with pytest.raises(RuleError, match="overrides: first") as caught:
        load_rules([extra.parent], shipped=shipped)
    assert (caught.value.path, caught.value.key) == (str(extra), key)


def test_a_pack_may_replace_a_rule_openly(shipped: Path, write_rule: Writer) -> None:
    extra = write_rule(name="first", code="XX101", overrides="first", title="Another")
    ruleset = load_rules([extra.parent], shipped=shipped)
    assert [rule.title for rule in ruleset.rules] == ["Another", "A hot thing"]
    assert ruleset.notices == (f"{extra}: first replaces the rule first",)


def test_a_pack_may_not_override_what_is_not_there(shipped: Path, write_rule: Writer) -> None:
    extra = write_rule(name="extra", code="ZZ001", overrides="nothing")
    with pytest.raises(RuleError, match="no rule 'nothing' to override"):
        load_rules([extra.parent], shipped=shipped)


def test_packs_are_checked_in_full(shipped: Path, write_rule: Writer) -> None:
    extra = write_rule(name="extra", code="ZZ001", message="{__import__('os')}")
    with pytest.raises(RuleError) as caught:
        load_rules([extra.parent], shipped=shipped)
    assert (caught.value.path, caught.value.key) == (str(extra), "message")
    assert caught.value.line > 1


def test_folders_that_are_no_packs(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="not a folder"):
        load_rules([tmp_path / "nowhere"])
    (tmp_path / "empty" / ".hidden").mkdir(parents=True)
    (tmp_path / "empty" / ".hidden" / "x.yaml").write_text("a: 1")
    with pytest.raises(RuleError, match="no rule files"):
        load_rules([tmp_path / "empty"])
