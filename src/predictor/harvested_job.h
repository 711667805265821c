// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/description.h"
#include "predictor/layer.h"

namespace dryfit::predictor {

/// A row of a harvest (docs/harvest.md), as far as a learner needs it. Numbers that the row doesn't have are 0.
struct HarvestedJob {
  std::string key;
  std::string source;  ///< "torchvision"
  std::string model;   ///< "resnet50"
  std::string card;    ///< id of the catalogue
  std::string torch;   ///< "2.6.0+cu124"
  double batch = 0;
  double size = 0;  ///< 0: the model's own
  Optimizer optimizer = Optimizer::adamw;
  Precision precision = Precision::fp32;
  bool checkpointing = false;

  std::string verdict;  ///< "fits", "tight", "does-not-fit", "cannot-tell"
  std::string failure;  ///< the last line that a failed job printed
  double capacity_bytes = 0;
  double peak_bytes = 0;  ///< as nvidia-smi would show it
  double reserved_bytes = 0;
  double alloc_retries = 0;  ///< how often PyTorch released cached memory and tried again
  double libraries_bytes = 0;
  double code_bytes = 0;
  double context_bytes = 0;
  double flops = 0;  ///< of a step

  double parameters = 0;
  double parameter_bytes = 0;
  double buffer_bytes = 0;
  double forward_bytes = 0;   ///< of the whole batch
  std::vector<Layer> layers;  ///< empty if they were not kept
  bool layers_complete = false;
};

/// An Error says what is missing or of the wrong kind.
Result<HarvestedJob> parse_harvested_job(std::string_view line);

/// Whether what the row says about its model holds for every job that trains it: the forward pass was seen whole, in
/// fp32 and without checkpointing.
bool is_reference(const HarvestedJob& job);

/// The job's size, or that of the first layer's input; 0 if neither is known.
double size_of(const HarvestedJob& job);

/// Describes the model of a reference. What is allocated once for any batch (cuBLAS's workspace) is not part of the
/// forward pass's bytes, as far as it can be separated: Note [Blocks].
ModelDescription describe(const HarvestedJob& reference);

}  // namespace dryfit::predictor
