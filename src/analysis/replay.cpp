// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/replay.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace dryfit::analysis {
namespace {

void raise(std::optional<Bytes>& highest, Bytes value) { highest = std::max(highest.value_or(Bytes{}), value); }

/// Facts about a device: PyTorch's own numbers, as the hooks report them, and its number in the machine.
using Setter = void (*)(DeviceSummary&, std::uint64_t);
const std::map<std::string, Setter>& device_values() {
  static const std::map<std::string, Setter> setters{
      {"torch.peak_reserved_bytes", [](DeviceSummary& d, std::uint64_t n) { raise(d.torch_peak_reserved, {n}); }},
      {"torch.peak_allocated_bytes", [](DeviceSummary& d, std::uint64_t n) { raise(d.torch_peak_allocated, {n}); }},
      {"torch.reserved_after_load_bytes",
       [](DeviceSummary& d, std::uint64_t n) { d.torch_reserved_after_load = Bytes{n}; }},
      {"torch.alloc_retries", [](DeviceSummary& d, std::uint64_t n) { d.alloc_retries = n; }},
      {"device.slot", [](DeviceSummary& d, std::uint64_t n) { d.slot = static_cast<std::uint32_t>(n); }},
      {"torch.ooms", [](DeviceSummary& d, std::uint64_t n) { d.ooms = std::max(d.ooms, n); }},
  };
  return setters;
}

/// The pid in "process.4242.holds".
std::optional<std::uint32_t> holder_in(std::string_view key) {
  constexpr std::string_view kBegin = "process.", kEnd = ".holds";
  if (!key.starts_with(kBegin) || !key.ends_with(kEnd)) return std::nullopt;
  std::uint32_t pid = 0;
  std::from_chars(key.data() + kBegin.size(), key.data() + key.size() - kEnd.size(), pid);
  return pid;
}

bool reported_by_hooks(const std::string& key) {
  return key.starts_with("software.") || key.starts_with("hooks.") || key.starts_with("torch.");
}

}  // namespace

void Replay::apply(const trace::Event& event) {
  std::visit([this](const auto& payload) { on(payload); }, event.payload);
}

Bytes Replay::used() const {
  Bytes most;
  for (const auto& [ordinal, ledger] : ledgers_) most = std::max(most, ledger.used());
  return most;
}

const DeviceLedger* Replay::device_in_slot(std::uint32_t slot) const {
  for (const auto& [ordinal, ledger] : ledgers_) {
    if (ledger.summary().slot == slot) return &ledger;
  }
  return nullptr;
}

ProcessSummary Replay::summary() const {
  ProcessSummary result = process_;
  for (const auto& [ordinal, ledger] : ledgers_) {
    const auto& device = ledger.summary();
    if (ledger.touched() || device.last_refusal) result.devices.push_back(device);
  }
  return result;
}

void Replay::on(const trace::Name& event) { names_[event.id] = event.text; }

void Replay::on(const trace::Device& event) { ledger(event.ordinal).describe(text(event.card), event.total); }

void Replay::on(const trace::Allocate& event) {
  if (!ledger(event.device).take(event, text(event.library), now_))
    process_.diagnostics.add("trace.address_taken_twice");
}

void Replay::on(const trace::Release& event) {
  if (!ledger(event.device).give_back(event)) process_.diagnostics.add("trace.unknown_address_released");
}

void Replay::on(const trace::AllocateFailed& event) {
  auto& device = ledger(event.device).summary();
  const auto& library = text(event.library);
  const Bytes free = device.capacity > event.used ? device.capacity - event.used : Bytes{};
  device.last_refusal = Refusal{{event.requested, free, now_, std::exchange(others_[event.device], {})},
                                std::string(file_name(library)),
                                belongs_to_torch(library),
                                process_.steps};
}

void Replay::on(const trace::KernelLoaded& event) { process_.launches[text(event.name)] += event.launches; }

void Replay::on(const trace::Counter& event) {
  const auto& name = text(event.name);
  if (name.starts_with("driver.")) process_.diagnostics.add(name, event.count);
}

void Replay::on(const trace::Phase& event) {
  now_.phase = text(event.name);
  process_.hooks = true;
  process_.forward_seen |= now_.phase == "forward";
  process_.backward_seen |= now_.phase == "backward";
  update_step();
}

void Replay::on(const trace::Step& event) {
  process_.hooks = true;
  process_.steps = std::max(process_.steps, event.completed);
  update_step();
}

void Replay::update_step() {
  // An optimizer that evaluates the model itself (LBFGS) comes before any forward pass is seen.
  const bool trains = process_.forward_seen || process_.backward_seen || now_.phase == "optimizer";
  if (trains || process_.steps > 0) now_.step = process_.steps + 1;
}

void Replay::on(const trace::Note& event) {
  const auto& key = text(event.key);
  process_.notes[key] = text(event.value);
  process_.hooks |= reported_by_hooks(key);
}

void Replay::on(const trace::Value& event) {
  if (event.device < 0) return count_flops(text(event.key), event.value);
  const auto& key = text(event.key);
  auto& device = ledger(static_cast<std::uint32_t>(event.device)).summary();
  const auto setter = device_values().find(key);
  if (setter != device_values().end()) return setter->second(device, event.value);
  if (const auto pid = holder_in(key)) others_[device.ordinal].push_back({*pid, "", {event.value}});
}

/// The keys are those of docs/trace-format.md; an operator's name has no slash, a module's may.
void Replay::count_flops(const std::string& key, std::uint64_t number) {
  constexpr std::string_view kStep = "flops.step", kLastStep = "flops.last_step/", kUncounted = "flops.uncounted/";
  constexpr std::string_view kTraffic = "traffic.step", kMoved = "traffic.last_step/";
  if (!key.starts_with("flops.") && !key.starts_with("traffic.")) return;
  auto& compute = process_.compute ? *process_.compute : process_.compute.emplace();
  if (key == kStep) {
    compute.steps.push_back(number);
  } else if (key == kTraffic) {
    compute.traffic.push_back(number);
  } else if (key.starts_with(kLastStep)) {
    const auto slash = key.find('/', kLastStep.size());
    if (slash == std::string::npos) return;
    compute.last_step.push_back(
        {key.substr(kLastStep.size(), slash - kLastStep.size()), key.substr(slash + 1), number});
  } else if (key.starts_with(kMoved)) {
    const auto slash = key.find('/', kMoved.size());
    if (slash == std::string::npos) return;
    compute.moved.push_back({key.substr(kMoved.size(), slash - kMoved.size()), key.substr(slash + 1), number});
  } else if (key.starts_with(kUncounted)) {
    compute.uncounted[key.substr(kUncounted.size())] = number;
  }
}

void Replay::on(const trace::OutOfMemory& event) {
  auto& device = ledger(event.device).summary();
  device.last_oom = FailedRequest{event.requested, event.device_free, now_};
  const auto& refusal = device.last_refusal;
  if (refusal && refusal->by_torch && refusal->steps == process_.steps)
    device.last_oom->others = refusal->request.others;
  if (!device.first_oom) device.first_oom = device.last_oom;
  device.ooms += 1;
  process_.last_oom_step = process_.steps;
}

void Replay::on(const trace::Assumed& event) {
  auto& all = process_.assumptions;
  const auto [place, fresh] = assumption_at_.try_emplace({event.what, event.where}, all.size());
  if (fresh) all.push_back({.what = text(event.what), .where = text(event.where)});
  auto& assumption = all[place->second];
  assumption.times += 1;
  const auto weight = [](std::uint64_t elements, std::uint64_t of) { return std::pair(elements < of, elements); };
  if (assumption.times > 1 && weight(event.elements, event.of) <= weight(assumption.assumed, assumption.of)) return;
  assumption.assumed = event.elements;
  assumption.of = event.of;
}

const std::string& Replay::text(trace::NameId id) const {
  static const std::string empty;
  const auto found = names_.find(id);
  return found == names_.end() ? empty : found->second;
}

DeviceLedger& Replay::ledger(std::uint32_t ordinal) { return ledgers_.try_emplace(ordinal, ordinal).first->second; }

}  // namespace dryfit::analysis
