// One VS Code window: what a person does and sees there.

const hoverSelector = ".monaco-hover:not(.hidden) .hover-contents";

export class Workbench {
  constructor(page, pathOf) {
    this.page = page;
    this.pathOf = pathOf;
    /** Messages of pages and webviews that Chromium calls errors, such as a broken policy. */
    this.errors = [];
    page.on("console", (message) => {
      if (message.type() === "error") this.errors.push(message.text());
    });
    page.on("pageerror", (error) => this.errors.push(String(error)));
  }

  async load(url) {
    await this.page.goto(url);
    await this.page.waitForSelector(".monaco-workbench", { timeout: 60_000 });
    await this.page.waitForSelector(".explorer-folders-view .monaco-list-row", { timeout: 60_000 });
  }

  async picture(name, options = {}) {
    await this.page.screenshot({ path: this.pathOf(name), ...options });
  }

  /** Back to no editor, nothing dirty, no menu or notification. */
  async reset() {
    await this.page.keyboard.press("Escape");
    while (await this.page.locator(".editor-instance .monaco-editor, .tabs-container .tab").count()) {
      await this.command("Revert and Close Editor");
      await this.page.waitForTimeout(100);
    }
    if (await this.page.locator(".notification-toast").count()) {
      await this.command("Notifications: Clear All Notifications");
    }
    this.errors.length = 0;
  }

  /** By the palette, as a person would. */
  async command(title) {
    const { page } = this;
    await page.keyboard.press("F1");
    const input = page.locator(".quick-input-widget:visible input.input");
    await input.waitFor();
    await input.fill(`>${title}`);
    const row = page.locator(".quick-input-list .monaco-list-row.focused");
    await page.waitForFunction(
      (wanted) => document.querySelector(".quick-input-list .monaco-list-row.focused")?.ariaLabel?.includes(wanted),
      title,
      { timeout: 5000 },
    ).catch(async () => {
      await page.keyboard.press("Escape");
      throw new Error(`no command ${title}`);
    });
    await row.waitFor();
    await page.keyboard.press("Enter");
    await page.waitForTimeout(50);
  }

  async open(file) {
    const { page } = this;
    await page.keyboard.press("Control+P");
    const input = page.locator(".quick-input-widget:visible input.input");
    await input.waitFor();
    await input.fill(file);
    await page.waitForFunction(
      (wanted) => document.querySelector(".quick-input-list .monaco-list-row.focused")?.ariaLabel?.startsWith(wanted),
      file.split("/").at(-1),
    );
    await page.keyboard.press("Enter");
    await page.locator(".tab.active", { hasText: file.split("/").at(-1) }).waitFor();
  }

  /** Opens a text at its beginning, wherever it was left before. */
  async openSource(file) {
    await this.open(file);
    await this.page.waitForSelector(".editor-instance .monaco-editor .view-line");
    await this.page.keyboard.press("Control+Home");
  }

  async goto(line, column = 1) {
    const { page } = this;
    await page.keyboard.press("Control+G");
    const input = page.locator(".quick-input-widget:visible input.input");
    await input.waitFor();
    await input.fill(`:${line}:${column}`);
    await page.waitForTimeout(50);
    await page.keyboard.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  async currentLine() {
    const text = await this.page.locator("#status\\.editor\\.selection").innerText();
    return Number(/Ln (\d+)/.exec(text)?.[1]);
  }

  /** The line numbers that stand at the height of each visible element of a selector. */
  async linesOf(selector) {
    return this.page.evaluate((wanted) => {
      const rows = [...document.querySelectorAll(".editor-instance .margin-view-overlays > div")].map((row) => ({
        top: row.getBoundingClientRect().top,
        line: Number(row.querySelector(".line-numbers")?.textContent ?? NaN),
      }));
      return [...document.querySelectorAll(wanted)].map((element) => {
        const { top, height, left, width } = element.getBoundingClientRect();
        const middle = top + height / 2;
        const row = rows.filter((candidate) => candidate.top <= middle).sort((a, b) => b.top - a.top)[0];
        return { line: row?.line, left, width };
      });
    }, selector);
  }

  /** A line as shown, with where it lies. */
  async viewLine(line) {
    return this.page.evaluate((wanted) => {
      const margin = [...document.querySelectorAll(".editor-instance .margin-view-overlays > div")].find(
        (row) => Number(row.querySelector(".line-numbers")?.textContent) === wanted,
      );
      const top = margin?.getBoundingClientRect().top;
      const view = [...document.querySelectorAll(".editor-instance .view-line")].find(
        (row) => Math.abs(row.getBoundingClientRect().top - top) < 2,
      );
      const box = view?.firstElementChild?.getBoundingClientRect();
      return view && { text: view.textContent.replaceAll("\u00a0", " "), x: box.x, y: box.y, width: box.width, height: box.height };
    }, line);
  }

  /** Holds the mouse over a piece of a line and returns the text of the card that opens. */
  async hover(line, piece) {
    const { page } = this;
    const shown = await this.viewLine(line);
    const index = shown.text.indexOf(piece);
    if (index < 0) throw new Error(`line ${line} is ${shown.text}`);
    const x = shown.x + (shown.width * (index + piece.length / 2)) / shown.text.length;
    const y = shown.y + shown.height / 2;
    await page.mouse.move(x, y - 60);
    await page.mouse.move(x, y);
    await page.mouse.move(x + 2, y);
    await page.waitForSelector(hoverSelector);
    // Contents of several providers come one after the other.
    await page.waitForTimeout(400);
    return (await page.locator(hoverSelector).allInnerTexts()).join("\n");
  }

  async documentText() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll(".editor-instance .view-line")].map((row) => row.textContent.replaceAll("\u00a0", " ")).join("\n"),
    );
  }

  /** The status item of the extension, undefined when there is none. */
  status() {
    return this.page.locator("#gpuadvisor\\.gpuadvisor\\.gpuadvisor\\.status, [id$='gpuadvisor.status']").first();
  }

  async notifications() {
    return this.page.locator(".notification-toast .notification-list-item-message").allInnerTexts();
  }

  /** The frame of the only webview that is open. */
  async webview(selector) {
    const { page } = this;
    const deadline = Date.now() + 20_000;
    while (Date.now() < deadline) {
      for (const frame of page.frames()) {
        if (frame.url().includes("fake.html") || frame.name() === "active-frame" || frame.parentFrame()?.url().includes("webview")) {
          if (await frame.locator(selector).count().catch(() => 0)) return frame;
        }
      }
      await page.waitForTimeout(100);
    }
    throw new Error(`no webview with ${selector}; frames: ${page.frames().map((frame) => frame.url())}`);
  }
}
