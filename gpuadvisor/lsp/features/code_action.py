"""Code actions: a rule's edits, its explanation, comments that silence it, profile data on/off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from gpuadvisor.lsp.edits import command, fix_edits, ignore_in_file, ignore_on_line, workspace_edit
from gpuadvisor.lsp.feature import Feature

if TYPE_CHECKING:
    from gpuadvisor.lsp.server import Server
    from gpuadvisor.lsp.view import DocumentView, Placed

MAX_FINDINGS = 3
QUICK_FIX = types.CodeActionKind.QuickFix
KINDS = [QUICK_FIX, types.CodeActionKind.Empty]


class CodeActions(Feature):
    """Answers `textDocument/codeAction`."""

    def register(self, server: Server) -> None:
        server.answer(
            types.TEXT_DOCUMENT_CODE_ACTION,
            self._actions,
            types.CodeActionOptions(code_action_kinds=[QUICK_FIX]),
        )

    def _actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        view = self.session.view(params.text_document.uri)
        if view is None:
            return None
        first, last = params.range.start.line + 1, params.range.end.line + 1
        placed = [item for item in view.placed if item.line <= last and item.end_line >= first]
        found = _distinct(placed)[:MAX_FINDINGS]
        actions: list[types.CodeAction] = []
        for make in (self._fixes, self._explanations, self._ignores):
            for item in found:
                actions += make(view, item, _matching(params.context.diagnostics, item))
        automatic = params.context.trigger_kind == types.CodeActionTriggerKind.Automatic
        if found or not automatic:
            actions.append(self._toggle())
        only = params.context.only
        return [action for action in actions if only is None or _wanted(action.kind, only)]

    def _fixes(
        self, view: DocumentView, item: Placed, diagnostics: list[types.Diagnostic]
    ) -> Iterator[types.CodeAction]:
        if item.state == "stale":
            return
        for offer in item.found.finding.fixes:
            edits = fix_edits(view, item, offer.id) if offer.applicability != "display-only" else []
            if edits:
                unsafe = (
                    " (unsafe: check what else uses it)" if offer.applicability == "unsafe" else ""
                )
                yield types.CodeAction(
                    title=f"{offer.title}{unsafe}",
                    kind=QUICK_FIX,
                    diagnostics=diagnostics,
                    is_preferred=offer.applicability == "safe" or None,
                    edit=workspace_edit(self.session.server, view.document, edits),
                )

    def _explanations(
        self, view: DocumentView, item: Placed, diagnostics: list[types.Diagnostic]
    ) -> Iterator[types.CodeAction]:
        rule = item.found.finding.rule
        title = f"Explain rule {rule}"
        yield types.CodeAction(
            title=title,
            kind=QUICK_FIX,
            diagnostics=diagnostics,
            command=command(title, "gpuadvisor.explainRule", rule),
        )

    def _ignores(
        self, view: DocumentView, item: Placed, diagnostics: list[types.Diagnostic]
    ) -> Iterator[types.CodeAction]:
        rule = item.found.finding.rule
        for where, edits in (
            ("on this line", ignore_on_line(view, item.line, rule)),
            ("in this file", ignore_in_file(view, rule)),
        ):
            if edits:
                yield types.CodeAction(
                    title=f"Ignore {rule} {where}",
                    kind=QUICK_FIX,
                    diagnostics=diagnostics,
                    edit=workspace_edit(self.session.server, view.document, edits),
                )

    def _toggle(self) -> types.CodeAction:
        title = "Hide profile data" if self.session.profile_data_shown else "Show profile data"
        return types.CodeAction(
            title=title,
            kind=types.CodeActionKind.Empty,
            command=command(title, "gpuadvisor.toggleProfileData"),
        )


def _distinct(placed: Sequence[Placed]) -> list[Placed]:
    """One finding a rule and place: the launches of a kernel need no action each."""
    seen: dict[tuple[str, int], Placed] = {}
    for item in placed:
        seen.setdefault((item.found.finding.rule, item.line), item)
    return list(seen.values())


def _matching(diagnostics: Sequence[types.Diagnostic], item: Placed) -> list[types.Diagnostic]:
    """The client's diagnostics that stand for a finding."""
    finding = item.found.finding
    return [
        diagnostic
        for diagnostic in diagnostics
        if diagnostic.source == "gpuadvisor"
        and diagnostic.code == finding.code
        and diagnostic.range.start.line == item.line - 1
    ]


def _wanted(kind: object, only: Sequence[object]) -> bool:
    have = _text(kind)
    return any(not want or have == want or have.startswith(f"{want}.") for want in map(_text, only))


def _text(kind: object) -> str:
    return str(kind.value) if isinstance(kind, types.CodeActionKind) else str(kind or "")
