// What the tests do in the report view.

async function opened(bench, report) {
  await bench.open(report);
  const frame = await bench.webview("#report[aria-busy=false] h1, #report[aria-busy=false] [role=alert]");
  await bench.page.waitForTimeout(400);
  return frame;
}

async function rows(frame, section) {
  return frame.locator(`#${section} tbody tr`).evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );
}

/** Everything a reader finds in the view. */
export async function reportView(bench, { report, picture }) {
  const frame = await opened(bench, report);
  const canvases = await frame.locator("canvas").evaluateAll((all) =>
    all.map((canvas) => {
      const { width, height } = canvas;
      const pixels = canvas.getContext("2d").getImageData(0, 0, width, height).data;
      const colours = new Set();
      for (let at = 0; at < pixels.length; at += 4) {
        if (pixels[at + 3] === 255) colours.add(`${pixels[at]},${pixels[at + 1]},${pixels[at + 2]}`);
      }
      return { label: canvas.getAttribute("aria-label"), width, height, colours: colours.size };
    }),
  );
  const seen = {
    title: await frame.locator("h1").innerText(),
    headings: await frame.locator("h2").allInnerTexts(),
    problems: await frame.locator(".problems li").allInnerTexts(),
    kernels: await rows(frame, "kernels"),
    findings: await frame.locator("#findings article").allInnerTexts(),
    lines: await rows(frame, "lines"),
    canvases,
    errors: bench.errors.filter((text) => /Content.Security.Policy|Uncaught|TypeError/i.test(text)),
    policy: await frame.locator("meta[http-equiv]").getAttribute("content"),
    scripts: await frame.locator("script").evaluateAll((all) => all.map((script) => script.src)),
  };
  if (picture) {
    await bench.page.keyboard.press("Control+B");
    await bench.page.waitForTimeout(800);
    await bench.picture(picture);
    await bench.page.keyboard.press("Control+B");
  }
  return seen;
}

/** Chooses a kernel and says what is left of the findings; by keyboard alone. */
export async function chooseKernel(bench, { report, kernel }) {
  const frame = await opened(bench, report);
  await frame.locator("#kernels button", { hasText: kernel }).first().focus();
  await bench.page.keyboard.press("Enter");
  await frame.locator(`#kernels button[aria-pressed=true]`).waitFor();
  const findings = await frame.locator("#findings article .where").allInnerTexts();
  const focused = await frame.evaluate(() => document.activeElement?.textContent);
  await bench.page.keyboard.press("Enter");
  await frame.locator(`#kernels button[aria-pressed=true]`).waitFor({ state: "detached" });
  return { findings, focused, all: await frame.locator("#findings article").count() };
}

/** Follows the link of the first finding and says where the editor came to stand. */
export async function followLink(bench, { report, file }) {
  const frame = await opened(bench, report);
  const link = frame.locator("#findings article .where button").first();
  const text = await link.innerText();
  await link.focus();
  await bench.page.keyboard.press("Enter");
  await bench.page.locator(".tab.active", { hasText: file }).waitFor();
  await bench.page.waitForTimeout(500);
  return { text, line: await bench.currentLine() };
}

/** The view's colours in a theme: text, background and what a chart is drawn with. */
export async function themed(bench, { report, theme, picture }) {
  const frame = await opened(bench, report);
  await bench.page.keyboard.press("Control+K");
  await bench.page.keyboard.press("Control+T");
  const input = bench.page.locator(".quick-input-widget:visible input.input");
  await input.waitFor();
  await input.fill(theme);
  await bench.page.waitForTimeout(300);
  await bench.page.keyboard.press("Enter");
  await bench.page.waitForTimeout(1200);
  const colours = await frame.evaluate(() => {
    const parse = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map(Number);
    const luminance = (colour) =>
      parse(colour)
        .map((channel) => channel / 255)
        .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4))
        .reduce((sum, channel, index) => sum + channel * [0.2126, 0.7152, 0.0722][index], 0);
    const ratio = (a, b) => {
      const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
      return (light + 0.05) / (dark + 0.05);
    };
    const { backgroundColor: background } = getComputedStyle(document.body);
    const texts = [...document.querySelectorAll("h1, h2, td, button.link, .faint, p")];
    const link = getComputedStyle(texts.find((element) => element.matches("button.link")));
    return {
      background,
      // Of the text that stands out least.
      contrast: Math.min(...texts.map((element) => ratio(getComputedStyle(element).color, background))),
      underline: link.textDecorationLine,
    };
  });
  if (picture) await bench.picture(picture);
  return colours;
}

/** The elements that Tab reaches, in order, until it leaves the view. */
export async function tabOrder(bench, { report, most }) {
  const frame = await opened(bench, report);
  await frame.locator("body").click({ position: { x: 5, y: 5 } });
  const reached = [];
  for (let step = 0; step < most; step++) {
    await bench.page.keyboard.press("Tab");
    const here = await frame.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const outline = getComputedStyle(element).outlineStyle;
      return { tag: element.tagName, name: element.getAttribute("aria-label") ?? element.textContent.trim(), outline };
    });
    if (here === null) break;
    reached.push(here);
  }
  return reached;
}

/** The message of a report that cannot be shown. */
export async function reportProblem(bench, { report }) {
  const frame = await opened(bench, report);
  return frame.locator("#report").innerText();
}

/** Explains the first kernel and the first rule from the view; the headings of both pages. */
export async function explainFromView(bench, { report }) {
  const headings = [];
  for (const button of ["#kernels td button", "#findings article .where button[title='Explain this rule']"]) {
    const frame = await opened(bench, report);
    await frame.locator(button).first().click();
    const preview = await bench.webview(".markdown-body h1");
    headings.push(await preview.locator("h1").first().innerText());
    await bench.reset();
  }
  return headings;
}

/** The view's script on a page of its own with data as given: what became of the text in it. */
export async function viewOf({ page, errors }, { script, data, openable }) {
  await page.setContent('<main id="report"></main><div id="said"></div>');
  await page.evaluate(() => {
    window.posted = [];
    window.acquireVsCodeApi = () => ({
      postMessage: (message) => window.posted.push(message),
      getState: () => undefined,
      setState: () => undefined,
    });
  });
  await page.addScriptTag({ path: script });
  await page.evaluate((message) => window.postMessage(message, "*"), { type: "data", data, openable });
  await page.waitForSelector("#report[aria-busy=false]");
  return page.evaluate((seen) => ({
    text: document.querySelector("#report").textContent,
    made: [...document.querySelectorAll("#report *")].map((element) => element.tagName.toLowerCase()),
    handlers: [...document.querySelectorAll("#report *")].filter((element) =>
      [...element.attributes].some(({ name }) => name.startsWith("on")),
    ).length,
    links: [...document.querySelectorAll("#report button")].map((button) => button.textContent),
    cards: document.querySelectorAll("#report article").length,
    ran: window.ran ?? null,
    posted: window.posted,
    errors: seen,
  }), errors);
}
