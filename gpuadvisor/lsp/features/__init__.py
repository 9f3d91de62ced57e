"""The features of the server, one class each; the order is that in which they hear of changes."""

from __future__ import annotations

from gpuadvisor.lsp.feature import Feature
from gpuadvisor.lsp.features.code_action import CodeActions
from gpuadvisor.lsp.features.code_lens import CodeLenses
from gpuadvisor.lsp.features.configuration import Configuration
from gpuadvisor.lsp.features.diagnostics import Diagnostics
from gpuadvisor.lsp.features.document_link import DocumentLinks
from gpuadvisor.lsp.features.execute_command import Commands
from gpuadvisor.lsp.features.hover import Hovers
from gpuadvisor.lsp.features.inlay_hint import InlayHints
from gpuadvisor.lsp.features.lifecycle import Lifecycle
from gpuadvisor.lsp.features.status import Status
from gpuadvisor.lsp.features.synchronization import Synchronization
from gpuadvisor.lsp.features.watched_files import WatchedFiles

FEATURES: tuple[type[Feature], ...] = (
    Lifecycle,
    Synchronization,
    Configuration,
    WatchedFiles,
    Diagnostics,
    Status,
    Hovers,
    CodeActions,
    CodeLenses,
    InlayHints,
    DocumentLinks,
    Commands,
)
