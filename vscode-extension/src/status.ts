// One status item: report, kernels, lines matched, stale or not.
import * as vscode from "vscode";
import type { Server } from "./server";
import { statusView } from "./statusText";

export function statusItem(server: Server): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("gpuadvisor.status", vscode.StatusBarAlignment.Left, 0);
  item.name = "GPU Advisor";
  item.command = "gpuadvisor.client.showMenu";
  const subscription = server.onStatus((status) => {
    const view = statusView(status);
    if (view === undefined) {
      item.hide();
      return;
    }
    item.text = view.text;
    item.tooltip = view.tooltip;
    item.backgroundColor = view.warning
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    item.show();
  });
  return vscode.Disposable.from(item, subscription);
}
