// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "history/site_pairs.h"

#include <algorithm>

#include "base/result.h"
#include "history/dry_runs.h"

namespace dryfit::history {
namespace {

using predictor::SitePair;
using OutsideOf = std::function<std::optional<Outside>(const std::string&)>;

/// What separates a kind from the next one inward.
Bytes layer(PeakKind kind, const Outside& outside) {
  return kind == PeakKind::device ? outside.context : outside.libraries;
}

/// The Error says why the record cannot be used.
Result<SitePair> pair_of(const Record& record, const OutsideOf& outside_of) {
  const auto& predicted = *record.predicted;
  auto peak = std::optional(record.peak);
  if (record.kind != predicted.kind) {
    const auto outside = outside_of(record.card);
    if (!outside) return Error{"the GPU is not in the catalogue", "Name it with --gpu when you record the job."};
    peak = converted(record.peak, record.kind, predicted.kind, *outside);
  }
  if (!peak) return Error{"the prediction is for another kind of memory", "Record the kind that was predicted."};
  const SitePair pair{.group = {record.card, family_of(record.job)},
                      .median = static_cast<double>(predicted.median.count),
                      .upper = static_cast<double>(predicted.upper.count),
                      .coverage = predicted.coverage,
                      .actual = static_cast<double>(peak->count),
                      .at_least = record.outcome == Outcome::out_of_memory};
  if (auto status = check(pair); !status) return status.error();
  return pair;
}

}  // namespace

std::optional<Bytes> converted(Bytes peak, PeakKind from, PeakKind to, const Outside& outside) {
  if (from != to && (from == PeakKind::allocated || to == PeakKind::allocated)) return std::nullopt;
  for (; from < to; from = static_cast<PeakKind>(static_cast<int>(from) + 1)) {
    peak += layer(static_cast<PeakKind>(static_cast<int>(from) + 1), outside);
  }
  for (; from > to; from = static_cast<PeakKind>(static_cast<int>(from) - 1)) {
    if (peak <= layer(from, outside)) return std::nullopt;
    peak -= layer(from, outside);
  }
  return peak;
}

SitePairs site_pairs(std::span<const Record> records, const OutsideOf& outside_of, bool dry_runs) {
  SitePairs result;
  for (const auto& record : records) {
    if (!record.predicted) {
      ++result.left_out["no prediction was recorded"];
    } else if (is_dry(record) && !dry_runs) {
      ++result.left_out["a dry run"];
    } else if (auto pair = pair_of(record, outside_of)) {
      result.pairs.push_back(std::move(pair).value());
      result.latest = std::max(result.latest, record.when);
    } else {
      ++result.left_out[pair.error().what];
    }
  }
  return result;
}

}  // namespace dryfit::history
