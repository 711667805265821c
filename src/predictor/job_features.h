// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "predictor/description.h"
#include "predictor/features.h"
#include "predictor/job_physics.h"
#include "predictor/probes.h"

namespace dryfit::predictor {

/// Features of a job that may have any value, then flags that are 0 or 1. Others come after these.
inline constexpr std::size_t kJobMeasures = 6 + kJobTerms;
inline constexpr std::size_t kJobFlags = 12;

constexpr std::size_t job_feature_count(Knowledge knowledge) {
  return kJobMeasures + kJobFlags + (reads_blocks(knowledge) ? kBlockFeatures : 0) +
         (knowledge == Knowledge::probes ? kProbeFeatures : 0);
}

/// The job as numbers, not yet scaled; it has passed check(). First kJobMeasures measures: logarithms of batch, size,
/// parameters, multiprocessors and of the base estimate, the compute capability, and log(1 + x) of each of job_terms().
/// Then kJobFlags flags: one for each optimizer and precision, and for checkpointing. Then, if blocks are read,
/// block_features_of(), and with probes also probe_features_of().
std::vector<double> job_features_of(const JobDescription& job, Knowledge knowledge,
                                    std::span<const double, kJobTerms> terms, double base_mib);

/// The names of these features, in order: "log batch", "adamw".
std::vector<std::string> job_feature_names(Knowledge knowledge);

}  // namespace dryfit::predictor
