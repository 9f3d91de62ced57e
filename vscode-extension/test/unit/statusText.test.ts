import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "../../src/protocol";
import { statusView } from "../../src/statusText";

const status = (change: Partial<Status>): Status => ({
  reports: [{ path: "/w/transpose.ncu-rep", state: "ready" }],
  kernels: 3,
  linesMatched: 17,
  linesTotal: 17,
  staleLines: 0,
  message: "",
  ...change,
});

test("nothing to say, nothing shown", () => {
  assert.equal(statusView(undefined), undefined);
  assert.equal(statusView(status({ reports: [], kernels: 0 })), undefined);
});

test("report, kernels and lines", () => {
  assert.equal(statusView(status({}))?.text, "$(flame) transpose.ncu-rep · 3 kernels · 17/17 lines");
  assert.equal(statusView(status({ kernels: 1 }))?.text, "$(flame) transpose.ncu-rep · 1 kernel · 17/17 lines");
});

test("several reports are counted", () => {
  const reports = ["a", "b"].map((name) => ({ path: `C:\\w\\${name}.ncu-rep`, state: "ready" }));
  assert.match(statusView(status({ reports }))?.text ?? "", /2 reports/);
  assert.match(statusView(status({ reports: reports.slice(1) }))?.text ?? "", /\) b\.ncu-rep/);
});

test("stale lines are told with what to do", () => {
  const view = statusView(status({ linesMatched: 15, staleLines: 2 }));
  assert.match(view?.text ?? "", /15\/17 lines · 2 stale$/);
  assert.match(view?.tooltip ?? "", /2 lines changed since the report was made: profile again/);
});

test("reading turns, damage warns", () => {
  const reading = statusView(status({ reports: [{ path: "/a.ncu-rep", state: "reading" }], kernels: 0 }));
  assert.equal(reading?.text, "$(sync~spin) a.ncu-rep");
  const damaged = statusView(status({ reports: [{ path: "/a.ncu-rep", state: "damaged" }], message: "cut short" }));
  assert.equal(damaged?.warning, true);
  assert.match(damaged?.tooltip ?? "", /cut short/);
});

test("a file name draws no icon", () => {
  const view = statusView(status({ reports: [{ path: "/$(bug).ncu-rep", state: "ready" }] }));
  assert.ok(!view?.text.includes("$(bug)"));
});
