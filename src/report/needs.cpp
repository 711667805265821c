// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "report/needs.h"

#include <fmt/format.h>

namespace dryfit::report {

using verdict::Answer;
using verdict::Verdict;

std::optional<Need> need_of(const Verdict& verdict, std::span<const Verdict> all) {
  if (verdict.answer != Answer::does_not_fit) return std::nullopt;
  const Verdict* best = nullptr;
  for (const auto& other : all) {
    // Where memory ran short, PyTorch gave back what it would otherwise have kept.
    const bool has_room = fitted(other.answer) && other.device_used && other.alloc_retries == 0 && other.ooms == 0;
    if (has_room && (!best || other.capacity < best->capacity)) best = &other;
  }
  if (!best || best->device_peak <= verdict.capacity) return std::nullopt;
  return Need{best->device_peak, best->card.id, best->estimated};
}

std::string need_sentence(const Need& need, const Verdict& verdict) {
  return fmt::format("Needs about {}, as {} on {}; this GPU has {}.", to_text(need.amount),
                     need.is_estimated ? "estimated" : "counted", need.known_from, to_text(verdict.capacity));
}

std::optional<Bytes> shortfall(const Verdict& verdict) {
  if (!verdict.oom || verdict.oom->requested <= verdict.oom->device_free) return std::nullopt;
  return verdict.oom->requested - verdict.oom->device_free;
}

std::string amount_of(Bytes amount, Bytes capacity, std::string_view sign) {
  auto left = to_text(amount);
  const auto right = to_text(capacity);
  const auto unit = left.substr(left.find(' '));
  if (right.ends_with(unit)) left.resize(left.size() - unit.size());
  return fmt::format("{}{} of {}", sign, left, right);
}

}  // namespace dryfit::report
