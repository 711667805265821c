// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/device_ledger.h"

#include "base/check.h"

namespace dryfit::analysis {

std::string_view file_name(std::string_view library) {
  const auto slash = library.rfind('/');
  return slash == std::string_view::npos ? library : library.substr(slash + 1);
}

bool belongs_to_torch(std::string_view library) {
  const auto name = file_name(library);
  return name.starts_with("libcudart") || name.starts_with("libtorch") || name.starts_with("libc10");
}

void clear_peak(DeviceSummary& summary) {
  summary.peak = summary.peak_torch_reserved = summary.peak_libraries = summary.peak_context = summary.peak_code = {};
  summary.libraries.clear();
}

void DeviceLedger::describe(std::string card, Bytes capacity) {
  summary_.card = std::move(card);
  summary_.capacity = capacity;
}

DeviceLedger::Share DeviceLedger::share_of(trace::Purpose purpose, std::string_view library) {
  if (purpose == trace::Purpose::context) return Share::context;
  if (purpose == trace::Purpose::code) return Share::code;
  return belongs_to_torch(library) ? Share::torch : Share::libraries;
}

bool DeviceLedger::take(const trace::Allocate& event, std::string_view library, const Moment& now) {
  Block block{share_of(event.purpose, library), std::string(file_name(library)), event.charged};
  const auto [place, fresh] = live_.try_emplace({event.purpose, event.address}, std::move(block));
  if (!fresh) return false;
  touched_ = true;
  move(place->second, true);
  if (used_ > summary_.peak) note_peak(now);
  return true;
}

bool DeviceLedger::give_back(const trace::Release& event) {
  const auto found = live_.find({event.purpose, event.address});
  if (found == live_.end()) return false;
  move(found->second, false);
  live_.erase(found);
  return true;
}

void DeviceLedger::move(const Block& block, bool taken) {
  const auto shift = [&](Bytes& total) { taken ? total += block.charged : total -= block.charged; };
  shift(used_);
  shift(shares_[block.share]);
  if (block.share == Share::libraries) shift(by_library_[block.library]);
}

void DeviceLedger::note_peak(const Moment& now) {
  clear_peak(summary_);
  add_to(summary_);
  summary_.peak_at = now;
  check_invariants();
}

void DeviceLedger::add_to(DeviceSummary& peak) const {
  peak.peak += used_;
  peak.peak_torch_reserved += share(Share::torch);
  peak.peak_libraries += share(Share::libraries);
  peak.peak_context += share(Share::context);
  peak.peak_code += share(Share::code);
  for (const auto& [library, bytes] : by_library_) {
    if (bytes > Bytes{}) peak.libraries[library] += bytes;
  }
}

Bytes DeviceLedger::share(Share which) const {
  const auto found = shares_.find(which);
  return found == shares_.end() ? Bytes{} : found->second;
}

void DeviceLedger::check_invariants() const {
  const auto& s = summary_;
  DRYFIT_CHECK(s.peak == s.peak_torch_reserved + s.peak_libraries + s.peak_context + s.peak_code);
}

}  // namespace dryfit::analysis
