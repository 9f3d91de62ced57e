"""`gpuadvisor.attachReport` and `gpuadvisor.reportView`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.commands import arguments as read
from gpuadvisor.lsp.protocol import failed

if TYPE_CHECKING:
    from gpuadvisor.evidence.findings import Analysis
    from gpuadvisor.lsp.session import Session


async def attach_report(session: Session, arguments: Sequence[Any]) -> dict[str, Any]:
    """Use a report (path or uri) before all others in this session; answers once it is read with
    `{path, state, kernels, message}`."""
    path = read.file_path(arguments)
    if not os.path.isfile(path):
        raise failed(f"{path} does not exist")
    session.attach(path)
    entry = await session.keeper.settled(path)
    return {
        "path": path,
        "state": entry.state if entry else "missing",
        "kernels": len(entry.analysis.kernels) if entry and entry.analysis else 0,
        "message": entry.message if entry else "",
    }


async def report_view(session: Session, arguments: Sequence[Any]) -> dict[str, Any]:
    """Everything about one report: the findings document with lines, and `roofline`."""
    path = read.file_path(arguments)
    analysis = await session.library.read(path)
    return await asyncio.to_thread(view_document, analysis)


def view_document(analysis: Analysis) -> dict[str, Any]:
    """The findings document of an analysis with the explanations and the roofline added."""
    from gpuadvisor.render.json import to_document

    document = to_document(analysis, lines=True)
    for row, finding in zip(document["findings"], analysis.findings, strict=True):
        row["why"], row["fix"] = finding.why, finding.fix
    document["roofline"] = roofline(analysis)
    return document


def roofline(analysis: Analysis) -> dict[str, Any]:
    """The points and peaks of the roofline chart; null is not measured."""
    names = {kernel.id: kernel.name for kernel in analysis.kernels}
    points = []
    for point in analysis.roofline:
        flops, traffic = point.flops_per_s, point.dram_bytes_per_s
        points.append(
            {
                "id": point.kernel,
                "name": names.get(point.kernel, point.kernel),
                "intensity_flop_per_byte": flops / traffic
                if flops is not None and traffic
                else None,
                "flops_per_s": flops,
            }
        )
    return {"kernels": points, "peaks": dict(analysis.peaks)}
