// Bundles the extension and the report view into dist/, or with --tests the unit tests into out/.
import { mkdir, readdir, rm } from "node:fs/promises";
import { context, build } from "esbuild";

const has = (flag) => process.argv.includes(flag);
const production = has("--production");
const shared = {
  bundle: true,
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  legalComments: "eof",
};
const extension = {
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
};
const view = {
  ...shared,
  entryPoints: [
    { in: "webview/main.ts", out: "report" },
    { in: "webview/report.css", out: "report" },
  ],
  outdir: "dist",
  platform: "browser",
  format: "iife",
  target: "es2022",
};

if (has("--tests")) {
  await rm("out/test", { recursive: true, force: true });
  await mkdir("out/test", { recursive: true });
  const files = (await readdir("test/unit")).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...shared,
    entryPoints: files.map((name) => `test/unit/${name}`),
    outdir: "out/test",
    outExtension: { ".js": ".mjs" },
    platform: "node",
    format: "esm",
    target: "node20",
  });
} else if (has("--watch")) {
  for (const options of [extension, view]) await (await context(options)).watch();
} else {
  await rm("dist", { recursive: true, force: true });
  await Promise.all([build(extension), build(view)]);
}
