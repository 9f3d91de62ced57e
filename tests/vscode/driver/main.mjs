// Drives VS Code in Chromium for the tests. Reads one request a line from stdin,
// {"spec", "url", "args"}, runs the function of that name in specs.mjs on the window of that address
// (on an empty page without one) and writes one answer a line: {"result"} or {"error"}.
//
//   node main.mjs PLAYWRIGHT CHROMIUM PROFILE_DIR PICTURE_DIR FAILURE_DIR
//
// The picture of a window in which something failed goes to FAILURE_DIR.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { join } from "node:path";
import * as specs from "./specs.mjs";
import { Workbench } from "./workbench.mjs";

const [, , playwright, executablePath, profile, pictures, failures] = process.argv;
const { chromium } = createRequire(import.meta.url)(playwright);

const context = await chromium.launchPersistentContext(profile, {
  executablePath,
  headless: true,
  viewport: { width: 1280, height: 960 },
  deviceScaleFactor: 1,
  permissions: ["clipboard-read", "clipboard-write"],
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
context.setDefaultTimeout(20_000);
const workbenches = new Map();

async function workbench(url) {
  if (url === "") return new Workbench(await context.newPage(), () => undefined);
  let bench = workbenches.get(url);
  if (bench === undefined) {
    bench = new Workbench(await context.newPage(), (name) => join(pictures, `${name}.png`));
    await bench.load(url);
    workbenches.set(url, bench);
  } else {
    await bench.page.bringToFront();
    await bench.reset();
  }
  return bench;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { spec, url, args } = JSON.parse(line);
  let answer;
  try {
    const bench = await workbench(url);
    try {
      answer = { result: (await specs[spec](bench, args)) ?? null };
    } catch (error) {
      await bench.page.screenshot({ path: join(failures, `${spec}.png`) }).catch(() => undefined);
      throw error;
    } finally {
      if (url === "") await bench.page.close();
    }
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await context.close();
