"""`gpuadvisor.debugInfo`: what a bug report needs, without sources and measurements."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import gpuadvisor

if TYPE_CHECKING:
    from gpuadvisor.lsp.session import Session

_LIBRARIES = ("pygls", "lsprotocol", "numpy", "protobuf", "tree-sitter", "tree-sitter-cuda")


async def debug_info(session: Session, _: Sequence[Any]) -> dict[str, str]:
    """Versions, settings, folders, reports with their states, and what of them is shown."""
    server = session.server
    snapshot = session.snapshot
    lines = [
        f"gpuadvisor {gpuadvisor.__version__}, Python {platform.python_version()} "
        f"({sys.executable}), {platform.platform()}",
        ", ".join(f"{name} {_version(name)}" for name in _LIBRARIES),
        f"position encoding {server.protocol.documents.encoding}, "
        f"{len(session.documents())} open documents, {len(session.tasks)} tasks",
        f"folders: {', '.join(session.folders) or 'none'}",
        f"snapshot {snapshot.generation}: {len(snapshot.analyses)} reports, "
        f"{snapshot.kernels} kernels, {len(snapshot.files)} files",
    ]
    for entry in session.keeper.entries:
        seconds = f", read in {entry.seconds:.2f} s" if entry.analysis is not None else ""
        note = f": {entry.message}" if entry.message else ""
        lines.append(f"report {entry.path}: {entry.state}{seconds}{note}")
    for document in session.documents():
        view = session.view(document.uri)
        if view is not None:
            matched, total, stale = view.coverage
            base = "unknown" if view.evidence.base is None else "known"
            lines.append(
                f"{document.uri}: {matched} of {total} measured lines matched, {stale} stale, "
                f"{len(view.placed)} findings, analysed text {base}"
            )
    for name, value in asdict(session.settings).items():
        lines.append(f"setting {name}: {value!r}")
    return {"text": "\n".join(lines)}


def _version(name: str) -> str:
    import importlib.metadata

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "missing"
