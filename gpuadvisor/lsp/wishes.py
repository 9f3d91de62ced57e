"""Which reports are wanted and how they are to be read: from settings, project file and disk."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gpuadvisor.lsp.discovery import Discovery, discover, in_folder
from gpuadvisor.lsp.documents import canonical
from gpuadvisor.lsp.settings import Settings, expand_path

if TYPE_CHECKING:
    from gpuadvisor.config import Config
    from gpuadvisor.options import AnalyzeOptions


class Wishes:
    """The user's wishes; `folders` are the workspace folders in all of it."""

    def __init__(self) -> None:
        self.settings = Settings()
        self.discovery = Discovery(())
        self._attached: list[str] = []
        self._config: Config | None = None

    def attach(self, path: str) -> None:
        """A report that comes before all others."""
        self._attached = [path, *(other for other in self._attached if other != path)]

    async def look(self, folders: Sequence[str]) -> str:
        """Look at the project's settings and for reports; what is wrong with the settings."""
        config, problem = await asyncio.to_thread(project_config, folders)
        if config is not None:
            self._config = config
        if self.settings.discover_reports:
            self.discovery = await asyncio.to_thread(discover, folders)
        else:
            self.discovery = Discovery(())
        return problem

    def reports(self, folders: Sequence[str]) -> list[str]:
        """The wanted reports in the order of precedence: attached, named, found."""
        wanted = list(self._attached)
        for given in self.settings.reports:
            path = expand_path(given, folders)
            wanted += in_folder(path) if os.path.isdir(path) else [path]
        wanted += self.discovery.reports
        return list(dict.fromkeys(canonical(path) for path in wanted))

    def rule_directories(self, folders: Sequence[str]) -> list[str]:
        """The folders with rules of the user's own."""
        own = [expand_path(path, folders) for path in self.settings.rule_directories]
        return [*own, *(self._config.rules if self._config else ())]

    def options(self, folders: Sequence[str]) -> AnalyzeOptions:
        """How to read: what the editor says comes before what the project's file says."""
        from gpuadvisor.config import Config
        from gpuadvisor.options import AnalyzeOptions

        settings, config = self.settings, self._config or Config()
        maps = [(given, expand_path(path, folders)) for given, path in settings.path_mappings]
        dirs = [*folders, *(expand_path(path, folders) for path in settings.source_dirs)]
        return AnalyzeOptions(
            source_dirs=(*dirs, *config.source_dirs),
            path_maps=(*maps, *config.path_mappings),
            lines=True,
            rule_dirs=tuple(self.rule_directories(folders)),
            thresholds={**config.thresholds, **settings.thresholds},
            select=settings.select or config.select,
            ignore=(*settings.ignore, *config.ignore),
            max_warnings=config.max_warnings,
            min_gain=config.min_gain,
        )


def project_config(folders: Sequence[str]) -> tuple[Config | None, str]:
    """The project's settings in force in the first workspace folder, or what is wrong with them."""
    if not folders:
        return None, ""
    from gpuadvisor.config import find_config
    from gpuadvisor.evidence import UnreadableInput

    try:
        return find_config(Path(folders[0])), ""
    except UnreadableInput as error:
        hint = f" ({error.hint})" if error.hint else ""
        return None, f"{error.path}: {error.reason}{hint}."
