// Explanations as read-only Markdown, shown in VS Code's own preview.
import * as vscode from "vscode";

const scheme = "gpuadvisor-explain";
const kept = 20;

export class Explanations implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly registration: vscode.Disposable;

  constructor() {
    this.registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "This explanation is gone; ask for it again.\n";
  }

  async show(title: string, markdown: string): Promise<void> {
    const name = title.replace(/[^\p{L}\p{N} ._-]+/gu, " ").trim() || "explanation";
    const uri = vscode.Uri.from({ scheme, path: `/${name}.md` });
    this.texts.delete(uri.path);
    this.texts.set(uri.path, markdown);
    for (const old of [...this.texts.keys()].slice(0, -kept)) this.texts.delete(old);
    this.changes.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}
