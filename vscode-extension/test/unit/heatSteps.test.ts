import assert from "node:assert/strict";
import { test } from "node:test";
import { heatColour, heatIcon, linesByStep, steps } from "../../src/heatSteps";

const line = (at: number, step: number) => ({ line: at, share_pct: 1, step, local_share: 1 });

test("each line once, at its hottest", () => {
  const byStep = linesByStep([line(3, 2), line(3, 5), line(3, 4), line(9, 1)]);
  assert.deepEqual(byStep.get(5), [3]);
  assert.deepEqual(byStep.get(1), [9]);
  assert.deepEqual(byStep.get(2), []);
});

test("every step has an entry, so that old marks go", () => {
  assert.deepEqual([...linesByStep([]).keys()], [...steps]);
});

test("what is no step or no line is left out", () => {
  const byStep = linesByStep([line(1, 0), line(2, 6), line(0, 3), line(4, 2.5)]);
  assert.deepEqual([...byStep.values()].flat(), []);
});

test("steps differ in width and colour, in both themes", () => {
  for (const theme of ["light", "dark"] as const) {
    const icons = steps.map((step) => heatIcon(step, theme));
    const widths = icons.map((icon) => Number(/ width="(\d+)" height="16" fill/.exec(icon)?.[1]));
    assert.deepEqual(widths, [...widths].sort((a, b) => a - b));
    assert.equal(new Set(widths).size, steps.length);
    assert.equal(new Set(steps.map((step) => heatColour(step, theme))).size, steps.length);
  }
});
