// Numbers as people write them. What was not measured is a dash, never a zero.

export const absent = "–";

const digits = (value: number): string => {
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  if (size >= 100 || Number.isInteger(value)) return value.toFixed(0);
  return value.toFixed(size >= 10 ? 1 : 2);
};

export function number(value: number | null | undefined): string {
  return value === null || value === undefined || Number.isNaN(value) ? absent : digits(value);
}

export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return absent;
  return `${value.toFixed(Math.abs(value) < 10 ? 1 : 0)} %`;
}

function scaled(value: number, units: readonly (readonly [number, string])[]): string {
  const unit = units.find(([size]) => Math.abs(value) >= size) ?? units.at(-1);
  return unit === undefined ? digits(value) : `${digits(value / unit[0])} ${unit[1]}`;
}

export function duration(ns: number | null | undefined): string {
  if (ns === null || ns === undefined || Number.isNaN(ns)) return absent;
  return scaled(ns, [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
    [1, "ns"],
  ]);
}

const prefixes = (unit: string): [number, string][] => [
  [1e15, `P${unit}`],
  [1e12, `T${unit}`],
  [1e9, `G${unit}`],
  [1e6, `M${unit}`],
  [1e3, `k${unit}`],
  [1, unit],
];

export function flops(value: number | null | undefined): string {
  return value === null || value === undefined ? absent : scaled(value, prefixes("FLOP/s"));
}

export function bandwidth(value: number | null | undefined): string {
  return value === null || value === undefined ? absent : scaled(value, prefixes("B/s"));
}

/** "1.5 to 1.9 times faster", or one number where both ends read the same. */
export function speedup([low, high]: readonly [number, number]): string {
  const [from, to] = [digits(low), digits(high)];
  return from === to ? `${to} times faster` : `${from} to ${to} times faster`;
}

/** Without the ones at the end: a grid of 256 × 128 × 1 is 256 × 128. */
export function dims(values: readonly number[]): string {
  let used = values.length;
  while (used > 1 && values[used - 1] === 1) used--;
  return values.slice(0, used).join(" × ");
}

export function fileName(file: string): string {
  return file.replaceAll("\\", "/").split("/").at(-1) ?? file;
}

/** Stall reasons as the profiler names them, without the words all of them share. */
export function reasonName(reason: string): string {
  return reason
    .replace(/^(smsp__)?(pcsamp_)?(warps_issue_)?stalled_/, "")
    .replaceAll("_", " ");
}
