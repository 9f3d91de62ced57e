"""Damaged sources: no exception, no dependence on what was parsed before, bounded time."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from gpuadvisor.source.spans import KINDS
from gpuadvisor.source.syntax import CudaSource

TOKENS = [
    "(", ")", "{", "}", "[", "]", ";", "<<<", ">>>", "*", "&", "->", ".", "template<", "#define X(",
    "if", "for(", "threadIdx.x", "__shared__", "\\", '"', "'", "/*", "//", "é", "\x00", "\r\n", "=",
    "+=", "%", "/", "::", "operator", "struct", "class", "=0", "\U0001f600", "__global__ ", "...",
]  # fmt: skip


def texts(root: Path) -> list[str]:
    return [path.read_text() for path in sorted((root / "tests/data/cases").glob("*.cu"))]


def mutated(chance: random.Random, pool: list[str]) -> str:
    """A text cut, shuffled, doubled, spliced with another or with noise in it."""
    text = chance.choice(pool)
    for _ in range(chance.choice([1, 1, 2, 3, 8])):
        at = chance.randrange(len(text) + 1)
        end = min(len(text), at + chance.randrange(1, 60))
        kind = chance.randrange(8)
        if kind == 0:
            text = text[:at] + text[end:]
        elif kind == 1:
            text = text[:at] + chance.choice(TOKENS) + text[at:]
        elif kind == 2:
            text = text[:at] + text[at:end] * 2 + text[at:]
        elif kind == 3:
            text = text[:at]
        elif kind == 4:
            lines = text.split("\n")
            chance.shuffle(lines)
            text = "\n".join(lines)
        elif kind == 5:
            other = chance.choice(pool)
            start = chance.randrange(len(other))
            text = text[:at] + other[start : start + 200] + text[at:]
        elif kind == 6:
            noise = "".join(chr(chance.randrange(1, 0x3000)) for _ in range(10))
            text = text[:at] + noise + text[at:]
        else:
            old = chance.choice(["int", "float", "(", ")", "x", "i", "n", "{", "}", ";"])
            text = text.replace(old, chance.choice(TOKENS), chance.randrange(1, 4))
    return text


def look_at_everything(source: CudaSource) -> dict[int, object]:
    """All that can be asked of a source."""
    _ = source.functions, source.launches, source.arrays, source.problems, source.structs
    _ = source.suppressions
    facts = {line: source.facts.at(line) for line in source.facts.lines()}
    for line in range(0, len(source.index) + 2, 3):
        source.facts.at(line)
        first, last = source.statement_at(line)
        assert first <= last
        source.is_closing_brace(line)
        source.function_at(line)
    for line in list(facts)[:4]:
        for kind in KINDS:
            span = source.expression_span(line, kind)
            assert (span.line, span.column) <= (span.end_line, span.end_column)
    return dict(facts)


@pytest.mark.parametrize("seed", range(8))
def test_mutations(root: Path, seed: int) -> None:
    chance = random.Random(seed)
    pool = texts(root)
    previous: CudaSource | None = None
    for number in range(40):
        text = mutated(chance, pool)
        source = CudaSource.parse(text, previous)
        found = look_at_everything(source)
        if number % 4 == 0:
            assert found == look_at_everything(CudaSource.parse(text))
        previous = source


@pytest.mark.slow
def test_five_thousand_mutations(root: Path) -> None:
    chance = random.Random(99)
    pool = texts(root)
    for _ in range(5000):
        look_at_everything(CudaSource.parse(mutated(chance, pool)))


def test_random_bytes() -> None:
    chance = random.Random(5)
    for _ in range(30):
        data = bytes(chance.randrange(256) for _ in range(400))
        look_at_everything(CudaSource.parse(data.decode("latin-1")))


NESTED = {
    "parentheses": "x[threadIdx.x] = " + "(" * 5000 + "1" + ")" * 5000 + ";",
    "sum": "x[threadIdx.x] = " + " + ".join(["x[threadIdx.x]"] * 3000) + ";",
    "ifs": "if (x[0]) {" * 2000 + "x[1] = 2;" + "}" * 2000,
    "else ifs": " else ".join(f"if (x[0] == {number}) x[1] = 2;" for number in range(1500)),
    "polynomial": "int q = threadIdx.x + n;" + "q = q * q + n;" * 200 + "x[q] = 1;",
    "loops": "int q = 0;" + "for (int i = 0; i < n; ++i) { q = q * 3 + x[q];" * 60 + "}" * 60,
    "shift": "x[1 << (threadIdx.x * 1000000000)] = 1;",
    "digits": "x[" + "9" * 4000 + "] = 1;",
}


@pytest.mark.parametrize("name", NESTED)
def test_deep_and_wide(name: str) -> None:
    start = time.process_time()
    look_at_everything(CudaSource.parse(f"__global__ void f(int* x, int n) {{ {NESTED[name]} }}"))
    assert time.process_time() - start < 2.0


LAUGHS = {
    "macros with arguments": "\n".join(
        f"#define F{n}(x) F{n + 1}(x) + F{n + 1}(x)" for n in range(40)
    )
    + "\n#define F40(x) x\n__global__ void f(int* x) { x[F0(threadIdx.x)] = 1; }",
    "macros": "\n".join(f"#define F{n} F{n + 1} * F{n + 1}" for n in range(60))
    + "\n#define F60 7\n__global__ void f(int* x) { x[F0] = 1; }",
    "functions": "\n".join(
        f"__device__ int f{n}(int x) {{ return f{n + 1}(x) + f{n + 1}(x); }}" for n in range(40)
    )
    + "\n__device__ int f40(int x) { return x; }\n"
    "__global__ void f(int* x) { x[f0(threadIdx.x)] = 1; }",
    "structs": "\n".join(f"struct S{n} {{ S{n - 1} a, b; }};" for n in range(1, 80))
    + "\nstruct S0 { int a[1000000]; };",
    "recursion": "#define A B\n#define B A\nconstexpr int c = d, d = c;\n"
    "__device__ int g(int x) { return g(x - 1); }\n"
    "__global__ void f(int* x) { x[A + c + g(3)] = 1; }",
}


@pytest.mark.parametrize("name", LAUGHS)
def test_exponential_programs(name: str) -> None:
    start = time.process_time()
    look_at_everything(CudaSource.parse(LAUGHS[name]))
    assert time.process_time() - start < 2.0


def long_source(pool: list[str], lines: int) -> str:
    """Kernels one after another with names of their own."""
    parts: list[str] = []
    count = 0
    while count < lines:
        text = pool[len(parts) % len(pool)].replace("(const", f"_{len(parts)}(const")
        parts.append(text)
        count += text.count("\n")
    return "\n".join(parts)


def test_an_edit_is_analysed_fast(root: Path) -> None:
    """The budget is 30 ms for 2,000 lines; twice that is allowed for a busy machine."""
    text = long_source(texts(root), 2000)
    source = CudaSource.parse(text)
    look_at_everything(source)
    lines = text.split("\n")
    times = []
    for number in range(12):
        edited = list(lines)
        edited[(number * 157) % len(lines)] += f" int q{number} = 3;"
        start = time.process_time()
        after = CudaSource.parse("\n".join(edited), source)
        _ = after.functions, after.launches
        for line in after.facts.lines():
            after.facts.at(line)
        times.append(time.process_time() - start)
    assert sorted(times)[len(times) // 2] < 0.060


def test_fifty_thousand_lines_in_time(root: Path) -> None:
    text = long_source(texts(root), 50_000)
    start = time.process_time()
    source = CudaSource.parse(text)
    assert len(source.functions) > 1000
    source.statement_at(40_000)
    assert time.process_time() - start < 2.0
