"""The messages of a report that are decoded whole, as Protocol Buffers classes built at run time.

Only the fields that are read are declared. Field numbers are facts of the vendor's documented
"Report File Format"; text is declared as bytes because a damaged file may hold any.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "gpuadvisor_ncu"
_KIND = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "text": _KIND.TYPE_BYTES,
    "bytes": _KIND.TYPE_BYTES,
    "u32": _KIND.TYPE_UINT32,
    "u64": _KIND.TYPE_UINT64,
    "float": _KIND.TYPE_FLOAT,
    "double": _KIND.TYPE_DOUBLE,
}

# name -> "field = number: type"; a type ending in * is repeated
_DEFINITIONS: dict[str, dict[str, tuple[int, str]]] = {
    "FileHeader": {"version": (1, "u32")},
    "BlockHeader": {
        "num_sources": (1, "u32"),
        "num_results": (2, "u32"),
        "session": (3, "bytes"),
        "strings": (4, "StringTable"),
        "payload_size": (5, "u32"),
        "process": (6, "Process"),
        "num_ranges": (7, "u32"),
        "num_cmdlists": (8, "u32"),
        "num_graphs": (9, "u32"),
    },
    "StringTable": {"strings": (1, "text*")},
    "Process": {"id": (1, "u32"), "host": (2, "text"), "name": (3, "text")},
    "SessionDetails": {
        "process_id": (1, "u32"),
        "creation_time": (2, "u64"),
        "devices": (6, "DeviceAttributes*"),
        "versions": (8, "VersionInfo*"),
        "command_line": (11, "text"),
    },
    "DeviceAttributes": {"id": (1, "u32"), "name": (2, "text"), "attributes": (3, "Attribute*")},
    "Attribute": {"name": (1, "text"), "value": (2, "MetricValue")},
    "VersionInfo": {"provider": (1, "text"), "version": (2, "text")},
    "MetricValue": {
        "text": (1, "text"),
        "f32": (2, "float"),
        "f64": (3, "double"),
        "u32": (4, "u32"),
        "u64": (5, "u64"),
    },
    "Uint64x3": {"x": (1, "u64"), "y": (2, "u64"), "z": (3, "u64")},
    "ClockStatus": {"requested": (1, "u32"), "executed": (2, "u32")},
    "SourceReference": {"reference": (1, "u64")},
    "Nvtx": {
        "domains": (1, "NvtxDomain*"),
        "threads": (2, "NvtxThread*"),
        "process": (3, "NvtxRanges*"),
    },
    "NvtxDomain": {"id": (1, "u64"), "name": (2, "text")},
    "NvtxThread": {"thread_id": (1, "u64"), "domains": (2, "NvtxRanges*")},
    "NvtxRanges": {"domain": (1, "u64"), "started": (2, "NvtxRange*"), "pushed": (3, "NvtxRange*")},
    "NvtxRange": {"name": (1, "text")},
    "KernelHead": {
        "thread_id": (1, "u32"),
        "mangled": (5, "text"),
        "function": (6, "text"),
        "demangled": (7, "text"),
        "grid": (10, "Uint64x3"),
        "block": (11, "Uint64x3"),
        "source": (15, "SourceReference"),
        "nvtx": (21, "bytes"),
        "context_id": (22, "u32"),
        "stream_id": (23, "u32"),
        "clocks": (25, "ClockStatus"),
        "renamed": (31, "text"),
    },
    "RangeHead": {
        "thread_id": (1, "u32"),
        "nvtx": (10, "bytes"),
        "context_id": (11, "u32"),
        "clocks": (12, "ClockStatus"),
        "references": (15, "u64*"),
    },
    "CmdlistHead": {
        "context_id": (11, "u32"),
        "stream_id": (12, "u32"),
        "references": (17, "u64*"),
        "display_name": (18, "text"),
        "launches": (20, "bytes*"),
    },
    "GraphHead": {
        "context_id": (11, "u32"),
        "stream_id": (12, "u32"),
        "clocks": (13, "ClockStatus"),
        "references": (17, "u64*"),
    },
    "LaunchInfo": {"grid": (1, "Uint64x3"), "block": (2, "Uint64x3")},
    "SourceFile": {"name": (1, "text"), "content": (2, "text")},
    "Relocation": {"symbol": (1, "text"), "address": (2, "u64")},
    "RuleResult": {
        "identifier": (1, "text"),
        "name": (2, "text"),
        "body": (3, "RuleBody"),
        "section": (4, "text"),
        "markers": (5, "SourceMarker*"),
    },
    "RuleBody": {"items": (1, "RuleItem*")},
    "RuleItem": {"message": (1, "RuleMessage"), "speedup": (10, "RuleSpeedup")},
    "RuleMessage": {"text": (1, "text"), "type": (2, "u32"), "name": (4, "text")},
    "RuleSpeedup": {"type": (1, "u32"), "percent": (2, "double")},
    "SourceMarker": {
        "kind": (1, "u32"),
        "line": (2, "u32"),
        "address": (3, "u64"),
        "text": (4, "text"),
        "file": (6, "text"),
    },
}


def _build() -> dict[str, Any]:
    file = descriptor_pb2.FileDescriptorProto(
        name="gpuadvisor/ncu.proto", package=_PACKAGE, syntax="proto2"
    )
    for message_name, declared in _DEFINITIONS.items():
        message = file.message_type.add(name=message_name)
        for field_name, (number, kind) in declared.items():
            field = message.field.add(name=field_name, number=number)
            field.label = _KIND.LABEL_REPEATED if kind.endswith("*") else _KIND.LABEL_OPTIONAL
            kind = kind.rstrip("*")
            if kind in _SCALARS:
                field.type = _SCALARS[kind]
            else:
                field.type = _KIND.TYPE_MESSAGE
                field.type_name = f".{_PACKAGE}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))
        for name in _DEFINITIONS
    }


_CLASSES = _build()


def decode(name: str, data: bytes) -> Any:
    """The message `name` from its bytes; ValueError where they are none."""
    from google.protobuf.message import DecodeError

    message = _CLASSES[name]()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise ValueError(f"the bytes are no {name}") from None
    return message


def field_numbers(name: str) -> frozenset[int]:
    """The numbers of the fields of message `name` that are read."""
    return frozenset(number for number, _ in _DEFINITIONS[name].values())


def text(raw: bytes) -> str:
    """Text of a report; bytes that are not UTF-8 show as replacement characters."""
    return raw.decode("utf-8", "replace")


def scalar(value: Any) -> float | int | str | None:
    """What a decoded MetricValue holds, None when nothing."""
    if value.HasField("u64"):
        return int(value.u64)
    if value.HasField("u32"):
        return int(value.u32)
    if value.HasField("f64"):
        return float(value.f64)
    if value.HasField("f32"):
        return float(value.f32)
    if value.HasField("text"):
        return text(value.text)
    return None
