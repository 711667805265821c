// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Words and numbers for people, and the making of elements. Text reaches the page as text, never as markup.

const [KIB, MIB, GIB] = [2 ** 10, 2 ** 20, 2 ** 30];

/** With so many digits after the point; what lies in the middle goes to the even digit, as in the terminal. */
function fixedText(value, digits) {
  const scaled = value * 10 ** digits;
  const below = Math.floor(scaled);
  const isMiddle = scaled - below === 0.5;
  return ((isMiddle ? below + (below % 2) : Math.round(scaled)) / 10 ** digits).toFixed(digits);
}

/** "7.78 GiB", as the terminal writes it (to_text in src/base/bytes.h). */
function bytesText(bytes) {
  if (bytes >= GIB) return `${fixedText(bytes / GIB, 2)} GiB`;
  if (bytes >= MIB) return `${fixedText(bytes / MIB, bytes >= 100 * MIB ? 0 : 1)} MiB`;
  return bytes >= KIB ? `${fixedText(bytes / KIB, 1)} KiB` : `${bytes} B`;
}

const COUNT = new Intl.NumberFormat("en-US");
const countText = (count) => COUNT.format(count);

/** "1 tensor", "2 tensors". */
const pluralText = (count, word) => `${countText(count)} ${word}${count === 1 ? "" : "s"}`;

function shareText(part, whole) {
  if (!whole || !part) return "";
  const share = (100 * part) / whole;
  return share < 1 ? "<1 %" : `${Math.round(share)} %`;
}

const PREFIXES = ["", "k", "M", "G", "T", "P", "E"];

/** "1.57 TFLOP" for (1.57e12, "FLOP"). */
function decimalText(value, unit) {
  let prefix = 0;
  while (value >= 1000 && prefix + 1 < PREFIXES.length) {
    value /= 1000;
    ++prefix;
  }
  return `${prefix === 0 && Number.isInteger(value) ? value : value.toPrecision(3)} ${PREFIXES[prefix]}${unit}`;
}

/** Numbers stay with their units where lines break. */
const unbroken = (text) => text.replace(/(\d) (?=(?:[KMG]i)?B\b|%)/g, "$1\u00a0");

/** A dotted or slashed name, or one_with_several_words, that breaks after its parts and not within them. */
function breakable(name) {
  return name.split(/(?<=[./_])/).flatMap((part, k) => (k === 0 ? [part] : [element("wbr"), part]));
}

/** "try `dryfit run`" with what is between backticks as code. */
function withCode(text) {
  return text.split("`").map((part, k) => (k % 2 === 1 ? element("code", {}, part) : part));
}

/** "step 2, backward"; "loading" before the first step. */
function placeText(step, phase) {
  if (step === 0) return phase === "load" || !phase ? "loading" : `before step 1, ${phase}`;
  return phase && phase !== "other" ? `step ${step}, ${phase}` : `step ${step}`;
}

/** "in step 2, backward"; "while loading". */
function atText(step, phase) {
  const place = placeText(step, phase);
  return step > 0 ? `in ${place}` : place === "loading" ? "while loading" : place;
}

/** The end of a path that still identifies the file. */
function shortPath(path) {
  const parts = path.split("/");
  const packages = Math.max(parts.lastIndexOf("site-packages"), parts.lastIndexOf("dist-packages"));
  if (packages >= 0) return parts.slice(packages + 1).join("/");
  return parts.slice(-2).join("/");
}

const byId = (id) => document.getElementById(id);

/** An element with attributes and children; a key that begins with "on" is a listener. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function fillTable(table, head, rows) {
  const cell = (tag, content, className) =>
    element(tag, { class: className, scope: tag === "th" ? "col" : null }, ...[content].flat());
  table.tHead.replaceChildren(element("tr", {}, ...head.map(([text, kind]) => cell("th", text, kind))));
  const body = rows.map((row) => element("tr", {}, ...row.map((content, i) => cell("td", content, head[i][1]))));
  table.tBodies[0].replaceChildren(...body);
}

/** Tables that few look at are made when they are. */
function fillWhenOpened(details, fill) {
  details.ontoggle = () => details.open && fill();
  if (details.open) fill();
}

const swatch = (colour) => element("span", { class: "swatch", style: `background: ${colour}`, "aria-hidden": "true" });

/** Calls `work` once before the next frame, however often it is requested. */
function oncePerFrame(work) {
  let requested = false;
  return () => {
    if (requested) return;
    requested = true;
    requestAnimationFrame(() => {
      requested = false;
      work();
    });
  };
}
