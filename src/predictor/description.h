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

/// The number format in which a job computes: `*_amp` keep the model in fp32 and cast where PyTorch's autocast does.
enum class Precision { fp32, bf16_amp, fp16_amp, bf16 };

/// A dry run of a model with plain SGD, in some precision, with or without checkpointing.
struct Probe {
  Precision precision = Precision::fp32;
  bool checkpointing = false;
  double batch = 0;
  double reserved_bytes = 0;      ///< by PyTorch, at the peak
  double forward_bytes = 0;       ///< growth of memory over the forward pass of the whole batch
  double compute_capability = 0;  ///< of the card; 9 for "9.0"
};
inline constexpr std::size_t kMostProbes = 64;

/// A model as small dry runs describe it. Everything but the probes comes from one run in fp32, without checkpointing,
/// and is per sample of its batch.
struct ModelDescription {
  std::string source;          ///< "torchvision", "transformers", "timm"; empty: the user's own
  std::string name;            ///< "resnet50"
  double size = 0;             ///< side of an image, or length of a sequence
  double parameters = 0;       ///< their number
  double parameter_bytes = 0;  ///< in fp32
  double buffer_bytes = 0;
  double flops = 0;           ///< per sample in a step, forward and backward; 0: unknown
  double forward_bytes = 0;   ///< growth of memory over the forward pass, per sample; 0: unknown
  std::vector<Block> blocks;  ///< in the order of the data, at most kMostBlocks; empty: unknown
  std::vector<Probe> probes;  ///< at most kMostProbes; those that differ only in the batch are adjacent, smaller first
};

/// A training job as it can be described to a scheduler, before anything runs.
struct JobDescription {
  ModelDescription model;
  double batch = 0;
  Optimizer optimizer = Optimizer::adamw;
  Precision precision = Precision::fp32;
  bool checkpointing = false;
  double multiprocessors = 0;     ///< of the card: its kernels' workspaces grow with them
  double compute_capability = 0;  ///< 8.6 for "8.6"
  double scaled_by = 1;           ///< not 1 if the model was only known at another size: Note [Scaling]
};

/// An Error names a number that is not finite or out of range.
Status check(const JobDescription& job);

/// The names in a harvest's rows: "adamw", "bf16-amp".
std::string_view to_text(Optimizer optimizer);
std::string_view to_text(Precision precision);

/// An Error lists the known names.
Result<Optimizer> parse_optimizer(std::string_view text);
Result<Precision> parse_precision(std::string_view text);

}  // namespace dryfit::predictor
