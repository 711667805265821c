// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/compute_example.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// Note [MPT steps]
/// The rows of Note [MPT training] that resemble a job on one card: those on one node of 8 GPUs, where NVLink hides
/// most of the communication, and without 8-bit floats, which a JobDescription can't express. A step is a micro batch,
/// in bf16 under autocast with AdamW. Each GPU does an eighth of the optimizer's work, once per group of accumulated
/// steps.
///
/// A size's width and depth are those of llm-foundry's configurations (they give the table's numbers of parameters).
/// From them we compute its blocks, as a dry run would describe them: per layer 12 width^2 parameters in four linear
/// layers, two norms and a GELU, which keep 16 * width numbers per token (as in a dry run of a ViT), and a head over
/// 50,368 words. Attention adds 12 * width * length operations per token and layer.
///
/// Groups are sizes; the fold of a size is its place among all, modulo `folds`.
Result<std::vector<ComputeExample>> mpt_steps(const Table& runs, std::size_t folds, const Catalogue& catalogue);

/// The model of that size at a sequence length. An Error if the size is unknown.
Result<ModelDescription> mpt_model(std::string_view size, double length, double parameters);

}  // namespace dryfit::predictor
