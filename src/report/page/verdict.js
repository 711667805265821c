// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// The answer for the GPU that is looked at, and all GPUs side by side, out of the verdict as docs/json.md has it.

const ANSWERS = {
  fits: { sign: "✔", text: "fits", kind: "good" },
  tight: { sign: "!", text: "fits, tight", kind: "doubtful" },
  "does-not-fit": { sign: "✘", text: "does not fit", kind: "bad" },
  "cannot-tell": { sign: "?", text: "cannot tell", kind: "unsure" },
};

const answerOf = (result) => ANSWERS[result.verdict] ?? ANSWERS["cannot-tell"];
const isFit = ({ verdict }) => verdict === "fits" || verdict === "tight";

function answerElement(result) {
  const { sign, text, kind } = answerOf(result);
  return element("span", { class: kind }, `${sign} ${text}`);
}

const sentence = (text) => (text ? text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".") : "");

/** Bytes of the failed request that were not free; 0 where enough was free, but not in one piece. */
const shortfallOf = ({ oom }) => (oom ? Math.max(0, oom.requested_bytes - oom.device_free_bytes) : 0);

/** By how much it fits or does not; empty where that is unknown. */
function marginText(result) {
  const { headroom_bytes: headroom, capacity_bytes: capacity } = result;
  if (isFit(result) && headroom !== null) {
    if (headroom < 0) return `${bytesText(-headroom)} over`;
    return `${bytesText(headroom)} headroom (${shareText(headroom, capacity) || "0 %"})`;
  }
  const missing = result.verdict === "does-not-fit" ? shortfallOf(result) : 0;
  return missing > 0 ? `at least ${bytesText(missing)} short` : "";
}

/** What the job needs where it has room: known from the smallest GPU on which it ran without running short. */
function needOf(result, results) {
  if (result.verdict !== "does-not-fit") return null;
  const hasRoom = (other) =>
    isFit(other) && other.device_peak_bytes !== null && !other.torch.alloc_retries && !other.torch.ooms;
  const [best] = results.filter(hasRoom).sort((a, b) => a.capacity_bytes - b.capacity_bytes);
  return best && best.device_peak_bytes > result.capacity_bytes ? { bytes: best.device_peak_bytes, on: best } : null;
}

/** How much the GPU lacks, where the job's need is known. */
function missingText(result, results) {
  const need = needOf(result, results);
  return need ? `about ${bytesText(need.bytes - result.capacity_bytes)} short` : "";
}

function failedText(result, run) {
  const { requested_bytes: requested, device_free_bytes: free, step, phase, library } = result.oom;
  const owner = failureOwner(run);
  const place = atText(step, phase) + (owner ? `, for ${owner}` : "");
  return (
    `${library ?? "PyTorch"} failed to allocate ${bytesText(requested)} ${place}; ` +
    `${bytesText(free)} of ${bytesText(result.capacity_bytes)} were free.`
  );
}

/** Module and line of the request that failed; empty where they are unknown. */
function failureOwner(run) {
  if (!run?.failure) return "";
  const { module, line } = run.failure;
  return [module, lineText(run, line)].filter(Boolean).join(" at ");
}

function peakText({ verdict, device_peak_bytes: peak, capacity_bytes: capacity, peak_at: at }) {
  const name = verdict === "cannot-tell" ? "Peak so far:" : "Peak:";
  return `${name} ${bytesText(peak)} of ${bytesText(capacity)}${at ? `, ${atText(at.step, at.phase)}` : ""}.`;
}

/** The first lines of the page. Without a verdict (a recording from elsewhere) the peak is the headline. */
function showVerdict(result, run, results) {
  byId("owners-first").hidden = !run || run.events === 0;
  if (run && run.events > 0) showLargestOwners(run);
  showAdvice(result ? adviceFor(result, run, results) : []);
  const title = byId("verdict-title");
  byId("verdict-margin").textContent = result ? unbroken(missingText(result, results) || marginText(result)) : "";
  if (!result) {
    title.textContent = run
      ? `${bytesText(run.peakAllocated)} allocated at the ${run.peakWord.toLowerCase()}`
      : "Nothing was recorded";
    byId("verdict-lead").textContent = run && run.card ? `Recorded on ${run.card}.` : "A recording without a verdict.";
    byId("device").hidden = true;
    byId("caveats").replaceChildren();
    byId("limits").hidden = true;
    return;
  }
  title.replaceChildren(
    answerElement(result),
    ` ${result.verdict === "cannot-tell" ? "for" : "on"} ${result.card_name ?? result.card}`,
  );
  byId("verdict-lead").textContent = unbroken(leadText(result, run, results));
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
  byId("limits").textContent = unbroken(
    `Limits, ${how}: request ${bytesText(limits.to_request_bytes)} of the GPU to run as when alone. ` +
      `PyTorch needs no retry with a cap of ${cap("comfortable")}, and runs with ${cap("least")}${bound}.`,
  );
}

/** The terminal shows the program's output above the verdict; the page has none. */
const withoutOutput = (reason) => reason.replace("; its own output is above", "");

function leadText(result, run, results) {
  const parts = [];
  const need = needOf(result, results);
  if (result.oom) parts.push(failedText(result, run));
  else if (result.device_peak_bytes !== null) parts.push(peakText(result));
  if (need) parts.push(`The job needs about ${bytesText(need.bytes)}, as ${need.on.obtained} on ${need.on.card}.`);
  if (!result.oom && result.reason) parts.push(sentence(withoutOutput(result.reason)));
  return parts.join(" ");
}

function showCards(results) {
  byId("cards").hidden = results.length < 2;
  const size = (bytes) => (bytes === null || bytes === undefined ? "–" : bytesText(bytes));
  const head = [
    ["GPU"],
    ["verdict"],
    ["device peak", "number"],
    ["of", "number"],
    ["headroom", "number"],
    ["PyTorch reserved", "number"],
    ["allocated", "number"],
    ["outside", "number"],
    ["peak in"],
    ["steps", "number"],
  ];
  const sorted = failuresFirst(results);
  const rows = sorted.map((result) => [
    element("strong", { class: "nowrap" }, result.card),
    element("span", { class: "nowrap" }, answerElement(result)),
    size(result.device_peak_bytes),
    size(result.capacity_bytes),
    isFit(result) && result.headroom_bytes !== null ? size(result.headroom_bytes) : "–",
    size(result.torch.peak_reserved_bytes),
    size(result.torch.peak_allocated_bytes),
    result.outside_torch.context_bytes === null ? "–" : bytesText(outsideOf(result)),
    element("span", { class: "nowrap" }, result.peak_at ? placeText(result.peak_at.step, result.peak_at.phase) : "–"),
    countText(result.steps),
  ]);
  const table = byId("cards").querySelector("table");
  fillTable(table, head, rows);
  [...table.tBodies[0].rows].forEach((row, i) => {
    const text = dependsText(sorted[i]);
    if (!text) return;
    row.classList.add("explained");
    row.after(element("tr", { class: "reason" }, element("td", { colspan: head.length }, text)));
  });
}

/** Why it is not a plain fit; empty for that. */
function dependsText(result) {
  if (result.oom) return failedText(result, null);
  if (result.verdict !== "fits" && result.reason) return sentence(result.reason);
  return result.caveats.length > 0 ? sentence(result.caveats[0].text) : "";
}
