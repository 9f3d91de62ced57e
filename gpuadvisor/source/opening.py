"""A source file's text as the kind of source it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpuadvisor.source.python_source import PythonSource
    from gpuadvisor.source.syntax import CudaSource

PYTHON_ENDINGS = (".py", ".pyi")


def parse_source(
    path: str, text: str, previous: CudaSource | PythonSource | None = None
) -> CudaSource | PythonSource:
    """The source of a text by the ending of its path: Python, else CUDA C++. `previous` is an
    earlier version of the same file; giving it makes this cheap."""
    if path.lower().endswith(PYTHON_ENDINGS):
        from gpuadvisor.source.python_source import PythonSource

        return PythonSource(text)
    from gpuadvisor.source.syntax import CudaSource

    before = previous if isinstance(previous, CudaSource) else None
    return CudaSource.parse(text, before)
