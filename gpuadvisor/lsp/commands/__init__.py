"""What clients can ask by `workspace/executeCommand`, one module a subject.

A command takes the session and the client's arguments and returns plain JSON. Lines count from 1.
Arguments that cannot be used are an error of the request; what does not exist is null.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gpuadvisor.lsp.commands.debug import debug_info
from gpuadvisor.lsp.commands.explain import explain_kernel, explain_rule
from gpuadvisor.lsp.commands.heat import heat
from gpuadvisor.lsp.commands.hotspot import next_hotspot, previous_hotspot
from gpuadvisor.lsp.commands.profile_data import toggle_profile_data
from gpuadvisor.lsp.commands.report import attach_report, report_view

if TYPE_CHECKING:
    from gpuadvisor.lsp.session import Session

Run = Callable[["Session", Sequence[Any]], Awaitable[Any]]

COMMANDS: Mapping[str, Run] = {
    "gpuadvisor.attachReport": attach_report,
    "gpuadvisor.explainKernel": explain_kernel,
    "gpuadvisor.explainRule": explain_rule,
    "gpuadvisor.nextHotspot": next_hotspot,
    "gpuadvisor.previousHotspot": previous_hotspot,
    "gpuadvisor.debugInfo": debug_info,
    "gpuadvisor.reportView": report_view,
    "gpuadvisor.heat": heat,
    "gpuadvisor.toggleProfileData": toggle_profile_data,
}
