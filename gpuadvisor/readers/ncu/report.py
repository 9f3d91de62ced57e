"""Puts a report together from its parts; heavy ones stay in the file until they are looked at."""

from __future__ import annotations

from typing import Any

from gpuadvisor.evidence import (
    Device,
    Launch,
    ProfileReport,
    ProgramImage,
    UnreadableInput,
    later,
)
from gpuadvisor.evidence.report import Dim3, Scope
from gpuadvisor.readers.ncu.container import Container, Entry, read_container
from gpuadvisor.readers.ncu.instances import LazyInstances
from gpuadvisor.readers.ncu.messages import decode, text
from gpuadvisor.readers.ncu.metrics import LazyMetrics, ResultData
from gpuadvisor.readers.ncu.names import plain_name
from gpuadvisor.readers.ncu.nvtx import NvtxReader
from gpuadvisor.readers.ncu.problems import ProblemLog
from gpuadvisor.readers.ncu.programs import read_programs
from gpuadvisor.readers.ncu.result import read_result
from gpuadvisor.readers.ncu.session import device_from_metrics, read_session
from gpuadvisor.readers.ncu.store import Store
from gpuadvisor.readers.ncu.vendor_rules import LazyRules
from gpuadvisor.readers.ncu.wire import Damaged

_COLLECT = "collect it again: ncu --set full --import-source yes -o report <program>"
_NO_DIM: Dim3 = (0, 0, 0)


def read_report(store: Store, kind: str, damage: str = "") -> ProfileReport:
    """The report in `store`. Raises UnreadableInput when nothing of it can be used; what else is
    damaged is left out and said in its problems, `damage` of its container first."""
    log = ProblemLog()
    if damage:
        log.add(damage)
    try:
        with store.held_open():
            container = read_container(store, log)
            programs = read_programs(store, container.sources, log)
            session, devices = read_session(container, log)
            launches = _Launches(store, container, programs, devices, log).read()
    except (Damaged, OSError) as error:
        raise UnreadableInput(store.path, str(error), _COLLECT) from None
    if not launches:
        if log:
            raise UnreadableInput(store.path, log[0].message, _COLLECT)
        log.add(
            "the report holds no results: no kernel was profiled",
            "check that the program launches kernels and that no filter (-k, -c, -s, "
            "--nvtx-include) excludes them",
        )
    return ProfileReport(
        path=store.path,
        kind=kind,
        sha256=later(store.sha256),
        format_version=container.version,
        session=session,
        devices=tuple(device for _, device in sorted(devices.items())),
        launches=tuple(launches),
        problems=log,
    )


class _Launches:
    """Reads the results of a report one after the other; adds devices that only they describe."""

    def __init__(
        self,
        store: Store,
        container: Container,
        programs: dict[int, ProgramImage],
        devices: dict[int, Device],
        log: ProblemLog,
    ) -> None:
        self._store = store
        self._container = container
        self._programs = programs
        self._log = log
        self._devices = devices
        self._described = len(devices)
        self._nvtx = NvtxReader(log)

    def read(self) -> list[Launch]:
        launches: list[Launch] = []
        for index, (scope, entry) in enumerate(self._container.results):
            launch = self._launch(index, scope, entry)
            if launch is not None:
                launches.append(launch)
        return launches

    def _launch(self, index: int, scope: Scope, entry: Entry) -> Launch | None:
        number = f"{scope} result {index + 1}"
        try:
            result, head, damage = read_result(self._store, scope, entry)
        except Damaged as error:
            self._log.add(f"{number} at byte {entry.offset:,} is lost: {error.reason}")
            return None
        if head is None or (scope == "kernel" and not _names_a_kernel(head)):
            reason = damage or "it names no kernel"
            self._log.add(f"{number} at byte {entry.offset:,} is lost: {reason}")
            return None
        nvtx = self._nvtx.ranges(head)
        name, demangled, mangled = _names(scope, head, nvtx)
        if damage:
            self._log.add(f"{number} ({name}) is incomplete: {damage}")
        data = ResultData(
            self._store, result, self._container.strings, f"{number} ({name})", self._log
        )
        metrics = LazyMetrics(data)
        grid, block = _dims(scope, head)
        return Launch(
            index=index,
            scope=scope,
            name=name,
            demangled=demangled,
            mangled=mangled,
            grid=grid,
            block=block,
            device=self._device(metrics),
            metrics=metrics,
            instances=LazyInstances(data),
            program=self._program(scope, head),
            vendor_rules=LazyRules(data, result.rules),
            stream_id=_optional(head, "stream_id"),
            context_id=_optional(head, "context_id"),
            clocks_locked=_clocks_locked(head),
            nvtx=nvtx,
        )

    def _device(self, metrics: LazyMetrics) -> Device | None:
        if self._described == 1:
            return next(iter(self._devices.values()))
        for name in ("launch__device_id", "device__attribute_device_index"):
            number = metrics.get(name)
            if isinstance(number, int | float) and number == number:
                break
        else:
            number = 0
        found = self._devices.get(int(number)) or device_from_metrics(int(number), metrics)
        if found is not None:
            self._devices[found.id] = found
        return found

    def _program(self, scope: Scope, head: Any) -> ProgramImage | None:
        """The one a result was compiled to; None for a range or graph of several."""
        if scope == "kernel":
            return self._programs.get(head.source.reference) if head.HasField("source") else None
        references = head.references
        return self._programs.get(references[0]) if len(references) == 1 else None


def _names_a_kernel(head: Any) -> bool:
    return bool(head.function or head.demangled or head.mangled)


def _names(scope: Scope, head: Any, nvtx: tuple[str, ...]) -> tuple[str, str, str]:
    """(plain, demangled, mangled) name of a result; what is no kernel is called by its range."""
    if scope == "kernel":
        function, mangled = text(head.function), text(head.mangled)
        demangled = text(head.demangled) or function or mangled
        return plain_name(function, demangled, mangled), demangled, mangled
    shown = text(head.display_name) if scope == "cmdlist" else nvtx[-1] if nvtx else ""
    return shown or scope, shown or scope, ""


def _dims(scope: Scope, head: Any) -> tuple[Dim3, Dim3]:
    if scope == "cmdlist" and len(head.launches) == 1:
        try:
            head = decode("LaunchInfo", head.launches[0])
        except ValueError:
            return _NO_DIM, _NO_DIM
    elif scope != "kernel":
        return _NO_DIM, _NO_DIM
    return (head.grid.x, head.grid.y, head.grid.z), (head.block.x, head.block.y, head.block.z)


def _optional(head: Any, name: str) -> int | None:
    known = name in head.DESCRIPTOR.fields_by_name and head.HasField(name)
    return int(getattr(head, name)) if known else None


def _clocks_locked(head: Any) -> bool | None:
    if "clocks" not in head.DESCRIPTOR.fields_by_name or not head.HasField("clocks"):
        return None
    return bool(head.clocks.executed)
