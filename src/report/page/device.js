// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// A GPU's memory from end to end as a bar, and the strip of all GPUs. A request that failed goes on from what was in
// use, over the line where the memory ends.

/** The bar of `parts`, as wide as the GPU's memory or, where more was requested, as wide as that. */
function fillBar(bar, parts, capacity) {
  const used = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const whole = Math.max(capacity, used);
  const width = ({ bytes, colour, kind }) =>
    element("span", { class: kind, style: `width: ${(100 * bytes) / whole}%; background: ${colour}` });
  bar.replaceChildren(...parts.map(width));
  if (used > capacity) bar.append(element("i", { class: "limit", style: `left: ${(100 * capacity) / whole}%` }));
}

/** The GPU from end to end: categories, cached, outside PyTorch, what failed or what is left. */
function showDevice(result, run) {
  const parts = deviceParts(result, run);
  byId("device").hidden = parts.length === 0 || !result.capacity_bytes;
  if (byId("device").hidden) return;
  const used = parts.reduce((sum, part) => sum + part.bytes, 0);
  if (result.oom) parts.push(failedPart(result));
  else if (used < result.capacity_bytes) parts.push(freePart(result, result.capacity_bytes - used));
  fillBar(byId("device-bar"), parts, result.capacity_bytes);
  byId("device-bar").setAttribute(
    "aria-label",
    `The GPU's memory, ${bytesText(result.capacity_bytes)}: ` +
      parts.map(({ label, bytes }) => `${label} ${bytesText(bytes)}`).join(", "),
  );
  byId("device-key").replaceChildren(
    ...parts.map(({ label, bytes, colour, kind }) =>
      element("li", { class: kind }, swatch(colour), `${label} `, element("b", {}, bytesText(bytes))),
    ),
  );
}

/** It is headroom only if the job came far enough. */
const freePart = ({ verdict }, bytes) => ({
  label: verdict === "cannot-tell" ? "not used so far" : "headroom",
  bytes,
  colour: "var(--c-free)",
});

const failedPart = ({ oom }) => ({
  label: "failed request",
  bytes: oom.requested_bytes,
  colour: "var(--c-failed)",
  kind: "failed",
});

/** With one part for all categories that are too small to be seen. */
function categoryParts(run, capacity) {
  const parts = run.categories
    .map(({ key, label }, c) => ({ label, bytes: run.peakCategories[c], colour: `var(--c-${key})` }))
    .filter(({ bytes }) => bytes > 0);
  const small = parts.filter(({ bytes }) => bytes < capacity / 100);
  if (small.length < 2) return parts;
  const bytes = small.reduce((sum, part) => sum + part.bytes, 0);
  return [
    ...parts.filter((part) => !small.includes(part)),
    { label: `${small.length} more`, bytes, colour: "var(--c-unknown)" },
  ];
}

function deviceParts(result, run) {
  const parts = [];
  const outside = outsideOf(result);
  if (run) {
    parts.push(...categoryParts(run, result.capacity_bytes ?? 0));
    parts.push({ label: "cached, free", bytes: run.peakReserved - run.peakAllocated, colour: "var(--c-cached)" });
  } else {
    parts.push({ label: "PyTorch", bytes: torchOf(result), colour: "var(--c-parameters)" });
  }
  parts.push({ label: "outside PyTorch", bytes: outside, colour: "var(--c-outside)" });
  parts.push({ label: "higher at another point", bytes: heldMore(result, parts), colour: "var(--c-other)" });
  return parts.filter(({ bytes }) => bytes > 0);
}

/** Most can be allocated at one moment and most be held at another; of a failure the moment is what it is. */
function heldMore(result, parts) {
  if (result.device_peak_bytes === null || result.verdict === "does-not-fit") return 0;
  return result.device_peak_bytes - parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What PyTorch held at the peak or, where a request failed, at that moment. */
function torchOf(result) {
  if (result.oom) return Math.max(0, result.capacity_bytes - result.oom.device_free_bytes - outsideOf(result));
  return result.peak_breakdown?.torch_reserved_bytes ?? 0;
}

/** Context, libraries and kernel code. */
function outsideOf({ outside_torch: outside }) {
  return (outside.context_bytes ?? 0) + (outside.libraries_bytes ?? 0) + (outside.code_bytes ?? 0);
}

const URGENCY = ["does-not-fit", "cannot-tell", "tight", "fits"];

/** As the terminal has them: what fails first, a plain fit last. */
function failuresFirst(results) {
  const urgency = ({ verdict }) => (URGENCY.indexOf(verdict) + URGENCY.length) % URGENCY.length;
  return [...results].sort((a, b) => urgency(a) - urgency(b));
}

/** All GPUs in one look, each a button that shows its run; for a single GPU the verdict says it all. */
function showStrip(results, choose) {
  byId("strip").hidden = results.length < 2;
  byId("strip").replaceChildren(...failuresFirst(results).map((result) => stripButton(result, results, choose)));
}

function markChosen(id) {
  for (const button of byId("strip").children) button.setAttribute("aria-pressed", String(button.dataset.gpu === id));
}

function stripButton(result, results, choose) {
  const { sign, text, kind } = answerOf(result);
  const bar = element("span", { class: "device-bar", "aria-hidden": "true" });
  if (result.verdict !== "cannot-tell" && result.capacity_bytes && result.device_peak_bytes !== null)
    fillBar(bar, stripParts(result, results), result.capacity_bytes);
  return element(
    "button",
    { type: "button", "data-gpu": result.card, "aria-pressed": "false", onclick: () => choose(result.card) },
    element("span", { class: "gpu" }, element("span", { class: kind, title: text }, sign), ` ${result.card}`),
    bar,
    element("span", { class: "margin" }, unbroken(stripText(result, results))),
  );
}

/** As much of the verdict as there is room for. */
function stripText(result, results) {
  const need = needOf(result, results);
  if (need) return `needs ${bytesText(need.bytes)}, has ${bytesText(result.capacity_bytes)}`;
  const margin = marginText(result);
  return result.verdict === "tight" && margin ? `tight: ${margin}` : margin || answerOf(result).text;
}

function stripParts(result, results) {
  const colour = `var(--${answerOf(result).kind})`;
  const outside = { bytes: outsideOf(result), colour: "var(--c-outside)" };
  const need = needOf(result, results);
  if (need) {
    const torch = Math.max(0, result.capacity_bytes - outside.bytes);
    const over = { bytes: need.bytes - result.capacity_bytes, colour: "var(--c-failed)" };
    return [{ bytes: torch, colour }, outside, over];
  }
  const parts = [{ bytes: torchOf(result), colour }, outside];
  return result.oom ? [...parts, failedPart(result)] : parts;
}
