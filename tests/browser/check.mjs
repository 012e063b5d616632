// What Chromium, axe-core and html-validate say of pages on this disk, as JSON on standard output.
//
//     node check.mjs CHROMIUM PAGE.html …
//
// Every page is opened from its file, as its reader does, light and dark, wide and as narrow as a
// telephone. What is printed is judged by the tests in test_page.py.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { FileSystemConfigLoader, HtmlValidate } from "html-validate";
import puppeteer from "puppeteer-core";

const AXE = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"];
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const SWITCHES = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// axe is put in through the debugger, which a page's own policy does not stop; it is no script of the page.
async function violations(page) {
  await page.evaluate(AXE);
  const { violations: found, incomplete, passes } = await page.evaluate(
    (values) => axe.run(document, { runOnly: { type: "tag", values } }),
    TAGS,
  );
  const named = (one) => ({
    rule: one.id,
    nodes: one.nodes.slice(0, 5).map((node) => `${node.target.join(" ")}: ${node.failureSummary ?? ""}`),
    count: one.nodes.length,
    outside: one.nodes
      .filter((node) => !node.html.startsWith("<text"))
      .map((node) => ({ html: node.html.slice(0, 200), at: node.target.join(" "), why: node.any[0]?.data?.messageKey ?? "" })),
  });
  return { violations: found.map(named), incomplete: incomplete.map(named), passes: passes.length };
}

// What is as wide as the page is judged by the root; what sticks out of it is named.
function measure() {
  const root = document.documentElement;
  const inBox = (element) => {
    for (let up = element.parentElement; up; up = up.parentElement)
      if (getComputedStyle(up).overflowX !== "visible") return true;
    return false;
  };
  const beyond = [...document.body.querySelectorAll("*")].filter(
    (one) => one.getBoundingClientRect().right > root.clientWidth + 1 && !inBox(one),
  );
  return {
    scroll: root.scrollWidth,
    client: root.clientWidth,
    beyond: beyond.slice(0, 5).map((one) => `${one.tagName}.${one.className} #${one.id}`),
  };
}

// Contrast of the text in charts, which axe leaves open: its colour against the last shape drawn
// below its middle, or the page (WCAG 2.2, contrast ratio and relative luminance).
function contrasts() {
  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const over = (top, share, below) => below.map((value, at) => share * top[at] + (1 - share) * value);
  const page = channels(getComputedStyle(document.body).backgroundColor).slice(0, 3);
  const below = (text) => {
    const box = text.getBoundingClientRect();
    const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
    let ground = page;
    for (const shape of text.ownerSVGElement.querySelectorAll("rect, path, circle")) {
      if (shape.closest("clipPath") || !(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
      const style = getComputedStyle(shape);
      if (style.fill !== "none" && shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse())))
        ground = over(channels(style.fill), Number(style.fillOpacity), ground);
    }
    return ground;
  };
  const said = [...document.querySelectorAll(".chart svg text")].map((text) => {
    const style = getComputedStyle(text);
    const ground = below(text);
    const ink = over(channels(style.fill), Number(style.fillOpacity), ground);
    const [low, high] = [luminance(ink), luminance(ground)].sort((a, b) => a - b);
    return { ratio: (high + 0.05) / (low + 0.05), text: text.textContent, ink, ground };
  });
  return { count: said.length, poor: said.filter((one) => one.ratio < 4.5).slice(0, 8) };
}

function drawn() {
  const charts = JSON.parse(document.getElementById("charts")?.textContent ?? "[]");
  return document.querySelectorAll(".chart > [role=img] svg").length >= charts.length;
}

async function open(browser, url, scheme, viewport, log) {
  const page = await browser.newPage();
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) log.requests.push(request.url());
  });
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) log.console.push(message.text());
  });
  page.on("pageerror", (error) => log.console.push(String(error)));
  await page.setViewport(viewport);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(url, { waitUntil: "networkidle0", timeout: 120_000 });
  await page.waitForFunction(drawn, { timeout: 120_000 }); // a page with live charts has drawn them
  return page;
}

async function look(browser, file) {
  const url = pathToFileURL(file).href;
  const log = { requests: [], console: [] };
  const said = { file, axe: {}, widths: {}, ground: {}, contrasts: {} };
  for (const scheme of ["light", "dark"]) {
    const page = await open(browser, url, scheme, WIDE, log);
    said.widths[scheme] = await page.evaluate(measure);
    said.ground[scheme] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    said.contrasts[scheme] = await page.evaluate(contrasts);
    said.drawn = await page.evaluate(() => document.querySelectorAll("canvas, .chart svg").length);
    said.fonts = await page.evaluate(() => [...document.fonts].map((one) => `${one.family} ${one.status}`));
    said.axe[scheme] = await violations(page);
    await page.close();
  }
  const page = await open(browser, url, "light", NARROW, log);
  said.widths.narrow = await page.evaluate(measure);
  await page.close();
  return { ...said, ...log };
}

async function validated(validator, file) {
  const report = await validator.validateFile(file);
  return report.results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, line, column }) => ({ ruleId, message, line, column })),
  );
}

const [chromium, ...files] = process.argv.slice(2);
// End tags that HTML does without are left out of tables and lists (HTML, section 13.1.2.4), and quotes around the value
// of the heads of rows (13.1.2.3), of which there are thousands: matters of style, on which html-validate's own preset for
// what the standard asks, "html-validate:standard", has no rule either.
const rules = { "no-implicit-close": "off", "attr-quotes": "off" };
const loader = new FileSystemConfigLoader({ root: true, extends: ["html-validate:recommended"], rules });
const validator = new HtmlValidate(loader);
const browser = await puppeteer.launch({ executablePath: chromium, headless: true, args: SWITCHES, protocolTimeout: 600_000 });
try {
  const said = [];
  for (const file of files)
    said.push({ ...(await look(browser, file)), html: await validated(validator, file) });
  process.stdout.write(JSON.stringify(said));
} finally {
  await browser.close();
}
