// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/job.h"

namespace dryfit::predictor {

enum class Optimizer { sgd, momentum, adam, adamw, rmsprop, adagrad, adafactor };

/// In which numbers a job computes: `*_amp` keep the model in fp32 and cast where PyTorch's autocast does.
enum class Precision { fp32, bf16_amp, fp16_amp, bf16 };

/// A dry run of a model with plain SGD, in some precision, with or without checkpointing.
struct Probe {
  Precision precision = Precision::fp32;
  bool checkpointing = false;
  double batch = 0;
  double reserved_bytes = 0;      ///< by PyTorch, at the peak
  double forward_bytes = 0;       ///< by which the whole batch's forward pass lets memory grow
  double compute_capability = 0;  ///< of the card; "9.0" as 9
};
inline constexpr std::size_t kMostProbes = 64;

/// A model as small dry runs of it know it. All but the probes is of one run in fp32, without checkpointing, and per
/// sample of its batch.
struct ModelDescription {
  std::string source;          ///< "torchvision", "transformers", "timm"; empty: the user's own
  std::string name;            ///< "resnet50"
  double size = 0;             ///< side of an image, or length of a sequence
  double parameters = 0;       ///< how many
  double parameter_bytes = 0;  ///< in fp32
  double buffer_bytes = 0;
  double flops = 0;           ///< of one sample in a step, forward and backward; 0: not known
  double forward_bytes = 0;   ///< by which a sample's forward pass lets memory grow; 0: not known
  std::vector<Block> blocks;  ///< in the order of the data, at most kMostBlocks; empty: not known
  std::vector<Probe> probes;  ///< at most kMostProbes; what differs in the batch alone stands together, smaller first
};

/// A training job as a scheduler can be told it, before anything runs.
struct JobDescription {
  ModelDescription model;
  double batch = 0;
  Optimizer optimizer = Optimizer::adamw;
  Precision precision = Precision::fp32;
  bool checkpointing = false;
  double multiprocessors = 0;     ///< of the card: its kernels' workspaces grow with them
  double compute_capability = 0;  ///< "8.6" as 8.6
  double scaled_by = 1;           ///< the model was known at another size only: Note [Scaling]
};

/// An Error that names the number when one is not finite or out of its range.
Status check(const JobDescription& job);

/// As in a harvest's rows: "adamw", "bf16-amp".
std::string_view to_text(Optimizer optimizer);
std::string_view to_text(Precision precision);

/// An Error that names those there are.
Result<Optimizer> parse_optimizer(std::string_view text);
Result<Precision> parse_precision(std::string_view text);

}  // namespace dryfit::predictor
