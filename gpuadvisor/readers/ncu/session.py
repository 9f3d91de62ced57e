"""Who collected a report, with what and on which devices."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from gpuadvisor.evidence import Device, Scalar, Session
from gpuadvisor.readers.ncu import limits
from gpuadvisor.readers.ncu.container import Container
from gpuadvisor.readers.ncu.messages import decode, scalar, text
from gpuadvisor.readers.ncu.problems import ProblemLog

_PREFIX = "device__attribute_"
_TOOLS = ("Nsight Compute Target", "Nsight Compute", "NVIDIA Nsight Compute")


def read_session(container: Container, log: ProblemLog) -> tuple[Session, dict[int, Device]]:
    """The session details of all blocks as one, and the devices they describe by id; a report may
    spread them over several blocks, and older ones describe no device."""
    versions: dict[str, str] = {}
    devices: dict[int, Device] = {}
    command_line = ""
    created = process_id = 0
    for encoded in container.sessions:
        try:
            details = decode("SessionDetails", encoded)
        except ValueError:
            log.add("some session details are damaged: device or version may be unknown")
            continue
        for version in islice(details.versions, limits.REPEATED):
            versions.setdefault(text(version.provider), text(version.version))
        for described in islice(details.devices, limits.DEVICES):
            devices.setdefault(described.id, _described(described))
        command_line = command_line or text(details.command_line).strip()
        created = created or details.creation_time
        process_id = process_id or details.process_id
    process = container.process
    tool = next((versions[name] for name in _TOOLS if name in versions), "")
    session = Session(
        command_line=command_line,
        tool_version=tool.split(" ")[0],
        process_name=text(process.name) if process is not None else "",
        process_id=process.id if process is not None and process.id else process_id,
        created_unix_s=created,
        driver_version=versions.get("Display Driver Version", ""),
        cuda_version=versions.get("CUDA Version", ""),
    )
    return session, devices


def _described(described: Any) -> Device:
    attributes: dict[str, Scalar] = {}
    for attribute in islice(described.attributes, limits.REPEATED):
        value = scalar(attribute.value)
        if value is not None:
            attributes[text(attribute.name).removeprefix(_PREFIX)] = value
    return _device(described.id, text(described.name), attributes)


def device_from_metrics(number: int, metrics: Mapping[str, Any]) -> Device | None:
    """A device from a launch's own metrics, None when they say nothing about it."""
    attributes: dict[str, Scalar] = {}
    for name in metrics:
        if name.startswith(_PREFIX):
            value = metrics.get(name)
            if value is not None:
                attributes[name.removeprefix(_PREFIX)] = value
    return _device(number, "", attributes) if attributes else None


def _device(number: int, name: str, attributes: Mapping[str, Scalar]) -> Device:
    shown = name or str(attributes.get("display_name", ""))
    major = attributes.get("compute_capability_major", 0)
    minor = attributes.get("compute_capability_minor", 0)
    known = isinstance(major, int | float) and isinstance(minor, int | float)
    return Device(number, shown, (int(major), int(minor)) if known else (0, 0), attributes)
