// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The answer for the card that is looked at, and all cards side by side, out of the verdict as docs/json.md has it.

const ANSWERS = {
  fits: { sign: "✔", text: "fits", kind: "good" },
  tight: { sign: "✔", text: "fits, tight", kind: "doubtful" },
  "does-not-fit": { sign: "✘", text: "does not fit", kind: "bad" },
  "cannot-tell": { sign: "?", text: "cannot tell", kind: "unsure" },
};

function answerElement(result) {
  const { sign, text, kind } = ANSWERS[result.verdict] ?? ANSWERS["cannot-tell"];
  return element("span", { class: kind }, `${sign} ${text}`);
}

const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "");

function oomText({ requested_bytes: requested, device_free_bytes: free, step, phase }) {
  return `PyTorch asked for ${bytesText(requested)} more in ${placeText(step, phase)}; ${bytesText(free)} were free.`;
}

/** Who asked for what could not be had. */
function failureText(run) {
  if (!run?.failure) return "";
  const { module, line } = run.failure;
  const owner = [module, lineText(run, line)].filter(Boolean).join(" at ");
  return owner ? `The request came from ${owner}. ` : "";
}

/** The first lines of the page. Without a verdict (a recording from elsewhere) the peak is the headline. */
function showVerdict(result, run) {
  const title = byId("verdict-title");
  if (!result) {
    title.textContent = run
      ? `${bytesText(run.peakAllocated)} allocated at the ${run.peakWord.toLowerCase()}`
      : "Nothing was recorded";
    byId("verdict-lead").textContent = run && run.card ? `Recorded on ${run.card}.` : "A recording without a verdict.";
    byId("device").hidden = true;
    byId("limits").hidden = true;
    return;
  }
  title.replaceChildren(
    answerElement(result),
    ` ${result.verdict === "cannot-tell" ? "for" : "on"} ${result.card_name ?? result.card}`,
  );
  const lead = [];
  if (result.device_peak_bytes !== null) {
    lead.push(
      element("strong", {}, bytesText(result.device_peak_bytes)),
      ` of ${bytesText(result.capacity_bytes)} in use at the peak`,
    );
    if (result.peak_at) lead.push(`, in ${placeText(result.peak_at.step, result.peak_at.phase)}`);
    if (result.headroom_bytes > 0 && result.verdict !== "does-not-fit")
      lead.push(`; ${bytesText(result.headroom_bytes)} are left`);
    lead.push(". ");
  }
  if (result.oom) lead.push(oomText(result.oom), " ", failureText(run));
  else if (result.reason) lead.push(sentence(result.reason), " ");
  if (result.hint) lead.push(sentence(result.hint));
  byId("verdict-lead").replaceChildren(...lead);
  byId("caveats").replaceChildren(
    ...result.caveats.filter(({ text }) => text !== result.reason).map(({ text }) => element("li", {}, sentence(text))),
  );
  showLimits(result);
  showDevice(result, run);
}

/** The memory that the job can be limited to. Verdicts of older versions have none. */
function showLimits({ limits }) {
  byId("limits").hidden = !limits;
  if (!limits) return;
  const how = limits.obtained === "replay" ? "by replay" : "by dry runs";
  const cap = (name) => {
    const fraction = limits[`${name}_cap_fraction`];
    const size = bytesText(limits[`${name}_cap_bytes`]);
    return fraction === null ? size : `${size} (fraction ${fraction.toFixed(4)})`;
  };
  const bound = limits.upper_bound_because ? `, an upper bound: ${limits.upper_bound_because}` : "";
  byId("limits").textContent =
    `Limits, ${how}: request ${bytesText(limits.to_request_bytes)} of the GPU to run as when alone. ` +
    `PyTorch needs no retry with a cap of ${cap("comfortable")}, and runs with ${cap("least")}${bound}.`;
}

/** The card from end to end: categories, cached, outside PyTorch, left. */
function showDevice(result, run) {
  const parts = deviceParts(result, run);
  byId("device").hidden = parts.length === 0 || !result.capacity_bytes;
  if (byId("device").hidden) return;
  const used = parts.reduce((sum, part) => sum + part.bytes, 0);
  const left = Math.max(0, result.capacity_bytes - used);
  const whole = Math.max(result.capacity_bytes, used);
  if (left > 0) parts.push({ label: "left", bytes: left, colour: "var(--c-free)" });
  const width = ({ bytes, colour }) =>
    element("span", { style: `width: ${(100 * bytes) / whole}%; background: ${colour}` });
  byId("device-bar").replaceChildren(...parts.map(width));
  byId("device-bar").setAttribute(
    "aria-label",
    `The card's memory: ${parts.map(({ label, bytes }) => `${label} ${bytesText(bytes)}`).join(", ")}`,
  );
  byId("device-key").replaceChildren(
    ...parts.map(({ label, bytes, colour }) =>
      element("li", {}, swatch(colour), `${label} `, element("b", {}, bytesText(bytes))),
    ),
  );
}

function deviceParts(result, run) {
  const parts = [];
  if (run) {
    run.categories.forEach(({ key, label }, c) =>
      parts.push({ label, bytes: run.peakCategories[c], colour: `var(--c-${key})` }),
    );
    parts.push({ label: "cached, free", bytes: run.peakReserved - run.peakAllocated, colour: "var(--c-cached)" });
  } else if (result.peak_breakdown?.torch_reserved_bytes) {
    parts.push({ label: "PyTorch", bytes: result.peak_breakdown.torch_reserved_bytes, colour: "var(--c-parameters)" });
  }
  parts.push({ label: "outside PyTorch", bytes: outsideOf(result), colour: "var(--c-outside)" });
  parts.push({ label: "held more at another time", bytes: heldMore(result, parts), colour: "var(--c-other)" });
  return parts.filter(({ bytes }) => bytes > 0);
}

/** Most can be allocated at one moment and most be held at another; of a failure the moment is what it is. */
function heldMore(result, parts) {
  if (result.device_peak_bytes === null || result.verdict === "does-not-fit") return 0;
  return result.device_peak_bytes - parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Context, libraries and kernel code. */
function outsideOf({ outside_torch: outside }) {
  return (outside.context_bytes ?? 0) + (outside.libraries_bytes ?? 0) + (outside.code_bytes ?? 0);
}

function showCards(results) {
  byId("cards").hidden = results.length === 0;
  const size = (bytes) => (bytes === null || bytes === undefined ? "–" : bytesText(bytes));
  const head = [
    ["card"],
    ["verdict"],
    ["at the peak", "number"],
    ["of", "number"],
    ["left", "number"],
    ["PyTorch reserved", "number"],
    ["allocated", "number"],
    ["outside", "number"],
    ["peak in"],
    ["steps", "number"],
  ];
  const rows = results.map((result) => [
    [element("strong", {}, result.card), cardBar(result)],
    element("span", { class: "nowrap" }, answerElement(result)),
    size(result.device_peak_bytes),
    size(result.capacity_bytes),
    result.verdict === "does-not-fit" || result.headroom_bytes === null ? "–" : size(result.headroom_bytes),
    size(result.torch.peak_reserved_bytes),
    size(result.torch.peak_allocated_bytes),
    result.outside_torch.context_bytes === null ? "–" : bytesText(outsideOf(result)),
    element("span", { class: "nowrap" }, result.peak_at ? placeText(result.peak_at.step, result.peak_at.phase) : "–"),
    countText(result.steps),
  ]);
  const table = byId("cards").querySelector("table");
  fillTable(table, head, rows);
  [...table.tBodies[0].rows].forEach((row, i) => {
    const text = dependsText(results[i]);
    if (!text) return;
    row.classList.add("explained");
    row.after(element("tr", { class: "reason" }, element("td", { colspan: head.length }, text)));
  });
}

/** Why it is not a plain fit; empty for that. */
function dependsText(result) {
  if (result.oom) return oomText(result.oom);
  if (result.verdict !== "fits" && result.reason) return sentence(result.reason);
  return result.caveats.length > 0 ? sentence(result.caveats[0].text) : "";
}

function cardBar(result) {
  if (!result.capacity_bytes || result.device_peak_bytes === null) return "";
  const outside = outsideOf(result);
  const part = (kind, bytes) =>
    element("span", { class: kind, style: `width: ${Math.min(100, (100 * bytes) / result.capacity_bytes)}%` });
  return element(
    "span",
    { class: "card-bar", "aria-hidden": "true" },
    part("torch", result.device_peak_bytes - outside),
    part("outside", outside),
  );
}
