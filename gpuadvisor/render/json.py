"""Findings as JSON, schema `gpuadvisor/findings/1` (findings.schema.json beside this file).

Every other view can be made from this. Keys are sorted; NaN and infinity, which JSON does not
have, become null; whole numbers lose their ".0"; everything outside ASCII is escaped, so that
the bytes depend neither on a locale nor on what a terminal would do with them.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import gpuadvisor
from gpuadvisor.evidence import Device, VendorRule
from gpuadvisor.evidence.findings import (
    Analysis,
    Finding,
    InputSummary,
    KernelSummary,
    LineRecord,
    Location,
)

SCHEMA = "gpuadvisor/findings/1"
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(analysis: Analysis, *, lines: bool = False, vendor: bool = False) -> str:
    """The document with a newline at its end. `lines` adds the line records, `vendor` the
    vendor's own rule results of each kernel as `vendor_rules`."""
    document = to_document(analysis, lines=lines, vendor=vendor)
    records = document.get("lines")
    block = ""
    if records:
        # One record a line: there may be many thousands, and the indenting encoder is slow.
        document["lines"] = []
        rows = map(json.JSONEncoder(sort_keys=True, allow_nan=False).encode, records)
        block = '\n  "lines": [\n    ' + ",\n    ".join(rows) + "\n  ]"
    text = json.dumps(document, indent=2, sort_keys=True, allow_nan=False) + "\n"
    # No line of text inside the document can look like this: newlines in it are escaped.
    return text.replace('\n  "lines": []', block, 1) if records else text


def to_document(analysis: Analysis, *, lines: bool = False, vendor: bool = False) -> dict[str, Any]:
    """The same as plain dicts, lists, text, numbers and None."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": {
            "name": "gpuadvisor",
            "version": gpuadvisor.__version__,
            "rules_digest": analysis.rules_digest,
        },
        "inputs": [_input(item) for item in analysis.inputs],
        "devices": [_device(device) for device in analysis.devices],
        "kernels": [_kernel(kernel, vendor=vendor) for kernel in analysis.kernels],
        "findings": [_finding(finding) for finding in analysis.findings],
        "skipped": [
            {"rule": s.rule, "kernel": s.kernel, "reason": s.reason, "collect": s.collect}
            for s in analysis.skipped
        ],
    }
    if lines:
        document["lines"] = [_line(record) for record in analysis.lines]
    plain: dict[str, Any] = _plain(document)
    return plain


def _input(item: InputSummary) -> dict[str, Any]:
    return {
        "path": item.path,
        "kind": item.kind,
        "sha256": item.sha256,
        "problems": [{"message": p.message, "hint": p.hint} for p in item.problems],
    }


def _device(device: Device) -> dict[str, Any]:
    return {
        "id": device.id,
        "name": device.name,
        "cc": "{}.{}".format(*device.cc) if device.cc != (0, 0) else None,
        "sm_count": device.attributes.get("multiprocessor_count"),
        "l2_bytes": device.attributes.get("l2_cache_size"),
    }


def _kernel(kernel: KernelSummary, *, vendor: bool) -> dict[str, Any]:
    row: dict[str, Any] = {
        "id": kernel.id,
        "name": kernel.name,
        "demangled": kernel.demangled,
        "input": kernel.input,
        "launches": kernel.launches,
        "grid": list(kernel.grid),
        "block": list(kernel.block),
        "device": kernel.device,
        "duration_ns": kernel.duration_ns,
        "verdict": kernel.verdict,
        "throughput": {
            "sm_pct": kernel.sm_pct,
            "memory_pct": kernel.memory_pct,
            "dram_pct": kernel.dram_pct,
        },
        "occupancy": {
            "theoretical_pct": kernel.occupancy_theoretical_pct,
            "achieved_pct": kernel.occupancy_achieved_pct,
            "limiter": kernel.occupancy_limiter,
        },
        "line_info": kernel.line_info,
    }
    if vendor:
        row["vendor_rules"] = [_vendor_rule(rule) for rule in kernel.vendor_rules]
    return row


def _vendor_rule(rule: VendorRule) -> dict[str, Any]:
    return {
        "identifier": rule.identifier,
        "name": rule.name,
        "section": rule.section,
        "messages": list(rule.messages),
        "speedup_kind": rule.speedup_kind or None,
        "speedup_pct": rule.speedup_pct,
        "markers": [{"file": f, "line": line, "text": text} for f, line, text in rule.markers],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    estimate = finding.estimate
    return {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "confidence": finding.confidence,
        "kernel": finding.kernel,
        "location": _location(finding.location),
        "related": [
            {"file": r.file, "line": r.line, "message": r.message} for r in finding.related
        ],
        "title": finding.title,
        "message": finding.message,
        "evidence": [
            {"metric": e.metric, "value": e.value, "unit": e.unit, "threshold": e.threshold}
            for e in finding.evidence
        ],
        "estimate": (
            {"speedup": list(estimate.speedup), "basis": estimate.basis} if estimate else None
        ),
        "fixes": [
            {"id": f.id, "title": f.title, "applicability": f.applicability} for f in finding.fixes
        ],
        "consequences": [
            {"code": c.code, "rule": c.rule, "message": c.message} for c in finding.consequences
        ],
        "fingerprint": finding.fingerprint,
    }


def _location(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {
        "file": location.file,
        "line": location.line,
        "end_line": location.end_line,
        "column": location.column,
        "state": location.state,
    }


def _line(record: LineRecord) -> dict[str, Any]:
    return {
        "kernel": record.kernel,
        "file": record.file,
        "line": record.line,
        "samples": record.samples,
        "samples_pct": record.samples_pct,
        "stalls": dict(record.stalls),
        "sectors_global": record.sectors_global,
        "sectors_global_ideal": record.sectors_global_ideal,
        "wavefronts_shared": record.wavefronts_shared,
        "wavefronts_shared_ideal": record.wavefronts_shared_ideal,
        "sectors_local": record.sectors_local,
        "instructions": record.instructions,
        "threads_per_instruction": record.threads_per_instruction,
    }


def _plain(value: Any) -> Any:
    """JSON's own types only: numpy scalars unwrapped, numbers finite, text encodable."""
    if isinstance(value, str):
        return value if value.isascii() else _SURROGATE.sub("\ufffd", value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_plain(item) for item in value]
    return _number(float(value))


def _number(value: float) -> float | int | None:
    if value.is_integer() and abs(value) < 2**53:
        return int(value)
    # Through float(), since numpy's own float64 is one, too, and is written differently.
    return float(value) if math.isfinite(value) else None
