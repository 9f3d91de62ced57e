"""`gpuadvisor.heat`: how hot each line of a document is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.commands import arguments as read

if TYPE_CHECKING:
    from gpuadvisor.lsp.session import Session

STEPS = (0.005, 0.02, 0.05, 0.10, 0.20)
"""The least share of the samples for each of the five steps."""


async def heat(session: Session, arguments: Sequence[Any]) -> list[dict[str, float | int]]:
    """`[{line, share_pct, step, local_share}]` of a document given by uri.

    share_pct: percent of the samples of all kernels with lines in the file. local_share: percent
    of the samples of the line's own kernel. step: 1 to 5, by the one that `heat.scope` names.
    """
    view = session.view(read.text(arguments, "uri"))
    if view is None or not session.settings.heat_enabled or not session.profile_data_shown:
        return []
    lines: list[dict[str, float | int]] = []
    for line, share, local in view.shares:
        step = step_of(share if session.settings.heat_scope == "file" else local)
        if step:
            lines.append(
                {
                    "line": line,
                    "share_pct": round(100 * share, 2),
                    "step": step,
                    "local_share": round(100 * local, 2),
                }
            )
    return lines


def step_of(share: float) -> int:
    """The step of a share (0..1), 0 for next to nothing."""
    return sum(share >= least for least in STEPS)
