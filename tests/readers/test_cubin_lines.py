"""Line tables of real cubins: inlined call sites, subroutines, relocations, damage."""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import pytest

from gpuadvisor.evidence import NO_CHAIN, Frame, InstructionTable, Launch, ProgramImage
from gpuadvisor.readers.cubin.image import Cubin, load_cubin
from gpuadvisor.readers.lines import read_instructions
from gpuadvisor.sass import read_listing

CUBINS = Path(__file__).parents[1] / "data" / "cubin"
SOURCE = "/src/mix.cu"
ARCHITECTURES = (75, 80, 90, 100, 120)


def _image(sm: int) -> bytes:
    return (CUBINS / f"mix.sm_{sm}.cubin").read_bytes()


def _line(text: str) -> int:
    lines = (CUBINS / "mix.cu").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def _launch(image: bytes, mangled: str, functions: dict[str, int] | None = None) -> Launch:
    program = ProgramImage(1, image, "", 90, {}, functions or {})
    return Launch(0, "kernel", "k", "k", mangled, (1, 1, 1), (1, 1, 1), None, {}, {}, program)


def _table(sm: int, name: str) -> InstructionTable:
    image = _image(sm)
    mangled = next(one for one in load_cubin(image).code if one.startswith("_Z") and name in one)
    table, problems = read_instructions(_launch(image, mangled), measured_only=False)
    assert table is not None
    assert problems == ()
    return table


@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_inlined_lines_know_the_call_sites_outwards(sm: int) -> None:
    table = _table(sm, "inlined")
    name = "_Z7inlinedPf"
    chains = {
        tuple((frame.file, frame.line) for frame in table.chains[number])
        for number in set(table.chain.tolist()) - {NO_CHAIN}
    }
    square = (SOURCE, _line("return x * x"))
    twice = (SOURCE, _line("return square(once"))
    kernel = (SOURCE, _line("data[i] = twice_squared"))
    assert {(square, twice, kernel), (twice, kernel), (kernel,)} <= chains
    deepest = next(chain for chain in table.chains if len(chain) == 3)
    assert [frame.function for frame in deepest] == ["_Z6squaref", "_Z13twice_squaredf", name]


@pytest.mark.parametrize("sm", ARCHITECTURES)
def test_a_called_function_keeps_its_lines_and_slow_paths_get_their_callers(sm: int) -> None:
    table = _table(sm, "calls")
    lines: dict[str, set[int]] = {}
    for function, chain in zip(table.function.tolist(), table.chain.tolist(), strict=True):
        if chain != NO_CHAIN:
            lines.setdefault(table.functions[function], set()).add(table.chains[chain][0].line)
    helper = next(name for name in lines if name.endswith("_Z6helperfi"))
    assert lines[helper] <= set(range(_line("float helper"), _line("return sum") + 2))
    division = next(name for name in lines if "div_s64" in name)
    assert lines[division] == {_line("wide[i] = wide[i] / by")}
    own = table.offset[table.function == table.functions.index(helper)]
    assert own[0] == 0
    assert (np.diff(own) == 16).all()


def test_lines_agree_with_the_source_statement_by_statement() -> None:
    table = _table(90, "gather")
    names = read_listing(table).decoded["name"]
    store = int(np.flatnonzero(names == "STG")[0])
    leave = int(np.flatnonzero(names == "EXIT")[0])
    assert table.chains[table.chain[store]][0] == Frame(
        SOURCE, _line("out[i] = data[index[i]]"), "_Z6gatherPKiPKfPf"
    )
    assert table.chains[table.chain[leave]][0].line == _line("out[i] = data[index[i]]") + 1


def test_a_launch_finds_its_code_where_the_program_was_loaded() -> None:
    image = _image(90)
    names = [name for name in load_cubin(image).code if name.startswith("_Z")]
    functions = {name: 0x7F00_0000_0000 + 0x10000 * n for n, name in enumerate(names)}
    for name in names:
        table, _ = read_instructions(_launch(image, name, functions), measured_only=False)
        assert table is not None
        assert int(table.address[0]) == functions[name]
        assert table.functions[0] == name
        assert (table.words != 0).any(axis=1).all()


def test_equal_images_are_read_once() -> None:
    assert load_cubin(_image(90)) is load_cubin(bytes(bytearray(_image(90))))


def _damaged(image: bytes, generator: random.Random, kind: int) -> bytes:
    changed = bytearray(image)
    if kind == 0:
        return bytes(changed[: generator.randrange(len(changed))])
    cubin = load_cubin(image)
    lines = cubin.elf.by_name[".debug_line"]
    headers = int.from_bytes(image[40:48], "little")
    low, high = {
        1: (0, len(image)),
        2: (0, 64),
        3: (headers, len(image)),
        4: (lines.offset, lines.offset + lines.size),
    }[kind]
    for _ in range(generator.randint(1, 30)):
        changed[generator.randrange(low, high)] = generator.choice((0, 1, 0x90, 127, 255))
    return bytes(changed)


def test_damage_never_raises_and_costs_little_time() -> None:
    generator = random.Random(11)
    images = [_image(75), _image(90)]
    start = time.perf_counter()
    noted = 0
    for number in range(200):
        image = images[number % 2]
        launch = _launch(_damaged(image, generator, number % 5), "_Z7inlinedPf")
        table, problems = read_instructions(launch, measured_only=False)
        noted += bool(problems)
        if table is not None:
            listing = read_listing(table)
            assert len(listing.decoded) == len(table)
            assert len(listing.producers["consumer"]) == len(listing.producers["producer"])
    assert noted > 20
    assert time.perf_counter() - start < 60


def test_a_cut_off_line_program_leaves_the_code_and_says_so() -> None:
    image = bytearray(_image(90))
    section = load_cubin(bytes(image)).elf.by_name[".debug_line"]
    image[section.offset : section.offset + 4] = (0x7FFFFFFF).to_bytes(4, "little")
    table, problems = read_instructions(_launch(bytes(image), "_Z7inlinedPf"), False)
    assert table is not None
    assert set(table.chain.tolist()) == {NO_CHAIN}
    assert (table.words != 0).any()
    assert "damaged" in problems[0].message
    assert problems[0].hint


def test_what_is_no_cubin_is_damage() -> None:
    for content in (b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(58), b"PK" + bytes(200)):
        cubin = Cubin(content)
        assert cubin.code == {}
        assert not cubin.has_lines
    assert Cubin(b"PK").damage
