"""What each opcode of sm_70 to sm_121 is: name, kind of work, memory space, operands.

The base opcode is the low 9 bits of an instruction word; bits 9 to 11 say which operand is an
immediate, a constant or a uniform register. The facts were written down from compiled kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np


class Kind(IntEnum):
    """What an instruction does, as far as performance is concerned."""

    UNKNOWN = 0
    LOAD = 1
    STORE = 2
    ATOMIC = 3
    """Read-modify-write that returns the old value."""
    REDUCTION = 4
    """Read-modify-write that returns nothing."""
    ASYNC_COPY = 5
    TEXTURE = 6
    SURFACE = 7
    FP64 = 8
    FP32 = 9
    FP16 = 10
    """Half or bfloat16 arithmetic, two lanes a register."""
    INT = 11
    CONVERT = 12
    MUFU = 13
    """Special function unit: reciprocal, roots, exponent, logarithm, sine, cosine, tanh."""
    TENSOR = 14
    CONTROL = 15
    BARRIER = 16
    FENCE = 17
    SHUFFLE = 18
    VOTE = 19
    MOVE = 20
    PREDICATE = 21
    SYNC = 22
    """Waiting on transactions and async groups: mbarriers, DEPBAR, commit groups."""
    SPECIAL = 23
    """Special registers: thread and block index, clock, lane masks."""
    CACHE = 24
    """Prefetch, invalidate and other cache control."""
    NOP = 25


class Space(IntEnum):
    """The memory an access goes to."""

    NONE = 0
    GLOBAL = 1
    SHARED = 2
    LOCAL = 3
    GENERIC = 4
    CONSTANT = 5
    TEXTURE = 6
    SURFACE = 7
    TENSOR = 8
    """Tensor memory of sm_100."""


@dataclass(frozen=True)
class Opcode:
    """One base opcode.

    `slots` names the register operands, `widths` how many registers each spans (* follows the
    access size, ? the number format); `operands` says where each letter stands in the word.
    """

    name: str
    kind: Kind
    space: Space
    slots: str
    widths: str


_TABLE = """
002 MOV        MOVE       -        ds     11
003 P2R        MOVE       -        da     11
004 R2P        PREDICATE  -        a      1
005 CS2R       SPECIAL    -        d      ?
006 VOTE       VOTE       -        d      1
007 SEL        MOVE       -        das    111
008 FSEL       FP32       -        das    111
009 FMNMX      FP32       -        das    111
00a FSET       FP32       -        das    111
00b FSETP      FP32       -        as     11
00c ISETP      INT        -        as     11
00d FCMP       FP32       -        dabc   1111
00e ICMP       INT        -        dabc   1111
00f VIMNMX3    INT        -        dabc   1111
010 IADD3      INT        -        dabc   1111
011 LEA        INT        -        dabc   1111
012 LOP3       INT        -        dabc   1111
013 IABS       INT        -        ds     11
014 VABSDIFF   INT        -        dabc   1111
015 VABSDIFF4  INT        -        dabc   1111
016 PRMT       INT        -        dabc   1111
017 IMNMX      INT        -        das    111
018 BFE        INT        -        dabc   1111
019 SHF        INT        -        dabc   1111
01a SGXT       INT        -        das    111
01b BMSK       INT        -        das    111
01c PLOP3      PREDICATE  -        -      -
020 FMUL       FP32       -        das    111
021 FADD       FP32       -        das    111
022 FSWZADD    FP32       -        dax    111
023 FFMA       FP32       -        dabc   1111
024 IMAD       INT        -        dabc   1111
025 IMAD       INT        -        dabc   2112
026 IDP        INT        -        dabc   1111
027 IMAD       INT        -        dabc   1111
028 DMUL       FP64       -        das    222
029 DADD       FP64       -        dax    222
02a DSETP      FP64       -        as     22
02b DFMA       FP64       -        dabc   2222
02c IADD32I    INT        -        da     11
02d PREEXIT    CONTROL    -        -      -
02e ACQBULK    SYNC       -        -      -
02f ELECT      VOTE       -        -      -
030 HADD2      FP16       -        das    111
031 HFMA2      FP16       -        dabc   1111
032 HMUL2      FP16       -        das    111
033 HSET2      FP16       -        das    111
034 HSETP2     FP16       -        as     11
035 HFMA2      FP16       -        dabc   1111
036 VIADD      INT        -        das    111
037 IMMA       TENSOR     -        dabc   4444
038 I2I        CONVERT    -        ds     11
039 I2IP       CONVERT    -        dabc   1111
03a MOVM       MOVE       -        da     11
03b LDSM       LOAD       SHARED   da     *1
03c HMMA       TENSOR     -        dabc   4424
03d BMMA       TENSOR     -        dabc   4424
03e F2FP       CONVERT    -        dabc   1111
03f DMMA       TENSOR     -        dabc   4224
040 HMNMX2     FP16       -        das    111
041 IMMA       TENSOR     -        dabc   4424
042 IMNMX3     INT        -        dabc   1111
044 STSM       STORE      SHARED   av     1*
045 I2FP       CONVERT    -        ds     11
046 VIADDMNMX  INT        -        dabc   1111
048 VIMNMX     INT        -        das    111
049 FFMA2      FP32       -        dabc   2222
04a FMUL2      FP32       -        das    222
04b FADD2      FP32       -        dax    222
04c UVIRTCOUNT SYNC       -        -      -
05a UI2F       CONVERT    -        -      -
05e UI2FP      CONVERT    -        -      -
062 IMMA       TENSOR     -        dabc   4424
076 FMNMX3     FP32       -        dabc   1111
07a QMMA       TENSOR     -        dabc   4424
07c OMMA       TENSOR     -        dabc   4424
082 UMOV       MOVE       -        -      -
083 UP2UR      MOVE       -        -      -
084 UR2UP      PREDICATE  -        -      -
086 VOTEU      VOTE       -        -      -
087 USEL       MOVE       -        -      -
08c UISETP     INT        -        -      -
090 UIADD3     INT        -        -      -
091 ULEA       INT        -        -      -
092 ULOP3      INT        -        -      -
096 UPRMT      INT        -        -      -
097 UIADD3     INT        -        -      -
099 USHF       INT        -        -      -
09a USGXT      INT        -        -      -
09b UBMSK      INT        -        -      -
09c UPLOP3     PREDICATE  -        -      -
0a4 UIMAD      INT        -        -      -
0a5 UIMAD      INT        -        -      -
0b9 ULDC       LOAD       CONSTANT -      -
0bd UFLO       INT        -        -      -
0be UBREV      INT        -        -      -
0bf UPOPC      INT        -        -      -
0c2 S2UR       SPECIAL    -        -      -
0ca R2UR       MOVE       -        a      1
0cb CS2UR      SPECIAL    -        -      -
0cc CREDUX     INT        -        a      1
100 FLO        INT        -        ds     11
101 BREV       INT        -        ds     11
102 FCHK       FP32       -        as     11
104 F2F        CONVERT    -        ds     ??
105 F2I        CONVERT    -        ds     ??
106 I2F        CONVERT    -        ds     ??
107 FRND       CONVERT    -        ds     ??
108 MUFU       MUFU       -        ds     11
109 POPC       INT        -        ds     11
110 F2F        CONVERT    -        ds     ??
111 F2I        CONVERT    -        ds     ??
112 I2F        CONVERT    -        ds     ??
113 FRND       CONVERT    -        ds     ??
118 NOP        NOP        -        -      -
119 S2R        SPECIAL    -        d      1
11a DEPBAR     SYNC       -        -      -
11b ENDCOLLECTIVE CONTROL -        -      -
11c B2R        BARRIER    -        d      1
11d BAR        BARRIER    -        s      1
11e SETLMEMBASE SPECIAL   -        a      2
11f GETLMEMBASE SPECIAL   -        d      2
141 BSYNC      CONTROL    -        -      -
142 BREAK      CONTROL    -        -      -
143 CALL       CONTROL    -        r      2
144 CALL       CONTROL    -        r      2
145 BSSY       CONTROL    -        -      -
146 YIELD      CONTROL    -        -      -
147 BRA        CONTROL    -        -      -
148 WARPSYNC   CONTROL    -        r      1
149 BRX        CONTROL    -        a      2
14a JMP        CONTROL    -        -      -
14c JMX        CONTROL    -        a      2
14d EXIT       CONTROL    -        -      -
14e LEPC       SPECIAL    -        d      2
150 RET        CONTROL    -        a      2
151 KILL       CONTROL    -        -      -
152 RTT        CONTROL    -        -      -
153 RPCMOV     CONTROL    -        -      -
155 BMOV       CONTROL    -        d      1
156 BMOV       CONTROL    -        s      1
157 BMOV       CONTROL    -        -      -
158 BRXU       CONTROL    -        -      -
15c BPT        CONTROL    -        -      -
15d NANOSLEEP  CONTROL    -        s      1
160 TEX        TEXTURE    TEXTURE  dav    422
163 TLD4       TEXTURE    TEXTURE  dav    422
166 TLD        TEXTURE    TEXTURE  dav    422
169 TMML       TEXTURE    TEXTURE  dab    222
16c TXD        TEXTURE    TEXTURE  dav    424
16f TXQ        TEXTURE    TEXTURE  da     41
17e LDG        LOAD       GLOBAL   da     *2
17f STG        STORE      GLOBAL   av     2*
180 LD         LOAD       GENERIC  da     *2
181 LDG        LOAD       GLOBAL   da     *2
182 LDC        LOAD       CONSTANT da     *1
183 LDL        LOAD       LOCAL    da     *1
184 LDS        LOAD       SHARED   da     *1
185 ST         STORE      GENERIC  av     2*
186 STG        STORE      GLOBAL   av     2*
187 STL        STORE      LOCAL    av     1*
188 STS        STORE      SHARED   av     1*
189 SHFL       SHUFFLE    -        dapq   1111
18a ATOM       ATOMIC     GENERIC  dav    *2*
18b ATOM       ATOMIC     GENERIC  davw   *2**
18c ATOMS      ATOMIC     SHARED   dav    *1*
18d ATOMS      ATOMIC     SHARED   davw   *1**
18e RED        REDUCTION  GLOBAL   av     2*
18f CCTL       CACHE      -        a      2
190 CCTLL      CACHE      -        a      1
191 CCTLT      CACHE      -        a      1
192 MEMBAR     FENCE      -        -      -
193 SUQUERY    SURFACE    SURFACE  d      1
194 SUATOM     SURFACE    SURFACE  dav    121
196 SULD       SURFACE    SURFACE  da     42
199 SULD       SURFACE    SURFACE  da     42
19b SUST       SURFACE    SURFACE  av     24
19d SUST       SURFACE    SURFACE  av     24
1a0 SURED      SURFACE    SURFACE  av     21
1a1 MATCH      VOTE       -        da     11
1a2 ATOM       ATOMIC     GENERIC  dav    *2*
1a3 ATOMG      ATOMIC     GLOBAL   dav    *2*
1a4 LDGMC      LOAD       GLOBAL   da     *2
1a5 LDGMC      LOAD       GLOBAL   da     *2
1a6 RED        REDUCTION  GLOBAL   av     2*
1a7 SYNCS      SYNC       SHARED   dav    111
1a8 ATOMG      ATOMIC     GLOBAL   dav    *2*
1a9 ATOMG      ATOMIC     GLOBAL   davw   *2**
1aa QSPC       SPECIAL    -        a      2
1ab ERRBAR     FENCE      -        -      -
1ac LDCU       LOAD       CONSTANT -      -
1ae LDGSTS     ASYNC_COPY GLOBAL   ea     12
1af LDGDEPBAR  SYNC       -        -      -
1b0 ARRIVES    SYNC       SHARED   a      1
1b2 SYNCS      SYNC       SHARED   -      -
1b4 UTMALDG    ASYNC_COPY GLOBAL   -      -
1b5 UTMASTG    ASYNC_COPY GLOBAL   -      -
1b6 UTMAREDG   ASYNC_COPY GLOBAL   -      -
1b7 UTMACMDFLUSH SYNC     -        -      -
1b8 UTMAPF     CACHE      GLOBAL   -      -
1b9 UTMACCTL   CACHE      GLOBAL   -      -
1ba UBLKCP     ASYNC_COPY GLOBAL   -      -
1bb UBLKRED    ASYNC_COPY GLOBAL   -      -
1bc UBLKPF     CACHE      GLOBAL   -      -
1bd STAS       STORE      SHARED   as     11
1c2 R2UR       MOVE       -        a      1
1c3 S2UR       SPECIAL    -        -      -
1c4 REDUX      INT        -        a      1
1c5 WARPGROUP  SYNC       -        -      -
1c6 FENCE      FENCE      -        -      -
1c7 UCGABAR    BARRIER    -        -      -
1c8 USETMAXREG CONTROL    -        -      -
1d8 UCGABAR    BARRIER    -        -      -
1e3 UTCATOMSWS SYNC       TENSOR   -      -
1e7 UTCCP      ASYNC_COPY TENSOR   -      -
1e9 UTCBAR     SYNC       -        -      -
1ea UTCMMA     TENSOR     TENSOR   -      -
1ed STTM       STORE      TENSOR   v      4
1ee LDTM       LOAD       TENSOR   d      4
1f0 HGMMA      TENSOR     SHARED   dw     44
1f1 IGMMA      TENSOR     SHARED   dw     44
1f2 BGMMA      TENSOR     SHARED   dw     44
1f3 QGMMA      TENSOR     SHARED   dw     44
"""

_FROM_120 = """
035 IADD       INT        -        das    222
"""
"""Codes that mean something else from sm_120 on."""


BY_FORM = {0x5AB: "CGAERRBAR", 0x9C7: "UCGABAR_ARV", 0xDC7: "UCGABAR_WAIT"}
"""Names that the form (bits 9 to 11, here with the opcode) changes."""


def _parse(table: str) -> dict[int, Opcode]:
    found = {}
    for line in table.split("\n"):
        if line:
            code, name, kind, space, slots, widths = line.split()
            found[int(code, 16)] = Opcode(
                name,
                Kind[kind],
                Space.NONE if space == "-" else Space[space],
                "" if slots == "-" else slots,
                "" if widths == "-" else widths,
            )
    return found


OPCODES = _parse(_TABLE)
"""The opcodes by their low 9 bits."""

OPCODES_120 = {**OPCODES, **_parse(_FROM_120)}
"""The same for sm_120 and later."""


def table_for(sm: int) -> dict[int, Opcode]:
    """The opcodes of an architecture (90 for sm_90; 0 for unknown)."""
    return OPCODES_120 if sm >= 120 else OPCODES


def column(sm: int, field: str) -> np.ndarray[Any, np.dtype[np.int8]]:
    """int8[512]: `kind` or `space` by base opcode, 0 where the code is not known."""
    found = np.zeros(512, np.int8)
    for code, opcode in table_for(sm).items():
        found[code] = getattr(opcode, field)
    return found
