"""Kernels measured without line information, found in open documents by their name alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuadvisor.lsp.heads import find_heads
from gpuadvisor.lsp.snapshot import FileEvidence
from gpuadvisor.lsp.view import is_python

if TYPE_CHECKING:
    from gpuadvisor.lsp.documents import Document
    from gpuadvisor.lsp.snapshot import Snapshot


def evidence_by_name(snapshot: Snapshot, document: Document, path: str) -> FileEvidence | None:
    """What the reports say about kernels whose place they do not know and that this document
    defines; None when there are none. Nothing in it belongs to a line but the heads."""
    names = [name for name in snapshot.homeless if name in document.text]
    if not names:
        return None
    heads = find_heads(document.lines, names, is_python(document))
    here = {name for name, head in heads.items() if head.defined}
    if not here:
        return None
    kernels = tuple(kernel for name in sorted(here) for kernel in snapshot.homeless[name])
    found = tuple(
        item
        for item in snapshot.homeless_found
        if item.kernel in kernels and item.finding.location is None
    )
    return FileEvidence(path, None, frozenset(), {}, {}, found, kernels, by_name=True)
