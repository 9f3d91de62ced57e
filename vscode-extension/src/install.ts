// What is said and offered when there is no server to start.
import * as vscode from "vscode";
import type { Server } from "./server";

/** For someone who has reports or asked for something: why there is no server, and what to do. */
export async function offerInstall(server: Server): Promise<void> {
  const { missing } = server;
  if (missing === undefined) return;
  const copy = "Copy Install Command";
  const run = "Run in Terminal";
  const choose = "Choose Interpreter";
  const actions = missing.install === undefined ? [choose] : [run, copy, choose];
  const answer = await vscode.window.showWarningMessage(missing.message, ...actions);
  if (answer === choose) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "gpuadvisor.interpreter");
  } else if (answer === copy && missing.install !== undefined) {
    await vscode.env.clipboard.writeText(missing.install);
  } else if (answer === run && missing.install !== undefined) {
    const terminal = vscode.window.createTerminal("gpuadvisor");
    terminal.show();
    // Not entered for the user: it changes their environment.
    terminal.sendText(missing.install, false);
  }
}

export async function installServer(server: Server): Promise<void> {
  if (await server.restart()) {
    const probe = server.interpreter?.probe;
    const of = probe?.kind === "ready" ? ` ${probe.version} for ${probe.executable}` : "";
    await vscode.window.showInformationMessage(`gpuadvisor${of} is installed.`);
  } else {
    await offerInstall(server);
  }
}

export async function restartServer(server: Server): Promise<void> {
  if (!(await server.restart())) await offerInstall(server);
}
