"""Code lens: time, verdict and top finding above each kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.edits import command
from gpuadvisor.lsp.feature import Feature
from gpuadvisor.render.escape import visible

if TYPE_CHECKING:
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.snapshot import KernelRef
    from gpuadvisor.lsp.view import DocumentView, Placed

MAX_A_KERNEL = 3
"""Launch shapes and template instances of one kernel that have a lens of their own."""


class CodeLenses(Feature):
    """Answers `textDocument/codeLens`."""

    def register(self, server: Server) -> None:
        server.answer(types.TEXT_DOCUMENT_CODE_LENS, self._lenses, types.CodeLensOptions())

    def snapshot_changed(self) -> None:
        self.refresh()

    def settings_changed(self) -> None:
        self.refresh()

    def refresh(self) -> None:
        """Have the client ask again."""
        workspace = self.session.server.client_capabilities.workspace
        if workspace and workspace.code_lens and workspace.code_lens.refresh_support:
            self.session.server.workspace_code_lens_refresh(None, callback=lambda _: None)

    def _lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        view = self.session.view(params.text_document.uri)
        shown = self.session.settings.code_lens and self.session.profile_data_shown
        if view is None or not shown:
            return None
        by_line: dict[int, list[KernelRef]] = {}
        for kernel, line in view.kernel_lines:
            by_line.setdefault(line, []).append(kernel)
        lenses = []
        for line in sorted(by_line):
            kernels = sorted(by_line[line], key=lambda item: -(item.summary.duration_ns or 0))
            for kernel in kernels[:MAX_A_KERNEL]:
                lenses.append(_lens(view, line, title(view, kernel), kernel))
            if len(kernels) > MAX_A_KERNEL:
                more = f"{len(kernels) - MAX_A_KERNEL} more"
                lenses.append(_lens(view, line, more, kernels[MAX_A_KERNEL]))
        return lenses


def _lens(view: DocumentView, line: int, text: str, kernel: KernelRef) -> types.CodeLens:
    start, end = (view.document.units(line - 1, c) for c in view.document.content_span(line - 1))
    where = types.Range(types.Position(line - 1, start), types.Position(line - 1, end))
    argument = {"kernel": kernel.summary.id, "report": kernel.report}
    return types.CodeLens(where, command(text, "gpuadvisor.explainKernel", argument))


def title(view: DocumentView, kernel: KernelRef) -> str:
    """`490 us | memory bound | Uncoalesced global store (line 22), 1.5 to 1.9 times faster`."""
    from gpuadvisor.lsp.glossary import glossary
    from gpuadvisor.render.units import duration, plural
    from gpuadvisor.render.wording import gain

    summary = kernel.summary
    time = duration(summary.duration_ns) if summary.duration_ns is not None else "not timed"
    if summary.launches > 1:
        time = f"{plural(summary.launches, 'launch')} of {time}"
    verdict = glossary().verdicts.get(summary.verdict)
    parts = [time, verdict.title if verdict else summary.verdict]
    if summary.line_info == "none":
        parts.append("no line information (build with -lineinfo)")
    top = _top(view, kernel)
    if top is not None:
        finding = top.found.finding
        text = f"{finding.title} (line {top.line})"
        if finding.estimate is not None and finding.estimate.speedup[1] >= 1.005:
            text += f", {gain(finding.estimate)}"
        parts.append(text)
    # A lens draws icons for `$(name)`, and a kernel or title may hold just that.
    return visible(" \u00b7 ".join(parts)).replace("$(", "$ (")


def _top(view: DocumentView, kernel: KernelRef) -> Placed | None:
    """The first finding of a kernel at its gravest level; nothing below a warning or info."""
    mine = [item for item in view.placed if item.found.kernel == kernel and item.state != "stale"]
    for severity in ("warning", "info"):
        for item in mine:
            if item.found.finding.severity == severity:
                return item
    return None
