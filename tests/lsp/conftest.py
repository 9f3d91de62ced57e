"""The fixtures of a real server and its editor."""

from __future__ import annotations

from tests.lsp.editor import start_editor, transpose

__all__ = ["start_editor", "transpose"]
