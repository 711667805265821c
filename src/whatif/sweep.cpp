// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "whatif/sweep.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "simulator/alloc_config.h"

namespace dryfit::whatif {
namespace {

constexpr const char* kConfigurations[] = {
    "expandable_segments:True",
    "max_split_size_mb:32",
    "max_split_size_mb:64",
    "max_split_size_mb:128",
    "max_split_size_mb:256",
    "max_split_size_mb:512",
    "roundup_power2_divisions:2",
    "roundup_power2_divisions:4",
    "roundup_power2_divisions:8",
    "roundup_power2_divisions:16",
    "expandable_segments:True,roundup_power2_divisions:8",
};

constexpr const char* kCollecting[] = {
    "garbage_collection_threshold:0.6",
    "garbage_collection_threshold:0.8",
    "garbage_collection_threshold:0.8,max_split_size_mb:128",
};

bool is_limited(const Question& question) {
  return question.card && (question.conditions.fraction || question.conditions.config.per_process_memory_fraction);
}

/// The smaller, the better. Without a GPU there is no verdict, and all that ran to the end have the same rank.
std::tuple<int, std::uint64_t, Bytes> order_of(const Answer& answer) {
  const auto verdict = answer.fit == Fit::tight ? 1 : answer.fit == Fit::cannot_tell ? 2 : 0;
  return {verdict, answer.outcome.alloc_retries, answer.outcome.peak_reserved};
}

bool is_excluded(const Answer& answer) {
  return answer.fit ? *answer.fit == Fit::does_not_fit : answer.outcome.out_of_memory.has_value();
}

/// Whether the gain is too small a part of the peak to be worth an option.
bool gains_little(const Answer& better, const Answer& usual) {
  const auto [verdict, retries, peak] = order_of(better);
  const auto [usual_verdict, usual_retries, usual_peak] = order_of(usual);
  return verdict == usual_verdict && retries == usual_retries && (usual_peak - peak).count < usual_peak.count / 100;
}

/// The default comes first.
std::optional<std::size_t> best_of(const std::vector<Swept>& all) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_excluded(all[i].answer)) continue;
    if (!best || order_of(all[i].answer) < order_of(all[*best].answer)) best = i;
  }
  if (best && !is_excluded(all.front().answer) && gains_little(all[*best].answer, all.front().answer)) return 0;
  return best;
}

}  // namespace

std::vector<std::string> sensible_configurations(const Recording& recording, const Question& question) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& text) {
    const bool is_new = std::ranges::find(result, text) == result.end();
    if (is_new && simulator::parse_alloc_config(text, question.conditions.torch)) result.push_back(text);
  };
  add("");
  add(recording.alloc_conf);
  for (const auto* text : kConfigurations) add(text);
  if (is_limited(question)) {
    for (const auto* text : kCollecting) add(text);
  }
  return result;
}

Result<Sweep> sweep(const Question& question, const std::vector<std::string>& configurations) {
  Sweep result;
  for (const auto& text : configurations) {
    auto config = simulator::parse_alloc_config(text, question.conditions.torch);
    if (!config) return config.error();
    auto varied = question;
    varied.conditions.config = std::move(config).value();
    auto answered = answer(varied);
    if (!answered) return answered.error();
    result.all.push_back({text, std::move(answered).value()});
  }
  result.best = best_of(result.all);
  return result;
}

}  // namespace dryfit::whatif
