// The commands of the palette, the menu of the status item, and what the server's own commands
// (those in code lenses, hovers and code actions) show.
import * as vscode from "vscode";
import type { Explanations } from "./explain";
import { installServer, offerInstall, restartServer } from "./install";
import { go } from "./go";
import { Command, type Markdown, type Place } from "./protocol";
import { viewType } from "./reportEditor";
import { fileName, type Server } from "./server";

export interface Explainer {
  /** Of a report, by the kernel's id in it. */
  kernel(id: string, report: string): Promise<void>;
  rule(name: string): Promise<void>;
}

interface KernelItem extends vscode.QuickPickItem {
  readonly id: string;
}

export class Commands implements Explainer, vscode.Disposable {
  private readonly registrations: vscode.Disposable[] = [];

  constructor(
    private readonly server: Server,
    private readonly explanations: Explanations,
    private readonly version: string,
  ) {}

  register(): this {
    const add = (name: string, action: (...args: never[]) => unknown): void => {
      this.registrations.push(
        vscode.commands.registerCommand(`gpuadvisor.client.${name}`, async (...args: never[]) => {
          try {
            return await action(...args);
          } catch (error) {
            await this.complain(error);
            return undefined;
          }
        }),
      );
    };
    add("attachReport", (uri?: vscode.Uri) => this.attachReport(uri));
    add("showReport", () => this.showReport());
    add("explainKernel", () => this.pickKernel());
    add("nextHotspot", () => this.hotspot(Command.nextHotspot));
    add("previousHotspot", () => this.hotspot(Command.previousHotspot));
    add("toggleProfileData", () => this.server.request(Command.toggleProfileData));
    add("copyDebugInfo", () => this.copyDebugInfo());
    add("showMenu", () => this.showMenu());
    add("installServer", () => installServer(this.server));
    add("restartServer", () => restartServer(this.server));
    add("showOutput", () => this.server.output.show());
    return this;
  }

  dispose(): void {
    vscode.Disposable.from(...this.registrations).dispose();
  }

  /** Shows what a command of the server came back with, when VS Code itself ran it. */
  async present(command: string, result: unknown): Promise<void> {
    if (result === null || typeof result !== "object") return;
    if (command === Command.explainKernel || command === Command.explainRule) {
      await this.explanations.show(title(result as Markdown), (result as Markdown).markdown);
    } else if (command === Command.nextHotspot || command === Command.previousHotspot) {
      await go(result as Place);
    }
  }

  async kernel(id: string, report: string): Promise<void> {
    await this.explained(Command.explainKernel, { kernel: id, report });
  }

  async rule(name: string): Promise<void> {
    await this.explained(Command.explainRule, { rule: name });
  }

  private async explained(command: string, argument: object): Promise<void> {
    try {
      const result = await this.server.request<Markdown | null>(command, argument);
      if (result === null) throw new Error("There is nothing to explain: the report may have changed.");
      await this.explanations.show(title(result), result.markdown);
    } catch (error) {
      await this.complain(error);
    }
  }

  private async attachReport(uri: vscode.Uri | undefined): Promise<void> {
    const chosen =
      uri ??
      (
        await vscode.window.showOpenDialog({
          title: "Attach a report",
          openLabel: "Attach",
          filters: { "Nsight Compute report": ["ncu-rep", "ncu-repz"] },
        })
      )?.[0];
    if (chosen !== undefined) await this.server.request(Command.attachReport, chosen.fsPath);
  }

  private async pickReport(): Promise<string | undefined> {
    await this.server.start();
    const reports = this.server.status?.reports ?? [];
    if (reports.length < 2) return reports[0]?.path;
    const picked = await vscode.window.showQuickPick(
      reports.map(({ path, state }) => ({ label: fileName(path), description: state, detail: path })),
      { title: "Which report?", matchOnDetail: true },
    );
    return picked?.detail;
  }

  private async showReport(): Promise<void> {
    const report = await this.pickReport();
    if (report !== undefined) {
      await vscode.commands.executeCommand("vscode.openWith", vscode.Uri.file(report), viewType);
    } else if ((this.server.status?.reports.length ?? 0) === 0) {
      await this.sayNoReport();
    }
  }

  private async pickKernel(): Promise<void> {
    const report = await this.pickReport();
    if (report === undefined) {
      if ((this.server.status?.reports.length ?? 0) === 0) await this.sayNoReport();
      return;
    }
    const view = await this.server.request<{
      kernels: { id: string; name: string; verdict: string; demangled: string }[];
    }>(Command.reportView, report);
    const items: KernelItem[] = view.kernels.map(({ id, name, verdict, demangled }) => {
      const item = { id, label: name, description: verdict };
      return demangled === name ? item : { ...item, detail: demangled };
    });
    const picked = await vscode.window.showQuickPick(items, { title: "Which kernel?", matchOnDetail: true });
    if (picked !== undefined) await this.kernel(picked.id, report);
  }

  private async sayNoReport(): Promise<void> {
    if (!(await this.server.start())) {
      await offerInstall(this.server);
      return;
    }
    const attach = "Attach Report…";
    const answer = await vscode.window.showInformationMessage("There is no report to show yet.", attach);
    if (answer === attach) await vscode.commands.executeCommand("gpuadvisor.client.attachReport");
  }

  private async hotspot(command: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) return;
    const here = { uri: editor.document.uri.toString(), line: editor.selection.active.line + 1 };
    const place = await this.server.request<Place | null>(command, here);
    if (place === null) {
      vscode.window.setStatusBarMessage("$(flame) No measured line in the sources here", 3000);
    } else {
      await go(place);
    }
  }

  private async copyDebugInfo(): Promise<void> {
    const lines = [
      `GPU Advisor extension ${this.version}`,
      `VS Code ${vscode.version} on ${process.platform} ${process.arch}`,
      `Interpreter: ${JSON.stringify(this.server.interpreter ?? this.server.missing ?? "none")}`,
    ];
    if (await this.server.start()) {
      lines.push((await this.server.request<{ text: string }>(Command.debugInfo)).text);
    }
    await vscode.env.clipboard.writeText(`${lines.join("\n")}\n`);
    vscode.window.setStatusBarMessage("$(check) Debug information copied", 3000);
  }

  private async showMenu(): Promise<void> {
    const entry = (label: string, command: string): vscode.QuickPickItem & { command: string } => ({
      label,
      command: `gpuadvisor.client.${command}`,
    });
    const picked = await vscode.window.showQuickPick(
      [
        entry("$(graph) Show Report", "showReport"),
        entry("$(arrow-down) Go to Next Hotspot", "nextHotspot"),
        entry("$(book) Explain Kernel…", "explainKernel"),
        entry("$(eye) Show or Hide Profile Data", "toggleProfileData"),
        entry("$(add) Attach Report…", "attachReport"),
        entry("$(copy) Copy Debug Information", "copyDebugInfo"),
        entry("$(output) Show Output", "showOutput"),
      ],
      { title: "GPU Advisor", placeHolder: this.server.status?.message ?? "" },
    );
    if (picked !== undefined) await vscode.commands.executeCommand(picked.command);
  }

  private async complain(error: unknown): Promise<void> {
    if (this.server.missing !== undefined) {
      await offerInstall(this.server);
    } else {
      const message = error instanceof Error ? error.message : String(error);
      await vscode.window.showErrorMessage(`GPU Advisor: ${message}`);
    }
  }
}

/** The first heading of an explanation. */
function title({ markdown }: Markdown): string {
  return /^#+\s+(.+)$/m.exec(markdown)?.[1]?.replace(/[`*_\\]/g, "") ?? "Explanation";
}
