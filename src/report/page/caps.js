// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What the job does with less memory, where `dryfit limits` tried it: retries a step by cap, and failures as such.

function showCaps(result) {
  const curves = curvesOf(result);
  byId("caps").hidden = curves.length === 0;
  byId("caps-parts").replaceChildren(...curves.map((curve) => capsPart(curve, result)));
}

/** With the default configuration, and with expandable segments where those need less. */
function curvesOf(result) {
  const { limits } = result ?? {};
  const other = limits?.expandable_segments;
  return [
    { title: "Default", limits },
    { title: "expandable_segments:True", limits: other },
  ].filter((curve) => curve.limits?.curve?.length > 0);
}

function capsPart({ title, limits }, result) {
  const table = element("table", {}, element("thead"), element("tbody"));
  const rows = limits.curve.map((point) => [
    bytesText(point.cap_bytes),
    point.cap_fraction === null ? "" : point.cap_fraction.toFixed(4),
    pointText(limits, point),
    [noteOf(limits, point), point.obtained === "replay" ? "by replay" : "dry run"].filter(Boolean).join(", "),
  ]);
  fillTable(table, [["cap", "number"], ["fraction", "number"], ["retries a step"], [""]], rows);
  return element(
    "div",
    {},
    element("h3", {}, title),
    capsChart(limits, result),
    element("details", {}, element("summary", {}, "As a table"), table),
  );
}

const smaller = ({ curve }, point) => curve.filter(({ cap_bytes: cap }) => cap < point.cap_bytes);

function pointText(limits, point) {
  if (!point.runs) return smaller(limits, point).some(({ runs }) => runs) ? "fails: a hole" : "fails";
  if (point.fails_later) return "fails in later steps";
  const retries = point.retries_per_step;
  return retries === null ? "not known" : retries === 0 ? "none" : String(Number(retries.toPrecision(2)));
}

function noteOf(limits, { cap_bytes: cap }) {
  if (cap === limits.comfortable_cap_bytes) return "comfortable";
  return cap === limits.least_cap_bytes ? "least" : "";
}

/** A column per cap, from the smallest to the largest: as high as its retries, or hatched where the job fails. */
function capsChart(limits, result) {
  const points = [...limits.curve].reverse();
  const most = Math.max(1, ...points.map(({ retries_per_step: retries }) => retries ?? 0));
  const columns = points.map((point) => {
    const share = point.runs && !point.fails_later ? (point.retries_per_step ?? 0) / most : 1;
    const kind = point.fails_later ? "fails" : point.runs ? (point.retries_per_step === null ? "unknown" : "runs") : "fails";
    const mark = noteOf(limits, point);
    const title = `${bytesText(point.cap_bytes)}: ${pointText(limits, point)}${mark ? `, ${mark}` : ""}`;
    return element("i", { class: `${kind} ${mark}`.trim(), style: `height: ${Math.max(3, 100 * share)}%`, title });
  });
  const ends = [points[0], points[points.length - 1]].map(({ cap_bytes: cap }) => bytesText(cap));
  const scale = `up to ${Number(most.toPrecision(2))}, with caps from ${ends[0]} to ${ends[1]}`;
  const label = `Retries a step, ${scale} of ${bytesText(result.capacity_bytes)}`;
  return element(
    "figure",
    { class: "caps-figure" },
    element("div", { class: "caps-chart", role: "img", "aria-label": label }, ...columns),
    element("figcaption", {}, element("span", {}, ends[0]), element("span", {}, "cap"), element("span", {}, ends[1])),
  );
}
