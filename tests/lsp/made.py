"""Small analyses made by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gpuadvisor.evidence.findings import (
    Analysis,
    Finding,
    FixOffer,
    InputSummary,
    KernelSummary,
    LineRecord,
    Location,
)
from gpuadvisor.lsp.derived import Derived
from gpuadvisor.lsp.documents import Document, canonical
from gpuadvisor.lsp.gather import build_snapshot
from gpuadvisor.lsp.snapshot import Snapshot
from gpuadvisor.lsp.view import DocumentView

FILE = "/made/a.cu"
TEXT = """\
__global__ void one(float* x, float* y) {
    __shared__ float tile[32][32];
    x[threadIdx.x * 32] = 1.0f;
    y[0] = tile[threadIdx.x][0];
}
__global__ void two(float* x) {
    x[0] = 2;
}
"""


def kernel(ident: str = "k0", name: str = "one", **changes: Any) -> KernelSummary:
    values: dict[str, Any] = {
        "id": ident,
        "name": name,
        "demangled": f"{name}(float *)",
        "input": "r.ncu-rep",
        "launches": 1,
        "grid": (1, 1, 1),
        "block": (32, 1, 1),
        "device": "GPU",
        "duration_ns": 1000.0,
        "share_pct": 50.0,
        "verdict": "memory",
        "headline": "",
        "sm_pct": None,
        "memory_pct": None,
        "dram_pct": None,
        "occupancy_theoretical_pct": None,
        "occupancy_achieved_pct": None,
        "occupancy_limiter": None,
        "line_info": "full",
    }
    return KernelSummary(**{**values, **changes})


def finding(line: int = 3, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "code": "GA101",
        "rule": "uncoalesced-global-access",
        "severity": "warning",
        "confidence": "high",
        "kernel": "k0",
        "location": Location(FILE, line, line, 5, 24, "exact"),
        "title": "Uncoalesced",
        "message": "moves too much",
        "why": "because",
        "fix": "do otherwise",
    }
    return Finding(**{**values, **changes})


def record(line: int = 3, samples: int | None = 90, **changes: Any) -> LineRecord:
    values: dict[str, Any] = {
        "kernel": "k0",
        "file": FILE,
        "line": line,
        "end_line": line,
        "samples": samples,
        "samples_pct": float(samples) if samples is not None else None,
    }
    return LineRecord(**{**values, **changes})


def analysis(**changes: Any) -> Analysis:
    values: dict[str, Any] = {
        "rules_digest": "",
        "inputs": (InputSummary("r.ncu-rep", "ncu-rep", ""),),
        "devices": (),
        "kernels": (kernel(), kernel("k1", "two")),
        "findings": (finding(),),
        "skipped": (),
        "lines": (record(),),
        "sources": {FILE: TEXT},
    }
    return Analysis(**{**values, **changes})


def snapshot(*analyses: Analysis, generation: int = 1) -> Snapshot:
    return build_snapshot(
        generation, [(f"/made/{at}.ncu-rep", item) for at, item in enumerate(analyses)]
    )


def view(
    made: Analysis | None = None, text: str = TEXT, language: str = "cuda-cpp", path: str = FILE
) -> DocumentView:
    """An open document as one report sees it."""
    shot = snapshot(made or analysis())
    evidence = shot.files[canonical(path)]
    document = Document(f"file://{path}", text, 1, language, "utf-16")
    base = evidence.base if evidence.base is not None else text.split("\n")
    derived = Derived(evidence, base, language == "python")
    return DocumentView(document, evidence, derived, shot.known)


PAD = FixOffer("pad-shared-array", "Pad the shared array", "unsafe")
SOURCES: Mapping[str, str] = {FILE: TEXT}
