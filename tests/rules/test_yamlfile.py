"""Reading YAML as data: what is refused, where errors point, what scalars mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.yamlfile import MAX_BYTES, load_yaml, parse_yaml

LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)

HOSTILE = [
    (LAUGHS, 2, "b[0]", "anchors and aliases"),
    ("a: &x [*x]", 1, "a[0]", "anchors and aliases"),
    ("a: 1\nb: !!python/object/apply:os.system ['id']", 2, "b", "tag"),
    ("a: !!python/name:os.system x", 1, "a", "tag"),
    ("a: !custom x", 1, "a", "tag"),
    ("a: !!binary aGk=", 1, "a", "tag"),
    ("a: 1\nb:\n  c: 1\n  c: 2", 4, "b.c", "twice"),
    ("a: 1\n[b, c]: 2", 2, "", "keys must be plain text"),
    ("a: 1\n3: 2", 2, "", "keys must be plain text"),
    ("- a\n- b", 1, "", "a mapping of keys"),
    ("", 1, "", "a mapping of keys"),
    ("just text", 1, "", "a mapping of keys"),
    ("a: [1, 2", 2, "", "not usable YAML"),
    ("a: 1\n\tb: 2", 2, "", "not usable YAML"),
    ("a: 1\n---\nb: 2", 2, "", "not usable YAML"),
    ("a: *nowhere", 1, "", "not usable YAML"),
    ("a: '\x07'", 0, "", "not usable YAML"),
    ("a: " + "[" * 5000, 1, "", "nest"),
    ("a: " + "{b: " * 5000, 1, "", "nest"),
    ("a:\n  " + "- " * 5000 + "x", 2, "", "nest"),
]


@pytest.mark.parametrize(("text", "line", "key", "reason"), HOSTILE)
def test_refused_with_its_place(text: str, line: int, key: str, reason: str) -> None:
    with pytest.raises(RuleError) as caught:
        parse_yaml(text, "pack/x.yaml")
    error = caught.value
    assert (error.path, error.line, error.key) == ("pack/x.yaml", line, key)
    assert reason in error.reason
    assert "\n" not in str(error)


def test_scalars_are_those_of_yaml_1_2() -> None:
    text = "{a: 1, b: 1.5, c: 1e3, d: true, e: ~, f: no, g: on, h: 1:30, i: '1', j: 0x10, k: .5}"
    data = parse_yaml(text, "x").data
    assert data == {
        "a": 1,
        "b": 1.5,
        "c": 1000.0,
        "d": True,
        "e": None,
        "f": "no",
        "g": "on",
        "h": "1:30",
        "i": "1",
        "j": "0x10",
        "k": 0.5,
    }
    assert type(data["a"]) is int


def test_an_error_points_at_the_deepest_key_there_is() -> None:
    document = parse_yaml("a:\n  - b: 1\n  - c:\n      d: 2\n", "x.yaml")
    error = document.error(("a", 1, "c", "missing"), "bad")
    assert str(error) == "x.yaml:4:7: a[1].c.missing: bad"


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match="cannot be read"):
        load_yaml(tmp_path / "nowhere.yaml")
    large = tmp_path / "large.yaml"
    large.write_bytes(b"a: '" + b"x" * MAX_BYTES + b"'")
    with pytest.raises(RuleError, match="larger than 256 KB"):
        load_yaml(large)
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"a: 1\nb: \xff\xfe")
    with pytest.raises(RuleError, match="not UTF-8") as caught:
        load_yaml(binary)
    assert caught.value.line == 2


def test_a_byte_order_mark_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "bom.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: two\r\n")
    assert load_yaml(path).data == {"a": 1, "b": "two"}
