"""An analysis made by hand: what the transpose sample gives, plus the corners of each view."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gpuadvisor.evidence import Device, Problem, VendorRule
from gpuadvisor.evidence.findings import (
    Analysis,
    Consequence,
    Estimate,
    EvidenceItem,
    Finding,
    FixOffer,
    InputSummary,
    KernelSummary,
    LineRecord,
    Location,
    Related,
    Skipped,
)

SOURCE_FILE = "/home/u/transpose.cu"
SOURCE = (Path(__file__).parents[2] / "samples/transpose/transpose.cu").read_text()


def kernel(name: str, **changes: object) -> KernelSummary:
    """A kernel of the transpose report; `changes` replaces fields."""
    base = KernelSummary(
        id=f"{name}#0",
        name=name,
        demangled=f"{name}(const float *, float *, int, int)",
        input="transpose.ncu-rep",
        launches=1,
        grid=(256, 128, 1),
        block=(32, 32, 1),
        device="NVIDIA H200",
        duration_ns=490_272.0,
        share_pct=54.3,
        verdict="memory",
        headline="bound by L2 at 91 % of peak",
        sm_pct=12.4,
        memory_pct=91.2,
        dram_pct=30.1,
        occupancy_theoretical_pct=97.0,
        occupancy_achieved_pct=94.6,
        occupancy_limiter="registers",
        line_info="full",
    )
    return replace(base, **changes)  # type: ignore[arg-type]


UNCOALESCED = Finding(
    code="GA101",
    rule="uncoalesced-global-access",
    severity="warning",
    confidence="high",
    kernel="transpose_naive#0",
    location=Location(SOURCE_FILE, 22, 22, 9, 28, "exact"),
    title="Uncoalesced global access",
    message="this store touches 8 times the sectors that its bytes fill",
    why="The 32 lanes of a warp write 16,384 bytes apart, so each 4-byte store moves a sector.",
    fix="Stage the tile through shared memory. Write it back along rows.",
    evidence=(
        EvidenceItem("sectors over ideal", 8.0, "", 1.5),
        EvidenceItem("share of the kernel's sectors", 88.9, "%", 10.0),
    ),
    estimate=Estimate((1.52, 1.93), "the L2 sectors go from 37.7 to 8.4 million"),
    related=(Related(SOURCE_FILE, 24, "73 % of the samples wait here for the store"),),
    fixes=(FixOffer("pad-tile", "pad the tile", "unsafe"),),
    consequences=(Consequence("GA406", "lsu-queue-full", "the LSU queue is full"),),
    fingerprint="0123456789abcdef",
    weight=0.4,
)


@pytest.fixture
def analysis() -> Analysis:
    """Two kernels, one with a fault; a rule skipped on one kernel and two on all."""
    collect = "ncu --section SourceCounters -o report ./app"
    other = "ncu --section ComputeWorkloadAnalysis -k transpose_padded -o report ./app"
    return Analysis(
        rules_digest="sha256:0",
        inputs=(InputSummary("transpose.ncu-rep", "ncu-rep", "0" * 64),),
        devices=(Device(0, "NVIDIA H200", (9, 0), {"multiprocessor_count": 132}),),
        kernels=(
            kernel("transpose_naive"),
            kernel("transpose_padded", duration_ns=148_000.0, share_pct=16.4),
        ),
        findings=(UNCOALESCED,),
        skipped=(
            Skipped("warp-divergence", "transpose_naive#0", "not measured: inst, lanes", collect),
            Skipped("warp-divergence", "transpose_padded#0", "not measured: inst, lanes", collect),
            Skipped("double-promotion", "transpose_naive#0", "not measured: opcodes", collect),
            Skipped("double-promotion", "transpose_padded#0", "not measured: opcodes", collect),
            Skipped("compute-bound", "transpose_padded#0", "not measured: pipes", other),
        ),
        lines=(
            LineRecord("transpose_naive#0", SOURCE_FILE, 22, 22, 120, 20.0, {"lg_throttle": 120}),
            LineRecord(
                kernel="transpose_naive#0",
                file=SOURCE_FILE,
                line=24,
                end_line=24,
                samples=440,
                samples_pct=73.3,
                stalls={"drain": 400, "selected": 40},
                sectors_global=37_748_736.0,
                sectors_global_ideal=8_388_608.0,
                instructions=1_048_576.0,
                threads_per_instruction=32.0,
            ),
        ),
        sources={SOURCE_FILE: SOURCE},
    )


HOSTILE = "k\x1b[2J\u202e<img src=x>`|**b**[l](http://x)@team\x9b31m"


@pytest.fixture
def hostile(analysis: Analysis) -> Analysis:
    """The same with text in every free field that a terminal or a renderer would act on."""
    finding = replace(
        UNCOALESCED,
        kernel="transpose_naive#0",
        location=Location(HOSTILE, 1, 1, state="exact"),
        title=HOSTILE,
        message=HOSTILE,
        why=HOSTILE,
        fix=HOSTILE,
        evidence=(EvidenceItem(HOSTILE, HOSTILE, HOSTILE),),
        estimate=Estimate((1.1, 1.2), HOSTILE),
        related=(Related(HOSTILE, 2, HOSTILE), Related("other" + HOSTILE, 2, HOSTILE)),
        consequences=(Consequence("GA406", "lsu-queue-full", HOSTILE),),
        fixes=(FixOffer("x", HOSTILE, "unsafe"),),
    )
    hostile_kernel = kernel(
        HOSTILE,
        id="transpose_naive#0",
        demangled=HOSTILE,
        device=HOSTILE,
        headline=HOSTILE,
        input=HOSTILE,
        occupancy_limiter=HOSTILE,
        vendor_rules=(VendorRule(HOSTILE, HOSTILE, HOSTILE, (HOSTILE,)),),
    )
    return replace(
        analysis,
        inputs=(InputSummary(HOSTILE, HOSTILE, "0" * 64, (Problem(HOSTILE, HOSTILE),)),),
        devices=(Device(0, HOSTILE, (9, 0)),),
        kernels=(hostile_kernel,),
        findings=(finding,),
        skipped=(Skipped("compute-bound", None, HOSTILE, HOSTILE),),
        lines=(LineRecord("transpose_naive#0", HOSTILE, 1, 1, 5, 50.0, {HOSTILE: 5}),),
        sources={HOSTILE: f"{HOSTILE}\n```{HOSTILE}\n"},
    )
