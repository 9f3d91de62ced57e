// The colours of VS Code's theme for what is drawn on a canvas, where CSS does not reach.
export interface Colours {
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly background: string;
  readonly series: readonly string[];
}

const series = ["blue", "orange", "green", "purple", "red", "yellow"];

export function colours(): Colours {
  const style = getComputedStyle(document.body);
  const get = (name: string, fallback: string): string =>
    style.getPropertyValue(`--vscode-${name}`).trim() || fallback;
  const text = get("foreground", style.color);
  return {
    text,
    faint: get("descriptionForeground", text),
    line: get("contrastBorder", get("panel-border", get("widget-border", text))),
    background: get("editor-background", "transparent"),
    series: [...series.map((name) => get(`charts-${name}`, text)), get("descriptionForeground", text)],
  };
}

/** VS Code marks the theme on the body and its variables on the root. */
export function onThemeChange(action: () => void): void {
  new MutationObserver(action).observe(document.body, {
    attributes: true,
    attributeFilter: ["class", "data-vscode-theme-id"],
  });
}
