// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What a step computes, where the run counted it (`dryfit run --flops`).

const MOST_SHARES = 12;

function showCompute(compute) {
  byId("compute").hidden = !compute;
  if (!compute) return;
  if (compute.flops === null) {
    byId("compute-lead").textContent = `Not known: ${compute.reason}.`;
    byId("compute-tables").replaceChildren();
    return;
  }
  const amount = element("strong", {}, decimalText(compute.flops, "FLOP"));
  const rest = [stepsText(compute), movedText(compute), uncountedText(compute)].filter(Boolean).join(" ");
  byId("compute-lead").replaceChildren(amount, ` in step ${compute.steps.length}${rest}`);
  const tables = [
    ["By operator", operators(compute), "operator"],
    ["By module", largestModules(compute), "module"],
  ];
  byId("compute-tables").replaceChildren(
    ...tables.map(([title, shares, key]) => sharesTable(title, shares, key, compute.flops)),
  );
}

function stepsText({ steps }) {
  const [low, high] = [Math.min(...steps), Math.max(...steps)];
  if (steps.length < 2) return ".";
  if (low === high) return `, as in all ${steps.length} steps.`;
  return `; between ${decimalText(low, "FLOP")} and ${decimalText(high, "FLOP")} over ${steps.length} steps.`;
}

/** Bytes that kernels read and write, where the run counted them. */
function movedText({ bytes_moved: moved, flops }) {
  return moved
    ? `${decimalText(moved, "B")} read and written: ${(flops / moved).toPrecision(3)} FLOP per byte.`
    : "";
}

function uncountedText({ uncounted }) {
  const names = Object.entries(uncounted ?? {}).map(([operator, times]) => `${operator} (${countText(times)} times)`);
  return names.length > 0 ? `Not counted, because there is no formula: ${names.join(", ")}.` : "";
}

const operators = ({ by_operator: shares }) =>
  Object.entries(shares ?? {}).map(([operator, flops]) => ({ operator, flops }));
/** Largest first; the numbered modules of a list are one, h.*, with how many they are. */
function largestModules({ by_module: shares }) {
  const folding = new Folding((shares ?? []).map(({ module }) => module));
  const folded = new Map();
  for (const { module, flops } of shares ?? []) {
    const name = folding.parts(module).join(".");
    const sum = folded.get(name) ?? { flops: 0, modules: 0 };
    folded.set(name, { flops: sum.flops + flops, modules: sum.modules + 1 });
  }
  const rows = [...folded].map(([name, { flops, modules }]) => ({
    module: modules > 1 ? `${name} (${modules})` : name,
    flops,
  }));
  return rows.sort((a, b) => b.flops - a.flops);
}

function sharesTable(title, shares, key, whole) {
  const table = element("table", {}, element("thead"), element("tbody"));
  const shown = (shares ?? []).slice(0, MOST_SHARES);
  const rest = (shares ?? []).slice(MOST_SHARES).reduce((sum, { flops }) => sum + flops, 0);
  const rows = shown.map((share) => [share[key] || "(no module)", share.flops]);
  if (rest > 0) rows.push([`${shares.length - MOST_SHARES} more`, rest]);
  const gauge = (flops) =>
    element("span", { class: "gauge", style: `width: ${(100 * flops) / whole}%`, "aria-hidden": "true" });
  fillTable(
    table,
    [
      [key, "wrap"],
      ["FLOP", "number"],
      ["share", "number"],
      ["", "gauge-cell"],
    ],
    rows.map(([name, flops]) => [breakable(name), decimalText(flops, "FLOP"), shareText(flops, whole), gauge(flops)]),
  );
  return element("div", {}, element("h3", {}, title), table);
}
