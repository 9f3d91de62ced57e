"""From files to an analysis: several inputs, selection, damage, sources, determinism."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gpuadvisor.options import AnalyzeOptions
from gpuadvisor.pipeline import UNREADABLE, analyze
from gpuadvisor.render import json
from gpuadvisor.rules.errors import RuleError


def test_several_reports_and_a_bad_one(samples: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.ncu-rep"
    bad.write_text("no report")
    paths = [
        str(samples / "transpose/transpose.ncu-rep"),
        str(bad),
        str(samples / "reduce/reduce.ncu-rep"),
    ]
    analysis = analyze(paths)
    assert [item.kind == UNREADABLE for item in analysis.inputs] == [False, True, False]
    assert analysis.inputs[1].problems[0].hint
    assert len(analysis.kernels) == 7
    assert len({kernel.id for kernel in analysis.kernels}) == 7
    shares = [kernel.share_pct or 0 for kernel in analysis.kernels]
    assert sum(shares) == pytest.approx(100)


def test_kernels_are_chosen_by_name_and_by_time(samples: Path) -> None:
    path = [str(samples / "transpose/transpose.ncu-rep")]
    named = analyze(path, AnalyzeOptions(kernel_regex="padded$|tiled"))
    assert [k.name for k in named.kernels] == ["transpose_tiled", "transpose_padded"]
    top = analyze(path, AnalyzeOptions(top=1))
    assert [k.name for k in top.kernels] == ["transpose_naive"]
    assert analyze(path, AnalyzeOptions(kernel_regex="nothing")).kernels == ()


def test_the_same_bytes_each_time(samples: Path) -> None:
    path = [str(samples / "registers/registers.ncu-repz")]
    options = AnalyzeOptions(lines=True)
    first = json.render(analyze(path, options), lines=True)
    assert first == json.render(analyze(path, options), lines=True)


def test_the_file_beside_the_report_is_the_place(samples: Path) -> None:
    analysis = analyze([str(samples / "transpose/transpose.ncu-rep")])
    place = analysis.findings[0].location
    assert place is not None
    assert Path(place.file) == samples / "transpose/transpose.cu"
    assert (place.line, place.column, place.end_column, place.state) == (22, 9, 28, "exact")


def test_an_edited_source_moves_its_findings(samples: Path, tmp_path: Path) -> None:
    shutil.copy(samples / "transpose/transpose.ncu-rep", tmp_path)
    text = (samples / "transpose/transpose.cu").read_text()
    (tmp_path / "transpose.cu").write_text("// one more line\n" + text)
    analysis = analyze([str(tmp_path / "transpose.ncu-rep")])
    place = analysis.findings[0].location
    assert place is not None
    assert (place.line, place.state) == (23, "moved")
    stale = [f for f in analysis.findings if f.rule == "stale-source"]
    assert len(stale) == 1
    assert stale[0].kernel is None


def test_a_rewritten_line_is_stale(samples: Path, tmp_path: Path) -> None:
    shutil.copy(samples / "transpose/transpose.ncu-rep", tmp_path)
    text = (samples / "transpose/transpose.cu").read_text()
    changed = text.replace("dst[x * height + y] = src[y * width + x];", "/* gone */")
    assert changed != text
    (tmp_path / "transpose.cu").write_text(changed)
    analysis = analyze([str(tmp_path / "transpose.ncu-rep")])
    place = analysis.findings[0].location
    assert place is not None
    assert place.state == "stale"


def test_without_the_file_the_embedded_text_shows(samples: Path, tmp_path: Path) -> None:
    shutil.copy(samples / "transpose/transpose.ncu-rep", tmp_path)
    analysis = analyze([str(tmp_path / "transpose.ncu-rep")])
    place = analysis.findings[0].location
    assert place is not None
    assert place.file == "/src/samples/transpose.cu"
    assert "transpose_naive" in analysis.sources[place.file]


def test_thresholds_and_selection_reach_the_rules(samples: Path) -> None:
    path = [str(samples / "transpose/transpose.ncu-rep")]
    rule = "uncoalesced-global-access"
    assert [f.rule for f in analyze(path, AnalyzeOptions(select=("GA101",))).findings] == [rule]
    strict = AnalyzeOptions(select=(rule,), thresholds={f"{rule}.excess": 100.0})
    assert analyze(path, strict).findings == ()
    with pytest.raises(RuleError, match="no-such-rule"):
        analyze(path, AnalyzeOptions(thresholds={"no-such-rule.x": 1.0}))


def test_progress_is_told(samples: Path) -> None:
    told: list[str] = []
    options = AnalyzeOptions(progress=lambda text, done: told.append(text))
    analyze([str(samples / "transpose/transpose.ncu-rep")], options)
    assert any("transpose_padded" in text for text in told)


def test_lines_add_up_to_the_samples(samples: Path) -> None:
    path = [str(samples / "transpose/transpose.ncu-rep")]
    analysis = analyze(path, AnalyzeOptions(lines=True))
    naive = [line for line in analysis.lines if line.kernel == "k0"]
    assert sum(line.samples or 0 for line in naive) == 61_576
    brace = next(line for line in naive if line.line == 24)
    assert brace.drains[0][1:] == (22, 44_818)
    store = next(line for line in naive if line.line == 22)
    assert store.stalls["long_scoreboard"] == 11_920
    assert store.sectors_global == 37_748_736
