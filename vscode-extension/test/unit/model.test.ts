import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kernel, LineRecord } from "../../src/protocol";
import { hottest, intensityRange, roofLine, roofs, stalls, topStall } from "../../webview/model";

const kernel = (id: string): Kernel => ({ id, name: id }) as Kernel;
const record = (id: string, line: number, counts: Record<string, number>): LineRecord => {
  const samples = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { kernel: id, file: "/a.cu", line, samples, samples_pct: 1, stalls: counts } as unknown as LineRecord;
};

test("shares of stalls are of the kernel and add up", () => {
  const lines = [record("a", 1, { drain: 30, wait: 10 }), record("a", 2, { wait: 60 }), record("b", 1, { drain: 5 })];
  const { reasons, shares } = stalls([kernel("a"), kernel("b")], lines, 5);
  assert.deepEqual(reasons, ["drain", "wait"]);
  assert.deepEqual(shares.map(({ percent }) => percent), [[30, 70], [100, 0]]);
});

test("rare reasons are summed up, and the whole stays the whole", () => {
  const lines = [record("a", 1, { u: 40, v: 30, w: 20, x: 6, y: 4 })];
  const { reasons, shares } = stalls([kernel("a")], lines, 3);
  assert.deepEqual(reasons, ["u", "v", "other"]);
  assert.deepEqual(shares[0]?.percent, [40, 30, 30]);
});

test("a kernel without samples has no bar, and another's lines are not its own", () => {
  const { shares } = stalls([kernel("a"), kernel("b")], [record("a", 1, { wait: 1 }), record("c", 1, { wait: 1 })], 3);
  assert.deepEqual(shares.map((share) => share.kernel.id), ["a"]);
});

const peaks = { dram_bytes_per_s: 4e12, l2_bytes_per_s: 8e12, fp32_flops_per_s: 6e13, fp64_flops_per_s: 3e13, other: 1 };
const roofline = { kernels: [], peaks };

test("peaks become roofs by their unit", () => {
  assert.deepEqual(
    roofs(roofline).map(({ name, kind }) => `${name} ${kind}`),
    ["FP32 compute", "FP64 compute", "L2 memory", "DRAM memory"],
  );
  assert.deepEqual(roofs({ kernels: [], peaks: { dram_bytes_per_s: null, x_flops_per_s: 0 } }), []);
});

test("roofs meet: memory ends at the highest compute roof, compute begins at the steepest memory roof", () => {
  const all = roofs(roofline);
  const dram = all.find(({ name }) => name === "DRAM");
  const fp64 = all.find(({ name }) => name === "FP64");
  assert.ok(dram && fp64);
  assert.deepEqual(roofLine(dram, all, 0.1, 100), [{ x: 0.1, y: 4e11 }, { x: 15, y: 6e13 }]);
  assert.deepEqual(roofLine(fp64, all, 0.1, 100), [{ x: 3.75, y: 3e13 }, { x: 100, y: 3e13 }]);
});

test("the range holds points and ridge", () => {
  const [low, high] = intensityRange([{ x: 0.05, y: 1 }], roofs(roofline));
  assert.ok(low < 0.05 && high > 15);
  assert.ok(Number.isInteger(Math.log10(low)) && Number.isInteger(Math.log10(high)));
});

test("lines by samples, without those that have none", () => {
  const lines = [record("a", 1, { wait: 1 }), record("a", 2, { wait: 9 }), record("b", 3, { wait: 5 }), record("a", 4, {})];
  assert.deepEqual(hottest(lines, undefined, 9).map(({ line }) => line), [2, 3, 1]);
  assert.deepEqual(hottest(lines, "a", 1).map(({ line }) => line), [2]);
});

test("the top stall of a line", () => {
  assert.deepEqual(topStall(record("a", 1, { drain: 1, wait: 3 })), { reason: "wait", percent: 75 });
  assert.equal(topStall(record("a", 1, {})), undefined);
});
