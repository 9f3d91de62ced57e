// The environment that the Python extension has chosen, when that extension is there.
import * as vscode from "vscode";

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
  resolveEnvironment(environment: { path: string }): Promise<
    { executable: { uri?: vscode.Uri } } | undefined
  >;
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

const patienceMs = 5000;

async function environments(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension("ms-python.python");
  if (extension === undefined) return undefined;
  try {
    const api = (await extension.activate()) as { environments?: Environments } | undefined;
    return api?.environments;
  } catch {
    return undefined;
  }
}

/** Undefined when there is no such extension, or it does not answer in time. */
export async function extensionInterpreter(resource?: vscode.Uri): Promise<string | undefined> {
  const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), patienceMs));
  return Promise.race([late, activeInterpreter(resource).catch(() => undefined)]);
}

async function activeInterpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const api = await environments();
  if (api === undefined) return undefined;
  const resolved = await api.resolveEnvironment(api.getActiveEnvironmentPath(resource));
  return resolved?.executable.uri?.fsPath;
}

export async function onInterpreterChange(action: () => void): Promise<vscode.Disposable> {
  const api = await environments();
  return api?.onDidChangeActiveEnvironmentPath(action) ?? new vscode.Disposable(() => undefined);
}
