import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { candidates, choose, expandPath, explainMissing, type Probe, probe, readProbe } from "../../src/interpreter";

const answer = (python: [number, number], ...absent: string[]): string =>
  JSON.stringify({ python, executable: "/usr/bin/python3", version: "0.1.0", absent });

test("a setting stands alone", () => {
  assert.deepEqual(candidates("~/env/bin/python", "/other/python", "/w"), [
    { command: join(homedir(), "env/bin/python"), origin: "setting" },
  ]);
});

test("without a setting: the Python extension, then PATH", () => {
  assert.deepEqual(
    candidates("  ", "/env/python", undefined, "linux").map(({ command }) => command),
    ["/env/python", "python3", "python"],
  );
  assert.deepEqual(
    candidates("", undefined, undefined, "win32").map(({ command }) => command),
    ["python", "py"],
  );
});

test("a relative path counts from the folder, a bare name from PATH", () => {
  assert.equal(expandPath(".venv/bin/python", "/w"), "/w/.venv/bin/python");
  assert.equal(expandPath("${workspaceFolder}/bin/python", "/w"), "/w/bin/python");
  assert.equal(expandPath("python3.12", "/w"), "python3.12");
  assert.equal(expandPath("~user/bin", undefined), "~user/bin");
});

test("what an interpreter answers", () => {
  assert.equal(readProbe(answer([3, 11])).kind, "ready");
  assert.equal(readProbe(answer([3, 10], "gpuadvisor")).kind, "not installed");
  assert.equal(readProbe(answer([3, 9])).kind, "too old");
  assert.equal(readProbe(answer([2, 7], "gpuadvisor")).kind, "too old");
  assert.equal(readProbe("hello").kind, "broken");
  assert.equal(readProbe("").kind, "broken");
  // A start-up file may print before the answer.
  assert.equal(readProbe(`welcome\n${answer([4, 0])}\n`).kind, "ready");
});

test("the first that has gpuadvisor is taken, and no more are asked", async () => {
  const answers: Record<string, Probe> = {
    a: { kind: "broken", reason: "no such program" },
    b: { kind: "ready", executable: "/b", version: "1" },
  };
  const list = ["a", "b", "c"].map((command) => ({ command, origin: "PATH" as const }));
  const { chosen, asked } = await choose(list, async (command) => {
    const found = answers[command];
    assert.ok(found, `${command} was asked`);
    return found;
  });
  assert.equal(chosen?.candidate.command, "b");
  assert.equal(asked.length, 2);
});

test("what is missing is said with the command that mends it", () => {
  const candidate = { command: "python3", origin: "PATH" as const };
  const absent = ["gpuadvisor", "pygls"];
  const without = { candidate, probe: { kind: "not installed" as const, executable: "/my envs/python", absent } };
  const none = { candidate, probe: { kind: "broken" as const, reason: "no such program" } };
  const told = explainMissing([none, without], "linux");
  assert.match(told.message, /not installed for \/my envs\/python/);
  assert.equal(told.install, "'/my envs/python' -m pip install gpuadvisor");
  assert.equal(explainMissing([without], "win32").install, '& "/my envs/python" -m pip install gpuadvisor');
  const partial = { candidate, probe: { ...without.probe, absent: ["pygls"] } };
  assert.match(explainMissing([partial]).message, /gpuadvisor of \/my envs\/python lacks pygls/);
  assert.match(explainMissing([none]).message, /needs Python 3\.10 or later, and none was found/);
  const old = { candidate, probe: { kind: "too old" as const, executable: "/p", python: "3.8" } };
  assert.match(explainMissing([none, old]).message, /\/p is 3\.8/);
  const setting = { candidate: { command: "/no", origin: "setting" as const }, probe: none.probe };
  assert.match(explainMissing([setting]).message, /gpuadvisor\.interpreter, \/no, does not run: no such program/);
});

test("real programs are asked", async () => {
  const folder = mkdtempSync(join(tmpdir(), "probe-"));
  try {
    assert.deepEqual(await probe(join(folder, "absent"), folder), { kind: "broken", reason: "no such program" });
    assert.equal((await probe(process.execPath, folder)).kind, "broken");
    const found = await probe("python3", folder);
    assert.ok(["ready", "not installed", "too old"].includes(found.kind), JSON.stringify(found));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
