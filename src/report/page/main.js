// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// Puts the parts together, for one GPU at a time.

const colours = new Colours();
let redraw = () => {}; // everything that depends on size and theme

function matchesOf(state, search) {
  state.matches = search.matcher(state.search);
}

function sayFound(state) {
  if (!state.matches) {
    byId("found").textContent = "";
    return;
  }
  const found = state.living.filter(state.matches);
  const bytes = found.reduce((sum, i) => sum + state.run.bytes[i], 0);
  const share = shareText(bytes, state.timeline.total[state.moment]);
  byId("found").textContent = found.length
    ? `Found ${bytesText(bytes)} in ${pluralText(found.length, "tensor")} (${share})`
    : "Nothing found";
}

function connectViews(state) {
  const radios = [...document.querySelectorAll('[role="radio"]')];
  const choose = (view) => {
    for (const radio of radios) {
      radio.setAttribute("aria-checked", String(radio.dataset.view === view));
      radio.tabIndex = radio.dataset.view === view ? 0 : -1;
    }
    state.change({ view, frame: null });
  };
  for (const radio of radios) {
    radio.onclick = () => choose(radio.dataset.view);
    radio.onkeydown = (event) => {
      if (!event.key.startsWith("Arrow")) return;
      event.preventDefault();
      const other = radios.find((each) => each !== radio);
      choose(other.dataset.view);
      other.focus();
    };
  }
  choose(state.view);
}

function connectFold(state, paths) {
  const button = byId("fold");
  const show = () => {
    paths.fold(state.folded);
    button.setAttribute("aria-pressed", String(state.folded));
    button.hidden = state.view !== "module";
  };
  button.onclick = () => state.change({ folded: !state.folded, frame: null });
  state.listen(["folded", "view"], show);
  show();
}

function connectSearch(state, search) {
  const field = byId("search");
  field.value = "";
  field.oninput = () => state.change({ search: field.value });
  field.onkeydown = (event) => {
    if (event.key === "Escape") state.change({ search: "" });
  };
  state.listen(["search"], () => {
    if (field.value !== state.search) field.value = state.search;
    matchesOf(state, search);
  });
}

function addRunFacts(run, timeline) {
  run.peakAllocated = timeline.total[run.peak] ?? 0;
  run.peakReserved = timeline.reservedAt(run.peak) ?? run.peakAllocated;
  run.peakCategories = run.events ? timeline.stackAt(run.peak) : new Float64Array(run.categories.length);
  run.peakWord = run.failure ? "Failure" : "Peak";
  run.peakLiving = timeline.livingAt(run.peak);
  run.unknownBytes = run.peakCategories[run.categories.findIndex(({ key }) => key === "unknown")] ?? 0;
}

/** The parts that show one run; each draws itself again when what it shows has changed. */
function showRun(run, timeline, limits) {
  const state = new State(run, timeline);
  const paths = new Paths(run);
  const search = new Search(run);
  const chart = new Chart(state, colours, limits);
  const legend = new Legend(state, colours);
  const flame = new Flame(state, paths);
  const tensors = new Tensors(state, paths);
  const segments = new Segments(state, colours);
  matchesOf(state, search);
  connectSearch(state, search);
  connectViews(state);
  connectFold(state, paths);
  const control = new ChartControl(chart, state, (event) => legend.show(event));
  state.listen(["range", "moment", "category"], () => chart.draw());
  state.listen(["moment", "category"], () => legend.show(chart.hovered));
  if (failsEarly(run, timeline)) control.showPeakStep();
  connectGrouping(state);
  const shown = ["moment", "category", "view", "folded", "frame", "search"];
  state.listen(shown, () => flame.draw());
  state.listen([...shown, "grouped"], () => tensors.draw());
  state.listen(["moment", "search"], () => sayFound(state));
  for (const id of ["memory", "owners", "tensors"]) byId(id).hidden = false;
  byId("segments").hidden = run.segments.length === 0;
  chart.canvas.setAttribute("aria-label", chartLabel(state));
  fillWhenOpened(byId("chart-table"), () => fillChartTable(state));
  tensors.draw();
  redraw = () => {
    chart.drawSoon();
    flame.drawSoon();
    segments.drawSoon();
  };
  redraw();
}

/** A failure in loading or in the first step, which later steps cannot be compared with. */
const failsEarly = (run, timeline) => run.failure !== null && timeline.placeAt(run.peak).step <= 1;

function connectGrouping(state) {
  const button = byId("group");
  const show = () => button.setAttribute("aria-pressed", String(state.grouped));
  button.onclick = () => state.change({ grouped: !state.grouped });
  state.listen(["grouped"], show);
  show();
}

/** A change of GPU makes new parts: elements that hold listeners of the old ones are put in anew. */
function dropListeners() {
  for (const id of ["canvas", "overview", "flame", "segment-map"]) byId(id).replaceWith(byId(id).cloneNode(false));
}

/** What PyTorch can have of the GPU and what it failed to get; null: unknown. */
function limitsOf(result, run) {
  return {
    capacity: result?.capacity_bytes ? result.capacity_bytes - outsideOf(result) : null,
    failed: result?.oom?.requested_bytes ?? run.failure?.requested ?? null,
  };
}

async function showCard(verdict, result, payload) {
  const run = payload ? await openPayload(payload.textContent) : null;
  const timeline = run ? new Timeline(run) : null;
  if (run) addRunFacts(run, timeline);
  showVerdict(result, run, verdict?.results ?? []);
  showConditions(verdict, result, run);
  dropListeners();
  for (const id of ["memory", "owners", "tensors", "segments"]) byId(id).hidden = true;
  if (run && run.events > 0) showRun(run, timeline, limitsOf(result, run));
  else redraw = () => {};
}

function connectCards(verdict, results, payloads) {
  const sorted = failuresFirst(results);
  const ids = results.length > 0 ? sorted.map(({ card }) => card) : payloads.map(({ dataset }) => dataset.card);
  const select = byId("card");
  select.replaceChildren(...ids.map((id) => element("option", { value: id }, id)));
  byId("card-choice").hidden = ids.length < 2 || results.length > 0; // of results there is the strip
  const show = (id) => {
    select.value = id;
    markChosen(id);
    return showCard(
      verdict,
      results.find(({ card }) => card === id) ?? null,
      payloads.find(({ dataset }) => dataset.card === id) ?? null,
    );
  };
  select.onchange = () => show(select.value);
  showStrip(results, show);
  const wanted = [namedInAddress(), document.querySelector("main").dataset.opensWith];
  return show(wanted.find((id) => ids.includes(id)) ?? ids[0]);
}

/** report.html#gpu=a100-40gb opens with that GPU. */
const namedInAddress = () => new URLSearchParams(location.hash.slice(1)).get("gpu");

/** Heights change with every choice, and nothing is drawn by them. */
function onWidthChange(changed) {
  let width = document.body.clientWidth;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    changed();
  }).observe(document.body);
}

async function main() {
  const verdict = JSON.parse(byId("verdict-data").textContent);
  const results = verdict?.results ?? [];
  const payloads = [...document.querySelectorAll("script[data-card]")];
  byId("version").textContent = verdict?.dryfit ?? "";
  const words = (verdict?.command ?? []).map((word) => element("span", { class: "word" }, word));
  byId("command").replaceChildren(...words.flatMap((word, k) => (k === 0 ? [word] : [" ", word])));
  themeButton(byId("theme"), () => {
    colours.refresh();
    redraw();
  });
  onWidthChange(() => redraw());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, select")) return;
    event.preventDefault();
    byId("search").focus();
  });
  showCards(results);
  showCompute(verdict?.compute);
  await connectCards(verdict, results, payloads);
  document.documentElement.dataset.ready = "true";
}

main().catch((error) => {
  byId("trouble").hidden = false;
  byId("trouble").textContent = `This page could not be drawn: ${error.message}`;
  throw error;
});
