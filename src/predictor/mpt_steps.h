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
/// The rows of Note [MPT training] that are like a job on one card: those of one node of 8 GPUs, whose NVLink hides
/// most of the communication, and without 8-bit floats, which no JobDescription has. A step is a micro batch, in bf16
/// under autocast with AdamW. Each GPU does an eighth of the optimizer's work, and once in as many steps as are
/// accumulated.
///
/// A size's width and depth are those of llm-foundry's configurations (they give the table's numbers of parameters).
/// From them its blocks are computed, as a dry run would describe them: 12 width^2 parameters in four linear layers,
/// two norms and a GELU a layer, which keep 16 numbers of `width` for each token (as a dry run of a ViT's do), and a
/// head over 50,368 words. Attention adds 12 * width * length operations for each token and layer.
///
/// Groups are sizes; the fold of a size is its place among all, modulo `folds`.
Result<std::vector<ComputeExample>> mpt_steps(const Table& runs, std::size_t folds, const Catalogue& catalogue);

/// The model of that size at a sequence length. An Error when there is no such size.
Result<ModelDescription> mpt_model(std::string_view size, double length, double parameters);

}  // namespace dryfit::predictor
