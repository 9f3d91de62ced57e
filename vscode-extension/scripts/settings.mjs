// Writes the settings of gpuadvisor/lsp/settings.schema.json into package.json and the table in
// README.md; with --check only says whether they are there as they should be.
import { readFile, writeFile } from "node:fs/promises";

const check = process.argv.includes("--check");
const schema = JSON.parse(await readFile("../gpuadvisor/lsp/settings.schema.json", "utf8"));
const stale = [];

async function replace(file, change) {
  const before = await readFile(file, "utf8");
  const after = change(before);
  if (before === after) return;
  stale.push(file);
  if (!check) await writeFile(file, after);
}

function cell(text) {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

function table(properties) {
  const rows = Object.entries(properties).map(([name, property]) => {
    const kind = property.enum ? property.enum.map((value) => `\`${value}\``).join(", ") : property.type;
    const text = property.markdownDescription ?? property.description;
    return `| \`${name}\` | ${cell(kind)} | \`${JSON.stringify(property.default)}\` | ${cell(text)} |`;
  });
  return ["| setting | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n");
}

await replace("package.json", (text) => {
  const manifest = JSON.parse(text);
  manifest.contributes.configuration = { title: schema.title, properties: schema.properties };
  return `${JSON.stringify(manifest, null, 2)}\n`;
});
await replace("README.md", (text) =>
  text.replace(
    /(<!-- settings -->\n)[\s\S]*?(<!-- \/settings -->)/,
    (_, open, close) => `${open}\n${table(schema.properties)}\n\n${close}`,
  ),
);

if (check && stale.length > 0) {
  console.error(`${stale.join(" and ")}: settings differ from settings.schema.json; run: npm run settings`);
  process.exitCode = 1;
}
