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
/// A model is told to a network as at most kMostBlocks blocks. A block is a stretch of layers that stand in the same
/// repeated container, by the layers' names: "layer2.1" of a ResNet, "encoder.layer.3" of a BERT. Neighbours that are
/// alike become one with a `run`. While there are still too many, the two neighbours that hold least become one.
///
/// What a block holds is what memory grew by over its layers and, as `saved_func`, between them: a residual's sum, the
/// products of an attention. Of neighbours that are alike the one that holds least speaks for all: what another holds
/// more is not its own but cuBLAS's workspace, which its first user in a process allocates, or what the allocator did
/// not split off. For the same reason a linear layer holds no more than its output.

/// The container that a layer is counted to: its name up to its first number and those right behind ("features.5.12" of
/// "features.5.12.block.0"; "stages.2.blocks.5" of "stages.2.blocks.5.mlp.fc1"), or else up to its first dot.
std::string block_name(std::string_view layer);

/// Note [Blocks], per sample of the `batch` that the layers were seen with. They must come from a whole forward pass in
/// fp32 and without checkpointing. Empty without layers.
std::vector<Block> blocks_of(std::span<const Layer> layers, double batch);

}  // namespace dryfit::predictor
