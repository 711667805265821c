// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predictor/job.h"
#include "predictor/layer.h"

namespace dryfit::predictor {

/// Note [Blocks]
/// A network sees a model as at most kMostBlocks blocks. A block is a stretch of layers in the same repeated container,
/// by the layers' names: "layer2.1" of a ResNet, "encoder.layer.3" of a BERT. Equal neighbours are merged into one
/// block with a `run`. While there are still too many, the two neighbours that hold the least are merged.
///
/// What a block holds is the growth of memory over its layers and, as `saved_func`, between them: a residual's sum, the
/// products of an attention. Among equal neighbours, the one that holds the least stands for all: what another holds in
/// addition is not its own but cuBLAS's workspace, which its first user in a process allocates, or memory that the
/// allocator did not split off. For the same reason a linear layer holds no more than its output.

/// The container of a layer: its name up to its first number and the numbers right behind ("features.5.12" for
/// "features.5.12.block.0"; "stages.2.blocks.5" for "stages.2.blocks.5.mlp.fc1"), or else up to its first dot.
std::string block_name(std::string_view layer);

/// Note [Blocks], per sample of the `batch` that the layers were seen with. They must come from a whole forward pass in
/// fp32 and without checkpointing. Empty without layers.
std::vector<Block> blocks_of(std::span<const Layer> layers, double batch);

}  // namespace dryfit::predictor
