// Puts the parts together. Starts the server where there is something for it to say.
import * as vscode from "vscode";
import { Commands } from "./commands";
import { Explanations } from "./explain";
import { Heat } from "./heat";
import { offerInstall } from "./install";
import { onInterpreterChange } from "./python";
import { ReportEditor } from "./reportEditor";
import { Server } from "./server";
import { statusItem } from "./status";

/** What tests look at. */
export interface Exports {
  readonly server: Server;
  readonly heat: Heat;
}

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Exports {
  const output = vscode.window.createOutputChannel("GPU Advisor", { log: true });
  const server: Server = new Server(context.extensionPath, output, (command, result) =>
    commands.present(command, result),
  );
  const explanations = new Explanations();
  const version = String((context.extension.packageJSON as { version: unknown }).version);
  const commands = new Commands(server, explanations, version).register();
  const heat = new Heat(server);
  context.subscriptions.push(
    output,
    server,
    explanations,
    commands,
    heat,
    statusItem(server),
    new ReportEditor(context.extensionUri, server, commands).register(),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("gpuadvisor.interpreter")) void server.restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.restart()),
  );
  running = server;
  void begin(server, context);
  return { server, heat };
}

/** VS Code waits for this: the server ends before its editor does. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

async function begin(server: Server, context: vscode.ExtensionContext): Promise<void> {
  if (!(await server.start()) && (await hasReport())) await offerInstall(server);
  context.subscriptions.push(
    await onInterpreterChange(() => {
      // A server from the setting is not the Python extension's business.
      if (server.interpreter?.candidate.origin !== "setting") void server.restart();
    }),
  );
}

/** Without a report nobody is told that gpuadvisor is missing. */
async function hasReport(): Promise<boolean> {
  const found = await vscode.workspace.findFiles("**/*.{ncu-rep,ncu-repz}", "**/node_modules/**", 1);
  return found.length > 0;
}
