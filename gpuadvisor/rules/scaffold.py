"""A first version of a rule, with a sample it should fire on and the repaired sample."""

from __future__ import annotations

from pathlib import Path

from gpuadvisor.rules.errors import RuleError
from gpuadvisor.rules.model import Rule

RULE = """\
code: {code}
name: {name}
status: preview
since: "1.0"
title: "{title}"
family: {family}
scope: line
needs:
  columns: [samples]
  sections: [SourceCounters]
  line_info: true
thresholds:
  share_min: {{value: 0.3, unit: ratio, about: "share of the kernel's samples that the line holds"}}
let:
  line_share: share(samples)
when:
  - line_share >= share_min
severity: info
confidence: medium
weight: line_share
message: "{{line_share:%}} of the kernel's samples are on this line"
explain:
  what: >
    Say what goes wrong in the hardware, in two sentences.
  why: >
    Say what was measured here: {{samples:,}} samples.
  fix: >
    Say what to change.
  wrong_when: >
    Say when this finding would be wrong or not worth acting on.
evidence:
  - {{metric: "share of samples", value: line_share, unit: ratio, threshold: share_min}}
tests:
  - name: a hot line fires
    rows:
      - {{line: 3, samples: 80}}
      - {{line: 9, samples: 20}}
    fires: 1
    line: 3
  - name: an even spread does not
    rows:
      - {{line: 3, samples: 10}}
      - {{line: 5, samples: 10}}
      - {{line: 7, samples: 10}}
      - {{line: 9, samples: 10}}
    fires: false
"""

SAMPLE = """\
// The smallest kernel that {name} is about. Build it with: nvcc -lineinfo -o {name} {name}.cu
#include <cuda_runtime.h>

__global__ void sample(const float* in, float* out, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
{body}
}}

int main() {{
    const int n = 1 << 24;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    sample<<<n / 256, 256>>>(in, out, n);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}}
"""
FAULTY = """\
    // ruleid: {name}
    if (i < n) out[i] = in[(i * 32LL) % n];"""
FIXED = """\
    // ok: {name}
    if (i < n) out[i] = in[i];"""


def write_scaffold(folder: Path, family: str, name: str, code: str) -> list[Path]:
    """Writes `<name>.yaml`, `<name>.cu` and `<name>.fixed.cu` under `folder/family`; RuleError
    when one of them is there already or cannot be written."""
    title = name.replace("-", " ").capitalize()
    texts = {
        f"{name}.yaml": RULE.format(code=code, name=name, title=title, family=family),
        f"{name}.cu": SAMPLE.format(name=name, body=FAULTY.format(name=name)),
        f"{name}.fixed.cu": SAMPLE.format(name=name, body=FIXED.format(name=name)),
    }
    home = folder / family
    paths = [home / file for file in texts]
    for path in paths:
        if path.exists():
            raise RuleError("is there already", path=str(path))
    try:
        home.mkdir(parents=True, exist_ok=True)
        for path, text in zip(paths, texts.values(), strict=True):
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise RuleError(f"cannot be written: {error.strerror}", path=str(home)) from None
    return paths


def free_code(letters: str, rules: list[Rule]) -> str:
    """The first code with these letters that no rule has."""
    taken = {rule.code for rule in rules}
    return next(
        code for number in range(1, 10_000) if (code := f"{letters}{number:03}") not in taken
    )
