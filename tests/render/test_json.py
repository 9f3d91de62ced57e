"""The JSON contract."""

from __future__ import annotations

import json as stdlib
import math
from dataclasses import replace
from importlib.resources import files
from typing import Any, cast

import jsonschema
import numpy as np
import pytest

from gpuadvisor.evidence.findings import Analysis, EvidenceItem, LineRecord
from gpuadvisor.render import json
from tests.render.conftest import UNCOALESCED, kernel


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = stdlib.loads((files("gpuadvisor.render") / "findings.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def loaded(analysis: Analysis, **options: bool) -> Any:
    return stdlib.loads(json.render(analysis, **options))


def test_output_fits_the_schema(
    analysis: Analysis, hostile: Analysis, validator: jsonschema.Draft202012Validator
) -> None:
    for each in (analysis, hostile):
        validator.validate(loaded(each))
        validator.validate(loaded(each, lines=True, vendor=True))


def test_a_wrong_document_does_not_fit(
    analysis: Analysis, validator: jsonschema.Draft202012Validator
) -> None:
    document = loaded(analysis)
    document["findings"][0]["severity"] = "fatal"
    assert not validator.is_valid(document)


def test_lines_and_vendor_rules_only_when_asked_for(analysis: Analysis) -> None:
    assert "lines" not in loaded(analysis)
    assert "vendor_rules" not in loaded(analysis)["kernels"][0]
    assert len(loaded(analysis, lines=True)["lines"]) == 2
    assert loaded(replace(analysis, lines=()), lines=True)["lines"] == []
    assert loaded(analysis, vendor=True)["kernels"][0]["vendor_rules"] == []


def test_values_are_those_of_the_analysis(analysis: Analysis) -> None:
    document = loaded(analysis, lines=True)
    first = document["kernels"][0]
    assert first["grid"] == [256, 128, 1]
    assert first["throughput"] == {"sm_pct": 12.4, "memory_pct": 91.2, "dram_pct": 30.1}
    finding = document["findings"][0]
    assert finding["location"]["line"] == 22
    assert finding["estimate"]["speedup"] == [1.52, 1.93]
    assert document["lines"][1]["sectors_global"] == 37_748_736
    assert document["lines"][1]["wavefronts_shared"] is None
    assert document["devices"][0]["cc"] == "9.0"


def test_what_json_does_not_have_becomes_null(analysis: Analysis) -> None:
    finding = replace(UNCOALESCED, evidence=(EvidenceItem("x", math.nan, "", math.inf),))
    document = loaded(replace(analysis, findings=(finding,)))
    assert document["findings"][0]["evidence"][0]["value"] is None
    assert document["findings"][0]["evidence"][0]["threshold"] is None


def test_numpy_numbers_are_numbers(analysis: Analysis) -> None:
    record = LineRecord(
        "transpose_naive#0",
        "k.cu",
        1,
        1,
        cast(int, np.int64(5)),
        np.float64(12.5),
        {"wait": cast(int, np.uint64(5))},
        sectors_global=cast(float, np.float32(8.0)),
    )
    row = loaded(replace(analysis, lines=(record,)), lines=True)["lines"][0]
    assert (row["samples"], row["samples_pct"], row["stalls"]) == (5, 12.5, {"wait": 5})
    assert row["sectors_global"] == 8


def test_bytes_are_ascii_and_equal(hostile: Analysis) -> None:
    text = json.render(hostile, lines=True, vendor=True)
    assert text.isascii()
    assert text == json.render(hostile, lines=True, vendor=True)
    assert not set(text) & set(map(chr, [*range(10), *range(11, 32), 127]))


def test_text_that_is_no_unicode_can_be_read_back(analysis: Analysis) -> None:
    odd = replace(analysis, kernels=(kernel("caf\udce9"),), findings=(), lines=())
    assert loaded(odd)["kernels"][0]["name"] == "caf\ufffd"


def test_a_text_that_looks_like_the_lines_key_is_left_alone(analysis: Analysis) -> None:
    finding = replace(UNCOALESCED, message='\n  "lines": []')
    document = loaded(replace(analysis, findings=(finding,)), lines=True)
    assert document["findings"][0]["message"] == '\n  "lines": []'
    assert len(document["lines"]) == 2
