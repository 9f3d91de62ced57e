// Elements made without markup: text is always set as text, so nothing of a report is interpreted.

type Child = Node | string | null | undefined | false;
type Value = string | number | boolean | ((event: Event) => void) | undefined;

/** `h("button", { class: "link", onclick: open }, "line 22")`; functions become listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, Value>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name.replace(/^on/, ""), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  return h(
    "section",
    { "aria-labelledby": `${id}-title`, id },
    h("h2", { id: `${id}-title`, tabindex: -1 }, title),
    ...children,
  );
}

/** A table that scrolls sideways by itself and can be reached by keyboard for that. */
export function table(
  label: string,
  head: readonly { text: string; numeric?: boolean }[],
  rows: readonly HTMLTableRowElement[],
): HTMLElement {
  return h(
    "div",
    { class: "scroll", role: "region", "aria-label": label, tabindex: 0 },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, label),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...head.map(({ text, numeric }) => h("th", { scope: "col", class: numeric ? "number" : undefined }, text)),
        ),
      ),
      h("tbody", {}, ...rows),
    ),
  );
}

export function cell(text: string | Node, numeric = false): HTMLTableCellElement {
  return h("td", { class: numeric ? "number" : undefined }, text);
}
