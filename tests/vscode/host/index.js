// Tests inside the extension host, with VS Code's own interface: VS Code calls run(), and what came
// of each test goes to the file that GPUADVISOR_HOST_RESULT names.
const assert = require("node:assert/strict");
const fs = require("node:fs");
const vscode = require("vscode");

const tests = [];
const test = (name, body) => tests.push({ name, body });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const run = (command, ...args) => vscode.commands.executeCommand(command, ...args);

/** The first value of `ask` that is not undefined or false. */
async function until(what, ask, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await ask();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await sleep(50);
  }
}

const folder = () => vscode.workspace.workspaceFolders[0].uri;
const file = (name) => vscode.Uri.joinPath(folder(), name);
const own = (diagnostic) => diagnostic.source === "gpuadvisor";

async function show(name) {
  const document = await vscode.workspace.openTextDocument(file(name));
  return vscode.window.showTextDocument(document, { preview: false });
}

const diagnosticsOf = (uri) => vscode.languages.getDiagnostics(uri).filter(own);

async function warnings(uri) {
  return until("a warning", () => {
    const found = diagnosticsOf(uri).filter((d) => d.severity === vscode.DiagnosticSeverity.Warning);
    return found.length > 0 && found;
  });
}

async function hoverAt(document, line, piece) {
  const column = document.lineAt(line - 1).text.indexOf(piece);
  assert.ok(column >= 0, `line ${line} is ${document.lineAt(line - 1).text}`);
  const at = new vscode.Position(line - 1, column);
  const hovers = await run("vscode.executeHoverProvider", document.uri, at);
  return hovers.flatMap((hover) => hover.contents.map((content) => content.value)).join("\n");
}

async function lenses(uri) {
  const found = await run("vscode.executeCodeLensProvider", uri, 50);
  return found.filter((lens) => lens.command?.command.startsWith("gpuadvisor."));
}

async function setting(name, value) {
  await vscode.workspace.getConfiguration("gpuadvisor").update(name, value, vscode.ConfigurationTarget.Workspace);
}

test("a .cu file is CUDA and starts the extension", async () => {
  const { document } = await show("transpose.cu");
  assert.equal(document.languageId, "cuda-cpp");
  const extension = vscode.extensions.getExtension("gpuadvisor.gpuadvisor");
  await until("the extension", () => extension.isActive);
  await until("the server", () => extension.exports.server.running);
});

test("the interpreter is the Python extension's", async () => {
  const { server } = vscode.extensions.getExtension("gpuadvisor.gpuadvisor").exports;
  await until("the server", () => server.running);
  assert.equal(server.interpreter.candidate.origin, "python extension");
  assert.equal(server.interpreter.candidate.command, process.env.GPUADVISOR_TEST_PYTHON);
});

test("every command of the manifest is there, once", async () => {
  const extension = vscode.extensions.getExtension("gpuadvisor.gpuadvisor");
  const all = await vscode.commands.getCommands(true);
  const contributed = extension.packageJSON.contributes.commands.map(({ command }) => command);
  assert.ok(contributed.length > 5);
  for (const command of contributed) assert.ok(all.includes(command), command);
  const server = all.filter((command) => /^gpuadvisor\.[a-zA-Z]+$/.test(command));
  assert.ok(server.includes("gpuadvisor.explainKernel"), String(server));
  assert.equal(new Set(server).size, server.length);
});

test("the strided store has the warning, on its expression, and the padded kernel none", async () => {
  const { document } = await show("transpose.cu");
  const found = await warnings(document.uri);
  const store = found.find(({ range }) => range.start.line === 21);
  assert.ok(store, found.map(({ range, message }) => `${range.start.line + 1}: ${message}`).join("\n"));
  assert.equal(document.getText(store.range), "dst[x * height + y]");
  assert.equal(store.code.value, "GA101");
  assert.match(store.code.target.toString(), /^https:/);
  const padded = found.filter(({ range }) => range.start.line >= 40 && range.start.line < 54);
  assert.deepEqual(padded, []);
});

test("the hover of the store holds a table with the share and the stalls", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  const text = await hoverAt(document, 22, "dst");
  assert.match(text, /^\|.*\|$/m);
  assert.match(text, /\d %/);
  assert.match(text, /GA101/);
});

test("the hover of the closing brace says whose drain it is", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  assert.match(await hoverAt(document, 24, "}"), /drain[\s\S]*line 22/);
});

test("each kernel has a lens", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  const lines = (await lenses(document.uri)).map(({ range }) => range.start.line + 1);
  assert.deepEqual(lines, [18, 26, 41]);
});

test("rules are explained and silenced by actions", async () => {
  const { document } = await show("transpose.cu");
  const store = (await warnings(document.uri)).find(({ range }) => range.start.line === 21);
  const actions = await run("vscode.executeCodeActionProvider", document.uri, store.range);
  const titles = actions.map(({ title }) => title);
  assert.ok(titles.some((title) => /^Explain rule uncoalesced-global-access/.test(title)), String(titles));
  const ignore = actions.find(({ title }) => /^Ignore uncoalesced-global-access on this line/.test(title));
  assert.ok(ignore, String(titles));
  await vscode.workspace.applyEdit(ignore.edit);
  await until("silence on the line", () =>
    diagnosticsOf(document.uri).every(({ code, range }) => code?.value !== "GA101" || Math.abs(range.start.line - 21) > 1),
  );
  await run("workbench.action.files.revert");
  await until("the warning again", () => diagnosticsOf(document.uri).some(({ range }) => range.start.line === 21));
});

test("warnings and heat move with the text", async () => {
  const editor = await show("transpose.cu");
  const { document } = editor;
  await warnings(document.uri);
  await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), "// one\n// two\n"));
  await until("the warning two lines down", () =>
    diagnosticsOf(document.uri).some(({ code, range }) => code?.value === "GA101" && range.start.line === 23),
  );
  const { heat } = vscode.extensions.getExtension("gpuadvisor.gpuadvisor").exports;
  await until("heat two lines down", () => {
    const drawn = heat.drawn.get(document.uri.toString());
    return drawn !== undefined && [...drawn.values()].flat().includes(24);
  });
  await run("workbench.action.files.revert");
});

test("heat is drawn, by steps, and goes by its setting", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  const { heat } = vscode.extensions.getExtension("gpuadvisor.gpuadvisor").exports;
  const drawn = () => [...(heat.drawn.get(document.uri.toString())?.values() ?? [])].flat();
  const inKernels = () => drawn().every((line) => line >= 18 && line <= 54);
  await until("heat on the store and in kernels only", () => drawn().includes(22) && inKernels());
  await setting("heat.enabled", false);
  try {
    await until("no heat", () => drawn().length === 0);
  } finally {
    await setting("heat.enabled", undefined);
  }
  await until("heat again", () => drawn().includes(22));
});

test("hotspots are visited forth and back", async () => {
  const editor = await show("transpose.cu");
  await warnings(editor.document.uri);
  editor.selection = new vscode.Selection(0, 0, 0, 0);
  const visited = [];
  for (let step = 0; step < 3; step++) {
    await run("gpuadvisor.client.nextHotspot");
    visited.push(vscode.window.activeTextEditor.selection.active.line + 1);
  }
  assert.deepEqual(visited, [...visited].sort((a, b) => a - b));
  assert.equal(new Set(visited).size, visited.length);
  await run("gpuadvisor.client.previousHotspot");
  assert.equal(vscode.window.activeTextEditor.selection.active.line + 1, visited[1]);
});

test("inlay hints come by their setting only", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  const whole = new vscode.Range(0, 0, document.lineCount, 0);
  const hints = () => run("vscode.executeInlayHintProvider", document.uri, whole);
  assert.deepEqual(await hints(), []);
  await setting("inlayHints.enabled", true);
  try {
    const found = await until("inlay hints", async () => {
      const some = await hints();
      return some.length > 0 && some;
    });
    assert.ok(found.some(({ position }) => position.line === 21));
  } finally {
    await setting("inlayHints.enabled", undefined);
  }
});

test("profile data is hidden and shown again", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  await run("gpuadvisor.client.toggleProfileData");
  await until("no lens", async () => (await lenses(document.uri)).length === 0);
  assert.ok(diagnosticsOf(document.uri).length > 0, "findings stay");
  await run("gpuadvisor.client.toggleProfileData");
  await until("lenses", async () => (await lenses(document.uri)).length === 3);
});

test("debug information holds versions and the report", async () => {
  await show("transpose.cu");
  await run("gpuadvisor.client.copyDebugInfo");
  const text = await until("the clipboard", async () => {
    const copied = await vscode.env.clipboard.readText();
    return copied.includes("GPU Advisor extension") && copied;
  });
  assert.match(text, /VS Code \d/);
  assert.match(text, /transpose\.ncu-rep/);
});

test("a report opens in the report view", async () => {
  await run("vscode.open", file("transpose.ncu-rep"));
  const tab = await until("the tab", () => {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputCustom && input;
  });
  assert.equal(tab.viewType, "gpuadvisor.report");
  await run("workbench.action.closeActiveEditor");
});

test("a Python file that no report names is left alone", async () => {
  fs.writeFileSync(file("other.py").fsPath, "import math\n\nprint(math.pi)\n");
  const { document } = await show("other.py");
  await sleep(500);
  assert.deepEqual(diagnosticsOf(document.uri), []);
  assert.deepEqual(await lenses(document.uri), []);
});

test("the manifest's settings are those of the schema, with their defaults", async () => {
  const extension = vscode.extensions.getExtension("gpuadvisor.gpuadvisor");
  const { properties } = extension.packageJSON.contributes.configuration;
  for (const [name, property] of Object.entries(properties)) {
    const { defaultValue } = vscode.workspace.getConfiguration().inspect(name);
    assert.deepEqual(defaultValue, property.default, name);
  }
});

test("a report that changes on disk is followed: damaged, gone, back", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  const { server } = vscode.extensions.getExtension("gpuadvisor.gpuadvisor").exports;
  const state = () => server.status?.reports[0]?.state;
  const report = file("transpose.ncu-rep").fsPath;
  const whole = fs.readFileSync(report);
  try {
    fs.writeFileSync(report, Buffer.from("NVR\0no report any more"));
    await until("a damaged report", () => state() === "damaged");
    assert.ok(diagnosticsOf(document.uri).some(({ range }) => range.start.line === 21), "the last good state stays");
    fs.unlinkSync(report);
    await until("no findings of a report that is gone", () => diagnosticsOf(document.uri).length === 0);
  } finally {
    fs.writeFileSync(report, whole);
  }
  await until("the report again", () => state() === "ready");
  await until("its findings", () => diagnosticsOf(document.uri).some(({ range }) => range.start.line === 21));
});

test("the walkthrough opens", async () => {
  await run("workbench.action.openWalkthrough", "gpuadvisor.gpuadvisor#start", false);
  await until("its tab", () => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => /Walkthrough|See why/.test(label))));
  await run("workbench.action.closeAllEditors");
});

test("a server that ended is started again by command", async () => {
  const { document } = await show("transpose.cu");
  await warnings(document.uri);
  await run("gpuadvisor.client.restartServer");
  await warnings(document.uri);
});

exports.run = async () => {
  const results = [];
  for (const { name, body } of tests) {
    const begin = Date.now();
    let error = "";
    try {
      await body();
    } catch (thrown) {
      error = String(thrown?.stack ?? thrown);
    }
    results.push({ name, error, ms: Date.now() - begin });
  }
  const target = process.env.GPUADVISOR_HOST_RESULT;
  fs.writeFileSync(`${target}.part`, JSON.stringify({ vscode: vscode.version, results }));
  fs.renameSync(`${target}.part`, target);
  const failed = results.filter(({ error }) => error !== "");
  if (failed.length > 0) throw new Error(`${failed.length} of ${results.length} failed`);
};
