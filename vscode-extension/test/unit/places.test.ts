import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openable } from "../../src/places";

const base = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
const workspace = join(base, "work");
const outside = join(base, "work-other");
mkdirSync(join(workspace, "src"), { recursive: true });
mkdirSync(outside);
for (const file of [join(workspace, "src/a.cu"), join(outside, "secret.cu"), join(workspace, "..b.cu")]) {
  writeFileSync(file, "");
}
symlinkSync(outside, join(workspace, "link"));
after(() => rmSync(base, { recursive: true }));

const allowed = async (...files: string[]): Promise<string[]> => [...(await openable(files, [workspace]))];

test("a file in the folder may be opened", async () => {
  const file = join(workspace, "src/a.cu");
  assert.deepEqual(await allowed(file, file), [file]);
});

test("a file outside may not, however its path is written", async () => {
  assert.deepEqual(
    await allowed(
      join(outside, "secret.cu"),
      `${workspace}/../work-other/secret.cu`,
      join(workspace, "link/secret.cu"),
      "/etc/passwd",
    ),
    [],
  );
});

test("what does not exist, is relative or is the folder itself is not opened", async () => {
  assert.deepEqual(await allowed(join(workspace, "gone.cu"), "src/a.cu", workspace), []);
});

test("without a folder nothing is opened", async () => {
  assert.equal((await openable([join(workspace, "src/a.cu")], [])).size, 0);
  assert.equal((await openable([join(workspace, "src/a.cu")], [join(base, "no")])).size, 0);
});

test("two dots that begin a name lead nowhere", async () => {
  const file = join(workspace, "..b.cu");
  assert.deepEqual(await allowed(file), [file]);
});
