"""The keeper of reports, with a reader that is told what to answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from gpuadvisor.lsp import reports
from gpuadvisor.lsp.jobs import Done, Failed, Job
from gpuadvisor.lsp.reader import Reader, Tell
from gpuadvisor.lsp.reports import ReportKeeper
from gpuadvisor.lsp.tasks import Tasks


class Answers:
    """Stands for the worker: answers by the content of the file, after a while."""

    def __init__(self) -> None:
        self.jobs: list[str] = []
        self.cancelled = 0
        self.seconds = 0.0

    async def run(self, job: Job, tell: Tell) -> Done | Failed:
        self.jobs.append(Path(job.path).name)
        content = Path(job.path).read_text()
        try:
            await asyncio.sleep(self.seconds)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if content.startswith("bad"):
            return Failed("it is bad", "make a good one")
        if content.startswith("crash"):
            raise RuntimeError("crashed")
        return Done(content, 0.1)


class Told:
    """Stands for the session."""

    def __init__(self) -> None:
        self.evidence = 0
        self.damaged: list[tuple[str, str, bool]] = []

    def reports_changed(self) -> None:
        return None

    def evidence_changed(self) -> None:
        self.evidence += 1

    def tell_once(self, message: str) -> None:
        return None

    def report_damaged(self, path: str, reason: str, kept: bool) -> None:
        self.damaged.append((Path(path).name, reason, kept))

    @contextmanager
    def reading(self, path: str) -> Iterator[Tell]:
        yield lambda text, fraction: None


class Kept:
    """A keeper with its stand-ins."""

    def __init__(self) -> None:
        self.answers, self.told = Answers(), Told()
        self.keeper = ReportKeeper(cast("Reader", self.answers), self.told, Tasks())

    def want(self, *paths: Path, options: Any = "options") -> None:
        self.keeper.want([str(path) for path in paths], options)

    def state(self, path: Path) -> tuple[str, Any]:
        entry = self.keeper.entry(str(path))
        assert entry is not None
        return entry.state, entry.analysis

    def kept(self) -> list[tuple[Path, Any]]:
        return [(Path(path), analysis) for path, analysis in self.keeper.analyses()]

    async def until(self, condition: Callable[[], bool]) -> None:
        for _ in range(1000):
            if condition():
                return
            await asyncio.sleep(0.005)
        pytest.fail("waited in vain")


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    monkeypatch.setattr(reports, "SETTLE_S", 0.02)
    monkeypatch.setattr(reports, "GONE_S", 0.05)
    return Kept()


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "a.ncu-rep"
    path.write_text("one")
    return path


async def test_a_report_is_read_once(kept: Kept, report: Path) -> None:
    kept.want(report)
    await kept.until(lambda: kept.state(report) == ("ready", "one"))
    kept.want(report)
    kept.keeper.touch(str(report))
    await asyncio.sleep(0.1)
    assert kept.answers.jobs == ["a.ncu-rep"]


async def test_other_options_read_it_again(kept: Kept, report: Path) -> None:
    kept.want(report)
    await kept.until(lambda: kept.state(report)[0] == "ready")
    kept.want(report, options="others")
    await kept.until(lambda: len(kept.answers.jobs) == 2)


async def test_a_change_while_it_is_read_starts_anew(kept: Kept, report: Path) -> None:
    kept.answers.seconds = 10
    kept.want(report)
    await kept.until(lambda: kept.answers.jobs == ["a.ncu-rep"])
    kept.answers.seconds = 0
    report.write_text("two, longer")
    kept.keeper.touch(str(report))
    await kept.until(lambda: kept.state(report) == ("ready", "two, longer"))
    assert kept.answers.cancelled == 1


async def test_a_change_without_word_of_it_is_read_too(kept: Kept, report: Path) -> None:
    kept.answers.seconds = 0.1
    kept.want(report)
    await kept.until(lambda: kept.answers.jobs == ["a.ncu-rep"])
    report.write_text("two, longer")
    await kept.until(lambda: kept.state(report) == ("ready", "two, longer"))
    assert kept.answers.cancelled == 0


async def test_a_growing_file_is_left_to_settle(kept: Kept, report: Path) -> None:
    kept.want(report)
    await kept.until(lambda: kept.state(report)[0] == "ready")
    for size in range(1, 8):
        report.write_text("part" * size)
        kept.keeper.touch(str(report))
        await asyncio.sleep(0.01)
    await kept.until(lambda: kept.state(report) == ("ready", "part" * 7))
    assert len(kept.answers.jobs) <= 3


async def test_damage_keeps_the_last_good_state_and_is_told_once(kept: Kept, report: Path) -> None:
    kept.want(report)
    await kept.until(lambda: kept.state(report)[0] == "ready")
    report.write_text("bad news")
    kept.keeper.touch(str(report))
    await kept.until(lambda: kept.state(report) == ("damaged", "one"))
    kept.keeper.touch(str(report))
    await asyncio.sleep(0.1)
    assert kept.told.damaged == [("a.ncu-rep", "it is bad (make a good one)", True)]
    assert kept.kept() == [(report, "one")]


async def test_a_crash_is_damage(kept: Kept, report: Path) -> None:
    report.write_text("crash")
    kept.want(report)
    await kept.until(lambda: kept.state(report) == ("damaged", None))
    assert kept.told.damaged == [("a.ncu-rep", "RuntimeError: crashed", False)]


async def test_a_lost_report_takes_its_analysis_along(kept: Kept, report: Path) -> None:
    kept.want(report)
    await kept.until(lambda: kept.state(report)[0] == "ready")
    report.unlink()
    kept.keeper.touch(str(report))
    await kept.until(lambda: kept.state(report) == ("missing", None))
    report.write_text("back")
    kept.keeper.touch(str(report))
    await kept.until(lambda: kept.state(report) == ("ready", "back"))


async def test_a_file_that_is_only_away_for_a_moment(kept: Kept, report: Path) -> None:
    kept.want(report)
    await kept.until(lambda: kept.state(report)[0] == "ready")
    report.unlink()
    kept.keeper.touch(str(report))
    await asyncio.sleep(0.02)
    report.write_text("rewritten")
    await kept.until(lambda: kept.state(report) == ("ready", "rewritten"))
    entry = kept.keeper.entry(str(report))
    assert entry is not None
    assert entry.message == ""


async def test_what_is_no_longer_wanted_is_dropped(kept: Kept, report: Path) -> None:
    other = report.with_name("b.ncu-rep")
    other.write_text("other")
    kept.want(report, other)
    await kept.until(lambda: len(kept.keeper.analyses()) == 2)
    told = kept.told.evidence
    kept.want(other)
    assert kept.kept() == [(other, "other")]
    assert kept.told.evidence > told


async def test_the_order_is_that_of_the_wish(kept: Kept, report: Path) -> None:
    other = report.with_name("b.ncu-rep")
    other.write_text("other")
    kept.want(report, other)
    await kept.until(lambda: len(kept.keeper.analyses()) == 2)
    kept.want(other, report)
    assert [path for path, _ in kept.keeper.analyses()] == [str(other), str(report)]
    assert len(kept.answers.jobs) == 2


async def test_waiting_for_a_report(kept: Kept, report: Path) -> None:
    kept.want(report)
    entry = await kept.keeper.settled(str(report))
    assert entry is not None
    assert entry.state == "ready"
    assert await kept.keeper.settled("/nowhere") is None
