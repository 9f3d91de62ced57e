"""What rules on sources may ask of a line beside its `LineFacts`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HintFacts:
    """Facts of one line of one function; numbers are None where they are not known.

    kind: kernel, device (also host-device) or host. called: a kernel of the file runs the line.
    serial_depth: loops around it that each thread runs for itself (loops whose trips are dealt
        out to threads aside). elementwise: the function has no such loop, no shared memory and
        no barrier.

    worst: load or store, whichever wastes more of what it fetches.
    load_covered, store_covered: other accesses close by use what this one skips. narrow_alone: all
        global accesses of the line move 1 or 2 bytes a lane. shifted_only: the array is only
        accessed with the shift. misaligned: a vector access that is known not to be aligned.
        vector_bytes, vector_text: of that access.
    struct_used: share of the struct's bytes that the function accesses through the same array.
        struct_piece: bytes that one instruction moves of it.
    in_run: the access is in a loop whose bounds were loaded (a row of a sparse matrix).
    shared_scaled: the lane distance of the shared access doubles from trip to trip.
    shared_repeats: the access is in a loop that each thread runs.

    array, array_bytes: of an array of the thread that is declared on the line and has a run-time
        subscript, which is array_subscript. bound_registers: registers a thread that the launch
        bounds on this line leave; array_registers: those that arrays with constant subscripts
        need, array_names which.

    split_text, split_share, split_threads, split_loops, split_leaves: the condition that starts on
        the line, the share of warps whose lanes part at it, how many of 1024 threads pass, whether
        loops are behind it, whether it leaves the function. serial_text, serial_threads,
        serial_trips: a condition that so few threads pass to run a loop of so many trips (None
        unknown) while the others wait at a barrier. lone: the same where nobody waits, for one
        thread of the grid.

    math_serial: a slow function in an innermost loop of the thread that does not stream memory.
    division_serial: loops of the thread around a run-time division. divisors: different run-time
        divisors of the function outside such loops. divisions_varying: as LineFacts.divisions,
        those by numbers that all lanes share of numbers they share aside.
    chain: the only sum or product that a loop carries from trip to trip. chain_loads: global loads
        in the loop; chain_spread: its trips are dealt out to threads; chain_product: products
        are summed; chain_alone: the function has no other loop, barrier or shuffle.
    product: two low-precision operands, one shared by lanes and one not, are multiplied and summed.

    copy_array, copy_source, copy_bytes: a copy from global to shared memory by way of registers in
        a loop with a barrier; copy_trips: work on it between the barriers, in loop trips for
        each copied element (None unknown).

    mutable: pointer parameters that are only read and not const; aliased: const ones without
        __restrict__ that are read in a loop which also writes. Of the function whose head it is.
    """

    kind: str = ""
    called: bool = False
    serial_depth: int = 0
    elementwise: bool = False
    worst: str = ""
    load_covered: bool = False
    store_covered: bool = False
    narrow_alone: bool = False
    shifted_only: bool = False
    misaligned: bool = False
    vector_bytes: int | None = None
    vector_text: str = ""
    struct_used: float | None = None
    struct_piece: int | None = None
    in_run: bool = False
    shared_scaled: bool = False
    shared_repeats: bool = False
    array: str = ""
    array_bytes: int | None = None
    array_subscript: str = ""
    bound_registers: int | None = None
    array_registers: int | None = None
    array_names: str = ""
    split_text: str = ""
    split_share: float | None = None
    split_threads: int | None = None
    split_loops: bool = False
    split_leaves: bool = False
    serial_text: str = ""
    serial_threads: int | None = None
    serial_trips: int | None = None
    lone: str = ""
    math_serial: bool = False
    division_serial: int = 0
    divisors: int = 0
    divisions_varying: int = 0
    chain: str = ""
    chain_loads: int = 0
    chain_spread: bool = False
    chain_product: bool = False
    chain_alone: bool = False
    product: str = ""
    copy_array: str = ""
    copy_source: str = ""
    copy_bytes: int | None = None
    copy_trips: float | None = None
    mutable: str = ""
    aliased: str = ""
    parameters: int = 0
