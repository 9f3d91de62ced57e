"""From the path that a report names to a file that the user has.

A report is untrusted and mostly from another machine, so its path is never opened as it stands.
A file counts only inside a folder that the user gave (a source folder, a workspace, the target of
a mapping) or right beside the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpuadvisor.evidence import Problem
from gpuadvisor.source.files import MAX_BYTES, inside, read_text, same_text
from gpuadvisor.source.report_path import (
    common_suffix,
    components,
    is_windows_path,
    strip_prefix,
)
from gpuadvisor.source.walk import MAX_ENTRIES, FileIndex, index_files

Origin = Literal["disk", "embedded", "none"]
SourceState = Literal["exact", "moved", "missing"]

_MIN_OVERLAP = 0.2
"""A file that shares only its name with the profiled one must share this part of its lines."""


@dataclass(frozen=True)
class ResolvedSource:
    """What a report's path leads to.

    file: the file on disk; the path as the report names it when there is none.
    text: the file's text, the embedded text when no file was found, None without either.
    state: exact when the text is the profiled one as far as can be known, moved when the file
        differs from the embedded text (map lines with `moved.map_lines`), missing without text.
    verified: whether the text was compared with an embedded one.
    """

    report_path: str
    file: str
    text: str | None
    origin: Origin
    state: SourceState
    verified: bool = False
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _Candidate:
    path: Path
    suffix: int
    beside: bool


class SourceResolver:
    """Finds report paths in `roots` (source folders, workspace folders) with explicit `mappings`
    (FROM, TO) first. `beside` are folders of reports: only files right in them count."""

    def __init__(
        self,
        roots: Iterable[Path | str] = (),
        mappings: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        beside: Iterable[Path | str] = (),
        max_entries: int = MAX_ENTRIES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        pairs = mappings.items() if isinstance(mappings, Mapping) else mappings
        # The longest FROM is the most exact one; equal ones keep the order they were given in.
        self._mappings = sorted(pairs, key=lambda pair: -len(components(pair[0])))
        self._roots = [Path(root) for root in dict.fromkeys(map(str, roots))]
        self._beside = [Path(folder) for folder in dict.fromkeys(map(str, beside))]
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._indexes: list[FileIndex] | None = None

    def refresh(self) -> None:
        """Forget the folder listings; the next `resolve` walks again."""
        self._indexes = None

    def resolve(self, report_path: str, embedded_text: str | None = None) -> ResolvedSource:
        """The file and text for one path of a report. Never raises; what stood in the way is in
        `problems`."""
        problems: list[Problem] = []
        parts = components(report_path)
        if not parts or any(ord(char) < 32 for char in report_path):
            problems.append(Problem(f"{report_path!r} is not a path of a source file"))
            return self._without_file(report_path, embedded_text, problems)
        path = self._mapped(report_path, problems)
        if path is None:
            path = self._matched(report_path, parts, embedded_text, problems)
        if path is not None:
            read = read_text(path, self._max_bytes)
            if read.text is not None:
                return _on_disk(report_path, path, read.text, embedded_text, problems)
            if read.problem is not None:
                problems.append(read.problem)
        return self._without_file(report_path, embedded_text, problems)

    def _mapped(self, report_path: str, problems: list[Problem]) -> Path | None:
        for source, target in self._mappings:
            rest = strip_prefix(report_path, source)
            if rest is None:
                continue
            base = Path(target).expanduser()
            path = base.joinpath(*rest)
            # A mapping of one file to another allows that file; a folder allows what is in it.
            folder = base if rest else base.parent
            if not _is_file(path):
                message = f"{report_path} maps to {path}, which does not exist"
                problems.append(Problem(message, f"check the mapping {source}={target}"))
            elif not any(inside(path, root) for root in (folder, *self._roots)):
                message = f"{path} leads out of {folder} by a link"
                problems.append(Problem(message, "map to the real folder instead"))
            else:
                return path
        return None

    def _matched(
        self,
        report_path: str,
        parts: tuple[str, ...],
        embedded_text: str | None,
        problems: list[Problem],
    ) -> Path | None:
        candidates = self._candidates(report_path, parts, problems)
        if not candidates:
            return None
        longest = max(candidate.suffix for candidate in candidates)
        best = [candidate for candidate in candidates if candidate.suffix == longest]
        texts = {c.path: read_text(c.path, self._max_bytes).text for c in best}
        readable = [candidate for candidate in best if texts[candidate.path] is not None]
        if not readable:
            # Reading it again says what is wrong with it.
            return best[0].path
        best = readable
        if embedded_text is not None:
            equal = [c for c in best if same_text(texts[c.path] or "", embedded_text)]
            if equal:
                best = equal
            elif longest == 1:
                alike = [c for c in best if _overlap(embedded_text, texts[c.path] or "")]
                if not alike:
                    message = f"{best[0].path} has the name of {report_path} but other contents"
                    hint = f"map the folder if it is the right file: --map {report_path}=FILE"
                    problems.append(Problem(message, hint))
                    return None
                best = alike
        if len(best) > 1:
            best = [candidate for candidate in best if candidate.beside] or best
        if len(best) > 1:
            places = ", ".join(str(candidate.path) for candidate in best[:4])
            message = f"{report_path} could be any of {len(best)} files: {places}"
            problems.append(Problem(message, f"say which: --map {report_path}=FILE"))
            return None
        return best[0].path

    def _candidates(
        self, report_path: str, parts: tuple[str, ...], problems: list[Problem]
    ) -> list[_Candidate]:
        """Files whose path ends as the report's does, each once, with the length of that end."""
        fold = is_windows_path(report_path)
        found: dict[Path, _Candidate] = {}

        def add(path: Path, root: Path, beside: bool) -> None:
            if not _is_file(path) or not inside(path, root):
                return
            real = path.resolve()
            suffix = common_suffix(parts, components(path.absolute().as_posix()), fold)
            known = found.get(real)
            if suffix and (known is None or suffix > known.suffix or beside > known.beside):
                path = known.path if known is not None and known.suffix >= suffix else path
                suffix = max(suffix, known.suffix if known else 0)
                found[real] = _Candidate(path, suffix, beside or bool(known and known.beside))

        for folder in self._beside:
            add(folder / parts[-1], folder, True)
        for root in self._roots:
            for start in range(len(parts)):
                add(root.joinpath(*parts[start:]), root, False)
            rest = strip_prefix(report_path, root.absolute().as_posix())
            if rest:
                add(root.joinpath(*rest), root, False)
        for index in self._walked():
            names = index.by_name.get(parts[-1].casefold(), ())
            for name in names:
                if fold or Path(name).name == parts[-1]:
                    add(Path(name), index.root, False)
            if index.truncated and not found:
                message = f"{index.root} holds too many files, not all were looked at"
                problems.append(Problem(message, "name the source folder: --source DIR"))
        return list(found.values())

    def _walked(self) -> list[FileIndex]:
        if self._indexes is None:
            self._indexes = [index_files(root, self._max_entries) for root in self._roots]
        return self._indexes

    @staticmethod
    def _without_file(
        report_path: str, embedded_text: str | None, problems: list[Problem]
    ) -> ResolvedSource:
        if embedded_text is not None:
            return ResolvedSource(
                report_path, report_path, embedded_text, "embedded", "exact", True, tuple(problems)
            )
        if not problems:
            message = f"no file for {report_path}"
            hint = "name its folder with --source DIR, or map it with --map FROM=TO"
            problems.append(Problem(message, hint))
        return ResolvedSource(report_path, report_path, None, "none", "missing", False,
                              tuple(problems))  # fmt: skip


def _on_disk(
    report_path: str, path: Path, text: str, embedded: str | None, problems: list[Problem]
) -> ResolvedSource:
    same = embedded is None or same_text(text, embedded)
    state: SourceState = "exact" if same else "moved"
    return ResolvedSource(
        report_path, str(path), text, "disk", state, embedded is not None, tuple(problems)
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _overlap(old: str, new: str) -> bool:
    """Whether enough of the old text's lines occur in the new one to be the same file edited."""
    wanted = {line.strip() for line in old.splitlines()} - {"", "{", "}", "};"}
    have = {line.strip() for line in new.splitlines()}
    return not wanted or len(wanted & have) >= _MIN_OVERLAP * len(wanted)
