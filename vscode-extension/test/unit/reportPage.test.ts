import assert from "node:assert/strict";
import { test } from "node:test";
import { policy, reportPage } from "../../src/reportPage";

const parts = { nonce: "bm9uY2U=", cspSource: "https://view.test", script: "https://view.test/a.js", style: "https://view.test/a.css" };

test("nothing is allowed but the script with the nonce and the view's styles", () => {
  const directives = new Map(
    policy(parts)
      .split("; ")
      .map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1)]),
  );
  assert.deepEqual(directives.get("default-src"), ["'none'"]);
  assert.deepEqual(directives.get("script-src"), ["'nonce-bm9uY2U='"]);
  assert.deepEqual(directives.get("style-src"), ["https://view.test"]);
  assert.ok(!policy(parts).includes("unsafe"));
});

test("the page has one script, with the nonce, and no handlers", () => {
  const page = reportPage(parts);
  assert.deepEqual(page.match(/<script[^>]*>/g), ['<script nonce="bm9uY2U=" src="https://view.test/a.js">']);
  assert.doesNotMatch(page, /\son\w+=|style=/);
});
