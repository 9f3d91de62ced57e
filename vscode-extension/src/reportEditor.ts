// The report view: a read-only editor for Nsight Compute reports.
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { openable } from "./places";
import { Command, type FromView, type ReportView, type ToView } from "./protocol";
import { reportPage } from "./reportPage";
import { fileName, type Server } from "./server";
import { expandPath } from "./interpreter";
import type { Explainer } from "./commands";

export const viewType = "gpuadvisor.report";
const settleMs = 500;

class ReportDocument implements vscode.CustomDocument {
  constructor(readonly uri: vscode.Uri) {}
  dispose(): void {}
}

export class ReportEditor implements vscode.CustomReadonlyEditorProvider<ReportDocument> {
  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly server: Server,
    private readonly explain: Explainer,
  ) {}

  register(): vscode.Disposable {
    return vscode.window.registerCustomEditorProvider(viewType, this, {
      supportsMultipleEditorsPerDocument: true,
    });
  }

  openCustomDocument(uri: vscode.Uri): ReportDocument {
    return new ReportDocument(uri);
  }

  resolveCustomEditor({ uri }: ReportDocument, panel: vscode.WebviewPanel): void {
    const { webview } = panel;
    const dist = vscode.Uri.joinPath(this.extensionUri, "dist");
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    const session = new Session(uri, webview, this.server, this.explain);
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), fileName(uri.path).replace(/[[\]{}*?]/g, "?")),
    );
    const subscriptions = vscode.Disposable.from(
      session,
      watcher,
      watcher.onDidChange(() => session.loadSoon()),
      watcher.onDidCreate(() => session.loadSoon()),
      this.server.onStatus((status) => {
        if (status !== undefined && session.failed) session.loadSoon();
      }),
      webview.onDidReceiveMessage((message: FromView) => session.receive(message)),
    );
    panel.onDidDispose(() => subscriptions.dispose());
    webview.html = reportPage({
      nonce: randomBytes(16).toString("base64"),
      cspSource: webview.cspSource,
      script: webview.asWebviewUri(vscode.Uri.joinPath(dist, "report.js")).toString(),
      style: webview.asWebviewUri(vscode.Uri.joinPath(dist, "report.css")).toString(),
    });
  }
}

/** One open view of one report. */
class Session implements vscode.Disposable {
  failed = false;
  private openable: ReadonlySet<string> = new Set();
  private timer: NodeJS.Timeout | undefined;
  private generation = 0;

  constructor(
    private readonly uri: vscode.Uri,
    private readonly webview: vscode.Webview,
    private readonly server: Server,
    private readonly explain: Explainer,
  ) {}

  dispose(): void {
    clearTimeout(this.timer);
    this.generation = -1;
  }

  /** Once the file has settled: a report that is being written changes many times. */
  loadSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.load(), settleMs);
  }

  async receive(message: FromView): Promise<void> {
    switch (message.type) {
      case "ready":
        await this.load();
        break;
      case "open":
        if (this.openable.has(message.file)) await reveal(message.file, message.line);
        break;
      case "explainKernel":
        await this.explain.kernel(message.kernel, this.uri.fsPath);
        break;
      case "explainRule":
        await this.explain.rule(message.rule);
        break;
    }
  }

  private async load(): Promise<void> {
    if (this.generation < 0) return;
    const generation = ++this.generation;
    await this.post({ type: "reading", file: fileName(this.uri.path) });
    const answer = await this.ask();
    if (this.generation !== generation) return;
    this.failed = answer.type === "problem";
    await this.post(answer);
  }

  private async ask(): Promise<ToView> {
    if (this.uri.scheme !== "file") {
      return this.problem("Only reports on disk can be read. Save it to a folder and open it there.", "");
    }
    try {
      const data = await this.server.request<ReportView>(Command.reportView, this.uri.fsPath);
      this.openable = await openable(filesOf(data), this.roots());
      return { type: "data", data, openable: [...this.openable] };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const install = this.server.missing?.install;
      return this.problem(reason, install === undefined ? "" : `Install it with: ${install}`);
    }
  }

  private problem(message: string, hint: string): ToView {
    return { type: "problem", file: fileName(this.uri.path), message, hint };
  }

  private roots(): string[] {
    const folders = vscode.workspace.workspaceFolders?.map((folder) => folder.uri.fsPath) ?? [];
    const settings = vscode.workspace.getConfiguration("gpuadvisor", this.uri);
    const mapped = Object.values(settings.get<Record<string, string>>("pathMappings", {}));
    const directories = settings.get<string[]>("sourceDirs", []);
    const more = [...mapped, ...directories].filter((value) => typeof value === "string");
    return [...folders, ...more.map((value) => expandPath(value, folders[0]))];
  }

  private async post(message: ToView): Promise<void> {
    if (this.generation >= 0) await this.webview.postMessage(message);
  }
}

function* filesOf(data: ReportView): Iterable<string> {
  for (const finding of data.findings) {
    if (finding.location !== null) yield finding.location.file;
    for (const related of finding.related) yield related.file;
  }
  for (const record of data.lines ?? []) yield record.file;
}

async function reveal(file: string, line: number): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const at = new vscode.Position(Math.min(Math.max(line, 1), document.lineCount) - 1, 0);
  const column = document.lineAt(at.line).firstNonWhitespaceCharacterIndex;
  const selection = new vscode.Range(at.line, column, at.line, column);
  const viewColumn = vscode.window.tabGroups.all.length > 1 ? vscode.ViewColumn.One : vscode.ViewColumn.Beside;
  await vscode.window.showTextDocument(document, { selection, viewColumn });
}
