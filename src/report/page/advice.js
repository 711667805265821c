// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//
// What takes the room and what could be done about it, on the first screen.

const MOST_OWNERS = 4;

/** By the kind of memory that takes most. */
const REMEDIES = {
  activations: "a smaller batch, shorter sequences, autocast to bf16, or checkpointing (`torch.utils.checkpoint`)",
  temporaries: "a smaller batch, or a fused implementation of the operators that make them",
  inputs: "a smaller batch, or moving each batch to the GPU when it is needed",
  parameters: "a smaller type (bf16), quantization, or sharding over several GPUs (FSDP)",
  gradients: "training fewer parameters (LoRA), or sharding over several GPUs (FSDP)",
  optimizer_state: "an optimizer with less state (8-bit Adam, SGD), fewer trained parameters (LoRA), or FSDP",
  autocast: "keeping the parameters themselves in bf16, so that autocast makes no copies",
  workspaces: "fewer algorithms to choose from (`torch.backends.cudnn.benchmark = False`)",
};

const list = (texts) => texts.filter(Boolean);

/** What could be done, as sentences; what the verdict itself proposes comes first. */
function adviceFor(result, run, results) {
  if (result.verdict === "cannot-tell") return list([sentence(result.hint)]);
  if (result.verdict === "fits") return list([sentence(result.hint), roomText(result)]);
  return list([elsewhereText(result, results), sentence(result.hint), remedyText(run), scatteredText(result, run)]);
}

function roomText({ headroom_bytes: headroom, capacity_bytes: capacity }) {
  return headroom > capacity / 4 ? "A larger batch or a smaller GPU may fit: try it with `dryfit run`." : "";
}

/** The smallest of the other GPUs on which it fits. */
function elsewhereText(result, results) {
  const hasRoom = (each) => isFit(each) && each.headroom_bytes >= 0;
  const [other] = results.filter(hasRoom).sort((a, b) => a.capacity_bytes - b.capacity_bytes);
  if (result.verdict !== "does-not-fit") return "";
  if (other) return `It fits on ${other.card}, with ${marginText(other)}.`;
  return "Add a larger GPU to `--gpu` to see what the job needs.";
}

function remedyText(run) {
  if (!run || run.peakAllocated === 0) return "";
  const largest = run.peakCategories.indexOf(Math.max(...run.peakCategories));
  const { key, label } = run.categories[largest];
  const share = shareText(run.peakCategories[largest], run.peakAllocated);
  return REMEDIES[key] ? `Largest: ${label}, ${share} of allocated memory. Try ${REMEDIES[key]}.` : "";
}

/** Enough was free or cached, but not in one piece. */
function scatteredText({ oom }, run) {
  if (!oom || !run) return "";
  const cached = run.peakReserved - run.peakAllocated;
  if (oom.device_free_bytes + cached < oom.requested_bytes) return "";
  return (
    `${bytesText(cached)} were cached by PyTorch in pieces that were too small: ` +
    "try `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`, or compare settings with `dryfit replay --sweep`."
  );
}

function showAdvice(texts) {
  byId("advice-first").hidden = texts.length === 0;
  byId("advice").replaceChildren(...texts.map((text) => element("li", {}, ...withCode(unbroken(text)))));
}

/** The modules that hold most at the peak; those of a numbered list are one. */
function showLargestOwners(run) {
  const owners = new Map(); // name → bytes, and bytes by category
  const folding = new Folding([...new Set(run.module)].map((id) => run.names[id]));
  const names = new Map();
  const nameOf = (id) => {
    if (!names.has(id)) names.set(id, run.names[id] ? folding.parts(run.names[id]).join(".") : "(no module)");
    return names.get(id);
  };
  for (const i of run.peakLiving) {
    const name = nameOf(run.module[i]);
    if (!owners.has(name)) owners.set(name, { name, bytes: 0, kinds: new Float64Array(run.categories.length) });
    owners.get(name).bytes += run.bytes[i];
    owners.get(name).kinds[run.category[i]] += run.bytes[i];
  }
  const largest = [...owners.values()].sort((a, b) => b.bytes - a.bytes).slice(0, MOST_OWNERS);
  byId("owners-largest").replaceChildren(...largest.map((owner) => ownerRow(owner, run, largest[0].bytes)));
}

function ownerRow({ name, bytes, kinds }, run, most) {
  const bar = element("span", { class: "owner-bar", "aria-hidden": "true", style: `width: ${(100 * bytes) / most}%` });
  kinds.forEach((part, c) => {
    if (part === 0) return;
    const colour = `var(--c-${run.categories[c].key}, var(--c-unknown))`;
    bar.append(element("span", { style: `width: ${(100 * part) / bytes}%; background: ${colour}` }));
  });
  return element(
    "li",
    {},
    element("span", { class: "owner", title: name }, ...breakable(name)),
    element("span", { class: "number" }, bytesText(bytes)),
    element("span", { class: "share" }, shareText(bytes, run.peakAllocated)),
    bar,
  );
}
