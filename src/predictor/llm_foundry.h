// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "predictor/data_set.h"
#include "predictor/table.h"

namespace dryfit::predictor {

/// How much faster than with 16 bits the base assumes a GPU to be with 8-bit floats.
enum class Fp8 {
  datasheet,  ///< twice, as the datasheets say
  observed,   ///< 1.3 times: chosen in view of the table's 7 such runs, so it is a separate study and never the default
};

/// Note [MPT training]
/// Model TFLOPS per GPU of MPT models from 125M to 70B parameters on A100 and H100, published with llm-foundry
/// (llm-foundry-mpt-training.csv and the fold table of the same name).
///
/// There are 15 features. About the job: logarithms of parameters, sequence length, GPUs, micro batch, accumulated
/// batches and global batch; flags for 8-bit floats, pure 16-bit training, sharding of gradients only, checkpointing;
/// logarithms of the GPU's peak (16 bits, datasheet) and memory. From physics: logarithms of the base, of tokens per
/// GPU and pass, and of communication over computation.
///
/// The base is 0.6 * peak / (1 + checkpointing / 3) / (1 + 0.05 * min(communication / computation, 10)), without any
/// fitting. A pass moves each parameter three times in 2 bytes (gathered twice, its gradient scattered) and computes
/// 6 operations per parameter and token, so communication / computation = peak / (bandwidth * tokens). The bandwidth
/// of a GPU is NVLink's in one direction up to 8 GPUs (300 and 450 GB/s), else its share of the node's network: 25 GB/s
/// for A100 (1600 Gbit/s, as the table says), 50 GB/s for H100 (3200 Gbit/s, the usual node; the table does not say).
///
/// Groups are GPUs if the folds separate them, otherwise sizes of models.
Result<DataSet> llm_foundry_set(const Table& runs, const Table& folds, std::string_view protocol, Fp8 fp8);

}  // namespace dryfit::predictor
