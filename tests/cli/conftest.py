"""Running the command line in this process, with and without a real analysis behind it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import ModuleType

import pytest

from gpuadvisor.cli import main
from gpuadvisor.evidence import Problem
from gpuadvisor.evidence.findings import Analysis, InputSummary
from gpuadvisor.options import AnalyzeOptions


@dataclass
class Outcome:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


@dataclass
class FakePipeline:
    """Stands for the analysis: keeps what it was asked and answers what it was told to."""

    analysis: Analysis
    raises: BaseException | None = None
    paths: Sequence[str] = ()
    options: AnalyzeOptions = field(default_factory=AnalyzeOptions)

    def analyze(self, paths: Sequence[str], options: AnalyzeOptions) -> Analysis:
        self.paths, self.options = paths, options
        if options.progress is not None:
            options.progress("reading", 0.5)
        if self.raises is not None:
            raise self.raises
        return self.analysis


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Run `gpuadvisor ARGS...`."""

    def run(*args: str) -> Outcome:
        capfd.readouterr()
        code = main(args)
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return run


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> FakePipeline:
    """Replaces the analysis by one of an empty report."""
    empty = Analysis(
        rules_digest="none",
        inputs=(InputSummary("r.ncu-rep", "ncu-rep", "0" * 64, (Problem("cut off", "copy it"),)),),
        devices=(),
        kernels=(),
        findings=(),
        skipped=(),
    )
    fake = FakePipeline(empty)
    module = ModuleType("gpuadvisor.pipeline")
    module.analyze = fake.analyze  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gpuadvisor.pipeline", module)
    return fake
