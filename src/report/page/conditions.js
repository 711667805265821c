// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Under what the numbers hold: software, card, how each was obtained, what was assumed, what was imperfect.

function showConditions(verdict, result, run) {
  const lists = [
    softwareList(verdict, result, run),
    originList(result, run),
    assumedList(result),
    imperfectList(result, run),
  ];
  byId("conditions-lists").replaceChildren(...lists.filter(Boolean));
}

function definitions(title, pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "");
  if (known.length === 0) return null;
  return element(
    "div",
    {},
    element("h3", {}, title),
    element("dl", {}, ...known.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)])),
  );
}

function sentences(title, texts) {
  if (texts.length === 0) return null;
  return element(
    "div",
    {},
    element("h3", {}, title),
    element("ul", {}, ...texts.map((text) => element("li", {}, text))),
  );
}

function softwareList(verdict, result, run) {
  const software = verdict?.software ?? {};
  return definitions("Software and run", [
    ["Dryfit", verdict?.dryfit],
    ["PyTorch", software.torch ?? run?.torch],
    ["CUDA", software.cuda],
    ["cuDNN", software.cudnn],
    ["Python", software.python],
    ["GPU", result ? `${result.card_name ?? ""} (${result.card})` : run?.card],
    ["steps run", result ? countText(result.steps) : null],
    [
      "took",
      result?.seconds
        ? `${result.seconds.toFixed(1)} s, ${bytesText(result.host_peak_rss_bytes ?? 0)} of host memory`
        : null,
    ],
    ["process", run ? `${run.pid}${run.processes > 1 ? `, the largest of ${run.processes}` : ""}` : null],
  ]);
}

function originList(result, run) {
  const orders = result?.address_orders?.map(({ order, verdict }) => `${order}: ${ANSWERS[verdict].text}`).join(", ");
  const pairs = [...countedPairs(run), ...outsidePairs(result?.outside_torch), ["address orders", orders]];
  return definitions("How the numbers were obtained", pairs);
}

function countedPairs(run) {
  if (!run) return [];
  const unknown = `${bytesText(run.unknownBytes)} at the ${run.peakWord.toLowerCase()}`;
  return [
    ["allocations", `counted: ${countText(run.allocations)} allocations in PyTorch's memory history`],
    [
      "categories",
      run.hasMarks ? "reported by the model and the optimizer" : "unknown: the history has no marks",
    ],
    ["unknown", `${unknown} (${shareText(run.unknownBytes, run.peakAllocated) || "0 %"})`],
  ];
}

function outsidePairs(outside) {
  if (!outside || outside.context_bytes === null) return [];
  return [
    ["CUDA context", `${bytesText(outside.context_bytes)}, estimated; ${outside.source ?? outside.origin}`],
    ["libraries", `${bytesText(outside.libraries_bytes)}, counted`],
    ["kernel code", `${bytesText(outside.code_bytes)}, counted`],
    ["outside PyTorch, total", `${bytesText(outside.low_bytes)} to ${bytesText(outside.high_bytes)}`],
  ];
}

function assumedList(result) {
  if (!result) return null;
  const tuned = result.tuning.map((text) => `chosen by simulated timing: ${text}`);
  return sentences("Assumed, because values are not computed", [...result.assumptions.map(assumptionText), ...tuned]);
}

/** "elements selected by a condition at train.py:42 ×3: 30 of 40". */
function assumptionText({ what, where, times, assumed, of }) {
  const place = where ? ` at ${where}` : "";
  const often = times > 1 ? ` ×${countText(times)}` : "";
  return `${what}${place}${often}${of > 0 ? `: ${countText(assumed)} of ${countText(of)}` : ""}`;
}

function imperfectList(result, run) {
  const met = [...(result?.diagnostics ?? []), ...(run?.diagnostics ?? [])];
  const texts = met.map(({ name, count }) => `${name}: ${countText(count)}`);
  if (run && !run.fromBeginning) texts.unshift("the recording starts in the middle of the run");
  return sentences("Problems during the run", texts);
}
