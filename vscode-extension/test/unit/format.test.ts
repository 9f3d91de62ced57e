import assert from "node:assert/strict";
import { test } from "node:test";
import { bandwidth, dims, duration, fileName, flops, number, percent, reasonName, speedup } from "../../webview/format";

test("what was not measured is a dash, never zero", () => {
  for (const format of [number, percent, duration, flops, bandwidth]) {
    assert.equal(format(null), "–");
    assert.equal(format(undefined), "–");
  }
  assert.equal(number(Number.NaN), "–");
  assert.equal(percent(0), "0.0 %");
  assert.equal(number(0), "0");
});

test("units fit the size", () => {
  assert.equal(duration(489_632), "490 µs");
  assert.equal(duration(14_732_000), "14.7 ms");
  assert.equal(duration(950), "950 ns");
  assert.equal(duration(2.5e9), "2.50 s");
  assert.equal(flops(6.15e13), "61.5 TFLOP/s");
  assert.equal(flops(12), "12 FLOP/s");
  assert.equal(bandwidth(4.8e12), "4.80 TB/s");
});

test("numbers keep what matters", () => {
  assert.equal(number(8.0), "8");
  assert.equal(number(1.234), "1.23");
  assert.equal(number(12.34), "12.3");
  assert.equal(number(123.4), "123");
  assert.equal(number(1_234_567), "1,234,567");
});

test("a gain is a range, or one number", () => {
  assert.equal(speedup([1.5, 1.9]), "1.50 to 1.90 times faster");
  assert.equal(speedup([2, 2]), "2 times faster");
});

test("ones at the end of a grid are left out", () => {
  assert.equal(dims([256, 128, 1]), "256 × 128");
  assert.equal(dims([1, 1, 1]), "1");
  assert.equal(dims([1, 1, 8]), "1 × 1 × 8");
});

test("names as people say them", () => {
  assert.equal(fileName("C:\\build\\a.cu"), "a.cu");
  assert.equal(fileName("/build/a.cu"), "a.cu");
  assert.equal(reasonName("smsp__pcsamp_warps_issue_stalled_long_scoreboard"), "long scoreboard");
  assert.equal(reasonName("lg_throttle"), "lg throttle");
});
