// What the tests do in VS Code. Each takes the window and the test's arguments and returns what was
// seen; the tests judge it.

import { existsSync } from "node:fs";

const squiggle = ".editor-instance .squiggly-warning";

/** Lines with a warning's squiggle, its width and the width of the line's text. */
export async function squiggles(bench, { file, picture }) {
  await bench.openSource(file);
  await bench.page.waitForSelector(squiggle);
  await bench.page.waitForTimeout(300);
  const found = [];
  for (const { line, left, width } of await bench.linesOf(squiggle)) {
    const view = await bench.viewLine(line);
    const perCharacter = view.width / view.text.length;
    const from = Math.round((left - view.x) / perCharacter);
    found.push({ line, text: view.text.slice(from, from + Math.round(width / perCharacter)) });
  }
  if (picture) await bench.picture(picture);
  return found;
}

export async function hover(bench, { file, line, piece, picture }) {
  await bench.openSource(file);
  await bench.page.waitForSelector(squiggle);
  const text = await bench.hover(line, piece);
  const card = bench.page.locator(".monaco-hover:not(.hidden)").first();
  const tables = await card.locator("table").count();
  const links = await card.locator("a[data-href], a[href]").evaluateAll((all) =>
    all.map((link) => link.dataset.href ?? link.getAttribute("href")),
  );
  if (picture) await bench.picture(picture);
  return { text, tables, links };
}

/** Opens the menu of the light bulb on a line, chooses an entry and returns menu, text and squiggles. */
export async function quickFix(bench, { file, line, column, title, picture }) {
  const { page } = bench;
  await bench.openSource(file);
  await page.waitForSelector(squiggle);
  await bench.goto(line, column);
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".action-widget .monaco-list-row");
  await page.waitForTimeout(300);
  const menu = await page.locator(".action-widget .monaco-list-row.action").allInnerTexts();
  if (picture) await bench.picture(picture);
  const wanted = menu.findIndex((entry) => entry.includes(title));
  if (wanted < 0) throw new Error(`no ${title} in ${JSON.stringify(menu)}`);
  const focused = await page.locator(".action-widget .monaco-list-row.action.focused").innerText();
  for (let at = menu.indexOf(focused); at < wanted; at++) await page.keyboard.press("ArrowDown");
  // A click would meet the block that lies over the page while the menu is open.
  await page.keyboard.press("Enter");
  await page.waitForSelector(".action-widget", { state: "hidden" });
  await page.waitForFunction(
    () => document.querySelector(".tab.active")?.classList.contains("dirty"),
  );
  await page.waitForTimeout(800);
  return { menu, text: await bench.documentText(), squiggles: (await bench.linesOf(squiggle)).map(({ line: at }) => at) };
}

/** The lenses with the line below each, and the heading of what a click on the first opens. */
export async function lens(bench, { file }) {
  const { page } = bench;
  await bench.openSource(file);
  const selector = ".editor-instance .codelens-decoration a";
  await page.waitForSelector(selector);
  await page.waitForTimeout(300);
  const texts = await page.locator(selector).allInnerTexts();
  await page.locator(selector).first().click();
  const frame = await bench.webview(".markdown-body h1");
  return { texts, heading: await frame.locator("h1").first().innerText() };
}

/** The lines that carry heat, by the picture in their gutter. */
export async function heat(bench, { file, picture }) {
  await bench.openSource(file);
  const selector = ".editor-instance .glyph-margin-widgets .cgmr, .editor-instance .cgmr";
  await bench.page.waitForSelector(selector).catch(() => undefined);
  await bench.page.waitForTimeout(500);
  const found = await bench.page.evaluate((wanted) => {
    const bars = [];
    for (const element of document.querySelectorAll(wanted)) {
      const image = getComputedStyle(element).backgroundImage;
      const data = /base64,([^"')]+)/.exec(image)?.[1];
      const width = data && /<rect[^>]* width="(\d+)"/.exec(atob(data))?.[1];
      bars.push(width === undefined ? null : Number(width));
    }
    return bars;
  }, selector);
  const lines = await bench.linesOf(selector);
  if (picture) await bench.picture(picture);
  return lines.map(({ line }, index) => ({ line, width: found[index] }));
}

export async function status(bench, { file }) {
  if (file) await bench.openSource(file);
  const item = bench.status();
  await item.waitFor();
  await bench.page.waitForTimeout(300);
  return { text: await item.innerText(), label: await item.locator("[aria-label]").first().getAttribute("aria-label") };
}

/** Presses the key of "next hotspot" a few times and says where the cursor stood after each. */
export async function hotspots(bench, { file, presses, key }) {
  await bench.openSource(file);
  await bench.page.waitForSelector(squiggle);
  const lines = [];
  for (let press = 0; press < presses; press++) {
    await bench.page.keyboard.press(key);
    await bench.page.waitForTimeout(250);
    lines.push(await bench.currentLine());
  }
  return lines;
}

/** What a user without a report or without gpuadvisor sees some time after opening a file. */
export async function quiet(bench, { file, seconds }) {
  await bench.openSource(file);
  await bench.page.waitForTimeout(seconds * 1000);
  return {
    notifications: await bench.notifications(),
    status: await bench.status().count(),
    warnings: await bench.page.locator(squiggle).count(),
  };
}

/** Waits for a notification and returns its text and buttons. */
export async function notification(bench, { file }) {
  if (file) await bench.openSource(file);
  const toast = bench.page.locator(".notification-toast");
  await toast.first().waitFor();
  return {
    texts: await bench.notifications(),
    buttons: await toast.locator(".monaco-button").allInnerTexts(),
  };
}
export * from "./report.mjs";

/** Waits for the result that the tests in the extension host write. */
export async function hostTests(bench, { result, seconds }) {
  const deadline = Date.now() + seconds * 1000;
  while (!existsSync(result)) {
    if (Date.now() > deadline) throw new Error("the tests in the extension host did not end");
    await bench.page.waitForTimeout(200);
  }
}
