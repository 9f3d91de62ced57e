// Heat in the gutter, and at the scroll bar, of the editors that are visible.
import * as vscode from "vscode";
import { heatColour, heatIcon, linesByStep, type Step, steps, type Theme } from "./heatSteps";
import { Command, type HeatLine } from "./protocol";
import type { Server } from "./server";

const settleMs = 250;

export class Heat implements vscode.Disposable {
  private readonly types = new Map<Step, vscode.TextEditorDecorationType>();
  private readonly subscriptions: vscode.Disposable[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly server: Server) {
    for (const step of steps) this.types.set(step, decoration(step));
    this.subscriptions.push(
      server.onStatus(() => this.refreshSoon()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refreshSoon()),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (vscode.window.visibleTextEditors.some((editor) => editor.document === document)) {
          this.refreshSoon();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("gpuadvisor")) this.refreshSoon();
      }),
    );
  }

  /** What is drawn for an editor; asked by tests through the extension's exports. */
  readonly drawn = new Map<string, ReadonlyMap<Step, readonly number[]>>();

  refreshSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), settleMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.subscriptions, ...this.types.values()).dispose();
  }

  private async refresh(): Promise<void> {
    await Promise.all(vscode.window.visibleTextEditors.map((editor) => this.draw(editor)));
  }

  private async draw(editor: vscode.TextEditor): Promise<void> {
    const { document } = editor;
    if (document.uri.scheme !== "file") return;
    const settings = vscode.workspace.getConfiguration("gpuadvisor", document.uri);
    const wanted = this.server.running && settings.get("heat.enabled", true);
    const { version } = document;
    const heat = wanted ? await this.ask(document.uri) : [];
    // Lines that were asked for an earlier text may lie elsewhere by now.
    if (document.isClosed || document.version !== version) return;
    const byStep = linesByStep(heat);
    this.drawn.set(document.uri.toString(), byStep);
    for (const [step, lines] of byStep) {
      const type = this.types.get(step);
      if (type === undefined) continue;
      const ranges = lines
        .filter((line) => line <= document.lineCount)
        .map((line) => new vscode.Range(line - 1, 0, line - 1, 0));
      editor.setDecorations(type, ranges);
    }
  }

  private async ask(uri: vscode.Uri): Promise<readonly HeatLine[]> {
    try {
      return (await this.server.request<HeatLine[] | null>(Command.heat, uri.toString())) ?? [];
    } catch (error) {
      this.server.output.debug(`no heat for ${uri.fsPath}: ${String(error)}`);
      return [];
    }
  }
}

function decoration(step: Step): vscode.TextEditorDecorationType {
  const render = (theme: Theme): vscode.ThemableDecorationRenderOptions => ({
    gutterIconPath: vscode.Uri.parse(
      `data:image/svg+xml;base64,${Buffer.from(heatIcon(step, theme)).toString("base64")}`,
    ),
    gutterIconSize: "contain",
    overviewRulerColor: heatColour(step, theme),
  });
  return vscode.window.createTextEditorDecorationType({
    light: render("light"),
    dark: render("dark"),
    overviewRulerLane: vscode.OverviewRulerLane.Right,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
}
