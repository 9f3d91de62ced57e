"""`gpuadvisor.nextHotspot` and `previousHotspot`: from hot line to hot line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.commands import arguments as read
from gpuadvisor.lsp.documents import uri_of

if TYPE_CHECKING:
    from gpuadvisor.lsp.session import Session

MIN_SHARE = 0.05
"""A hotspot has at least this share of its kernel's samples."""


async def next_hotspot(session: Session, arguments: Sequence[Any]) -> dict[str, Any] | None:
    """`{uri, line}` of the first hot line after `{uri, line}`, from the end on to the start."""
    return _hotspot(session, arguments, 1)


async def previous_hotspot(session: Session, arguments: Sequence[Any]) -> dict[str, Any] | None:
    """The same backwards."""
    return _hotspot(session, arguments, -1)


def _hotspot(session: Session, arguments: Sequence[Any], way: int) -> dict[str, Any] | None:
    uri, line = read.place(arguments)
    view = session.view(uri)
    hot = hot_lines(view.shares) if view else []
    if not hot:
        return _hottest_elsewhere(session)
    beyond = [at for at in hot if (at - line) * way > 0]
    target = min(beyond or hot) if way > 0 else max(beyond or hot)
    return {"uri": uri, "line": target}


def hot_lines(shares: Sequence[tuple[int, float, float]]) -> list[int]:
    """The hot lines, and the hottest one when none is hot enough."""
    hot = [line for line, _, local in shares if local >= MIN_SHARE]
    if not hot and shares:
        hot = [max(shares, key=lambda item: item[2])[0]]
    return hot


def _hottest_elsewhere(session: Session) -> dict[str, Any] | None:
    """The hottest line of all files whose text is at hand, for a document without any."""
    best: tuple[float, str, int] | None = None
    folders = session.folders
    for path, evidence in session.snapshot.files.items():
        if evidence.base is None or not any(is_inside(path, folder) for folder in folders):
            continue
        for line, items in evidence.measured.items():
            for item in items:
                samples = item.record.samples or 0
                if item.record.line == line and (best is None or samples > best[0]):
                    best = (samples, path, line)
    return {"uri": uri_of(best[1]), "line": best[2]} if best else None


def is_inside(path: str, folder: str) -> bool:
    """Whether a file lies in a folder, both canonical."""
    folder = folder.rstrip("/\\")
    return path.startswith((f"{folder}/", f"{folder}\\"))
