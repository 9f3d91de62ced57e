"""The built-in device functions that the analysis knows by name."""

from __future__ import annotations

ATOMICS = frozenset(
    f"atomic{operation}{scope}"
    for operation in ("Add", "Sub", "Exch", "Min", "Max", "Inc", "Dec", "CAS", "And", "Or", "Xor")
    for scope in ("", "_block", "_system")
)
BARRIERS = frozenset(
    {"__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or",
     "syncthreads"}
)  # fmt: skip
LOADS = frozenset({"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"})
STORES = frozenset({"__stwb", "__stcg", "__stcs", "__stwt"})
SHUFFLES = frozenset(
    {"__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync", "__shfl",
     "__shfl_up", "__shfl_down", "__shfl_xor"}
)  # fmt: skip
PURE_INTEGER = frozenset(
    {"__popc", "__clz", "__ffs", "__brev", "__mul24", "__umul24", "__umulhi", "__mulhi",
     "__popcll", "__ffsll", "__clzll", "__float2int_rn", "__float2int_rd", "__float2int_rz",
     "__double2int_rn", "ceil_div", "div_ceil"}
)  # fmt: skip

_BOTH = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "pow",
    "sqrt", "rsqrt", "cbrt", "rcbrt", "hypot", "rhypot", "erf", "erfc", "erfinv", "erfcinv",
    "lgamma", "tgamma", "fabs", "floor", "ceil", "round", "trunc", "rint", "nearbyint", "fmod",
    "remainder", "fma", "fmin", "fmax", "fdim", "copysign", "sinpi", "cospi", "ldexp", "abs",
    "normcdf", "normcdfinv", "j0", "j1", "jn", "y0", "y1", "yn", "logb", "scalbn",
)  # fmt: skip
_FAST = ("sinf", "cosf", "tanf", "expf", "exp10f", "logf", "log2f", "log10f", "powf", "fdividef")

FLOAT_FUNCTIONS: dict[str, tuple[str, str]] = {name: (name, "") for name in _BOTH}
"""Name as written to (base name, float, double, fast or empty for overloaded)."""
FLOAT_FUNCTIONS.update({name + "f": (name, "float") for name in _BOTH if name != "abs"})
FLOAT_FUNCTIONS.update({"__" + name: (name[:-1], "fast") for name in _FAST})
FLOAT_FUNCTIONS.update(
    {f"__{name}_{mode}": (name[1:], "fast") for name in ("fsqrt", "frcp", "fdiv", "frsqrt")
     for mode in ("rn", "rz", "ru", "rd")}
)  # fmt: skip

SLOW_FUNCTIONS = frozenset(
    {"sinf", "cosf", "tanf", "asinf", "acosf", "atanf", "atan2f", "sinhf", "coshf", "tanhf",
     "asinhf", "acoshf", "atanhf", "expf", "exp10f", "expm1f", "logf", "log2f", "log10f", "log1pf",
     "powf", "cbrtf", "hypotf", "erff", "erfcf", "erfinvf", "lgammaf", "tgammaf", "sqrtf", "fmodf",
     "remainderf", "sinpif", "cospif", "normcdff"}
)  # fmt: skip
"""Float functions that take many instructions without -use_fast_math."""

MAKE_VECTOR = {
    f"make_{base}{count}": f"{base}{count}"
    for base in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "longlong",
                 "ulonglong", "float", "double")
    for count in (1, 2, 3, 4)
}  # fmt: skip

DOUBLE_CONSTANTS = frozenset(
    {
        "M_PI",
        "M_PI_2",
        "M_PI_4",
        "M_1_PI",
        "M_2_PI",
        "M_2_SQRTPI",
        "M_E",
        "M_LN2",
        "M_LN10",
        "M_LOG2E",
        "M_LOG10E",
        "M_SQRT2",
        "M_SQRT1_2",
    }
)
"""Macros of math.h that stand for double literals."""
