// The table of kernels. Choosing one narrows everything below to it.
import type { Kernel } from "../src/protocol";
import { cell, h, section, table } from "./dom";
import { dims, duration, number, percent } from "./format";

const head = [
  { text: "kernel" },
  { text: "" },
  { text: "verdict" },
  { text: "time", numeric: true },
  { text: "launches", numeric: true },
  { text: "SM", numeric: true },
  { text: "memory", numeric: true },
  { text: "DRAM", numeric: true },
  { text: "occupancy", numeric: true },
  { text: "grid" },
  { text: "block" },
];

const lineInfo = { full: "", partial: "line information in part", none: "no line information" };

export interface KernelActions {
  select(id: string | undefined): void;
  explain(id: string): void;
}

export function kernelSection(
  kernels: readonly Kernel[],
  selected: string | undefined,
  actions: KernelActions,
): HTMLElement {
  const hint = h(
    "p",
    { class: "faint" },
    selected === undefined ? "Choose a kernel to see it alone." : "Choose it again to see all kernels.",
  );
  const rows = kernels.map((kernel) => row(kernel, kernel.id === selected, actions));
  return section("kernels", `Kernels (${kernels.length})`, hint, table("Kernels of the report", head, rows));
}

function row(kernel: Kernel, isSelected: boolean, actions: KernelActions): HTMLTableRowElement {
  const { throughput, occupancy } = kernel;
  const choose = h(
    "button",
    {
      class: "link",
      id: `kernel-${kernel.id}`,
      "aria-pressed": String(isSelected),
      title: kernel.demangled,
      onclick: () => actions.select(isSelected ? undefined : kernel.id),
    },
    kernel.name,
  );
  const note = lineInfo[kernel.line_info];
  const limiter = occupancy.limiter === null ? undefined : `limited by ${occupancy.limiter}`;
  return h(
    "tr",
    { class: isSelected ? "selected" : undefined },
    h("th", { scope: "row" }, choose, note !== "" && h("span", { class: "faint" }, ` ${note}`)),
    cell(
      h(
        "button",
        {
          class: "link",
          "aria-label": `Explain ${kernel.name}`,
          onclick: () => actions.explain(kernel.id),
        },
        "Explain",
      ),
    ),
    cell(h("span", { class: `verdict ${/^\w+$/.test(kernel.verdict) ? kernel.verdict : ""}` }, kernel.verdict)),
    cell(duration(kernel.duration_ns), true),
    cell(number(kernel.launches), true),
    cell(percent(throughput.sm_pct), true),
    cell(percent(throughput.memory_pct), true),
    cell(percent(throughput.dram_pct), true),
    cell(
      h(
        "span",
        { title: limiter },
        `${percent(occupancy.achieved_pct)} of ${percent(occupancy.theoretical_pct)}`,
      ),
      true,
    ),
    cell(dims(kernel.grid)),
    cell(dims(kernel.block)),
  );
}
