"""`gpuadvisor.toggleProfileData`: measurements on or off for this session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpuadvisor.lsp.session import Session


async def toggle_profile_data(session: Session, _: Sequence[Any]) -> dict[str, bool]:
    """`{show}` as it is from now on; the settings themselves are left as they are."""
    session.show_profile_data = not session.profile_data_shown
    session.server.tell_features("settings_changed")
    return {"show": session.show_profile_data}
