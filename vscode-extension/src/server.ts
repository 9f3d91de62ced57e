// The language server's life: found, started, asked, restarted. Quiet unless someone needs it.
import * as path from "node:path";
import * as vscode from "vscode";
import {
  type ExecuteCommandSignature,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
} from "vscode-languageclient/node";
import { candidates, choose, explainMissing, type Found, type Missing, probe } from "./interpreter";
import { Command, type Status, statusNotification } from "./protocol";
import { extensionInterpreter } from "./python";

// Beside what is CUDA by its ending: headers and Triton modules, which get what a report says of
// them and nothing else.
const languages = ["cuda-cpp", "cuda", "cpp", "c", "python"];

type Intercept = (command: string, result: unknown) => Promise<void>;

export class Server implements vscode.Disposable {
  private readonly statusEmitter = new vscode.EventEmitter<Status | undefined>();
  /** Undefined when there is no server any more. */
  readonly onStatus = this.statusEmitter.event;
  status: Status | undefined;
  missing: Missing | undefined;
  interpreter: Found | undefined;
  private client: LanguageClient | undefined;
  private starting: Promise<boolean> | undefined;

  constructor(
    private readonly extensionPath: string,
    readonly output: vscode.LogOutputChannel,
    private readonly intercept: Intercept,
  ) {}

  /** Starts the server unless it runs; false when there is none to start (see `missing`). */
  start(): Promise<boolean> {
    this.starting ??= this.launch().catch((error: unknown) => {
      this.output.error(`the server did not start: ${String(error)}`);
      this.missing = {
        message: "The gpuadvisor server did not start; the output of GPU Advisor says why.",
        install: undefined,
      };
      this.starting = undefined;
      return false;
    });
    return this.starting;
  }

  async restart(): Promise<boolean> {
    await this.stop();
    return this.start();
  }

  async stop(): Promise<void> {
    const { client, starting } = this;
    this.client = undefined;
    this.starting = undefined;
    await starting;
    this.setStatus(undefined);
    await client?.dispose(2000).catch(() => undefined);
  }

  /** The result of one of the server's commands. Throws when there is no server. */
  async request<T>(command: string, ...args: unknown[]): Promise<T> {
    if (!(await this.start()) || this.client === undefined) {
      throw new Error(this.missing?.message ?? "The gpuadvisor server is not running.");
    }
    const result = await this.client.sendRequest("workspace/executeCommand", {
      command,
      arguments: args,
    });
    this.after(command);
    return result as T;
  }

  get running(): boolean {
    return this.client?.state === State.Running;
  }

  dispose(): void {
    void this.stop();
    this.statusEmitter.dispose();
  }

  private async launch(): Promise<boolean> {
    const folder = vscode.workspace.workspaceFolders?.[0];
    const setting = vscode.workspace.getConfiguration("gpuadvisor").get("interpreter", "");
    const { chosen, asked } = await choose(
      candidates(setting, await extensionInterpreter(folder?.uri), folder?.uri.fsPath),
      (command) => probe(command, this.extensionPath),
    );
    for (const { candidate, probe: answer } of asked) {
      this.output.info(`${candidate.command} (${candidate.origin}): ${JSON.stringify(answer)}`);
    }
    this.interpreter = chosen;
    if (chosen === undefined || chosen.probe.kind !== "ready") {
      this.missing = explainMissing(asked);
      this.starting = undefined;
      return false;
    }
    this.missing = undefined;
    const client = new LanguageClient(
      "gpuadvisor",
      "GPU Advisor",
      {
        command: chosen.probe.executable,
        args: ["-m", "gpuadvisor", "lsp"],
        // Not the workspace: `python -m` imports from where it starts.
        options: { cwd: this.extensionPath },
      },
      this.clientOptions(),
    );
    client.onNotification(statusNotification, (status: Status) => this.setStatus(status));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped && this.client === client) this.setStatus(undefined);
    });
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      // Else it would go on trying by itself.
      this.client = undefined;
      await client.dispose().catch(() => undefined);
      throw error;
    }
    return true;
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: languages.map((language) => ({ scheme: "file", language })),
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { settings: vscode.workspace.getConfiguration("gpuadvisor") },
      markdown: { isTrusted: false, supportHtml: false },
      middleware: {
        executeCommand: async (
          command: string,
          args: unknown[],
          next: ExecuteCommandSignature,
        ): Promise<unknown> => {
          const result: unknown = await next(command, args);
          this.after(command);
          await this.intercept(command, result);
          return result;
        },
      },
    };
  }

  private after(command: string): void {
    // What is shown changed though the reports did not.
    if (command === Command.toggleProfileData) this.statusEmitter.fire(this.status);
  }

  private setStatus(status: Status | undefined): void {
    this.status = status;
    const has = (status?.reports.length ?? 0) > 0;
    void vscode.commands.executeCommand("setContext", "gpuadvisor.hasReport", has);
    this.statusEmitter.fire(status);
  }
}

/** The workspace folder a file lies in, or the first one. */
export function folderOf(uri: vscode.Uri | undefined): string | undefined {
  const folder = uri === undefined ? undefined : vscode.workspace.getWorkspaceFolder(uri);
  return (folder ?? vscode.workspace.workspaceFolders?.[0])?.uri.fsPath;
}

export function fileName(file: string): string {
  return path.basename(file.replaceAll("\\", "/"));
}
