// Brings a line before the reader's eyes.
import * as vscode from "vscode";
import type { Place } from "./protocol";

export async function go({ uri, line }: Place): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const row = Math.min(Math.max(line, 1), document.lineCount) - 1;
  const column = document.lineAt(row).firstNonWhitespaceCharacterIndex;
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  editor.selection = new vscode.Selection(row, column, row, column);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
