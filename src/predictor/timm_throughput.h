// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "predictor/data_set.h"
#include "predictor/table.h"

namespace dryfit::predictor {

enum class ThroughputFeatures {
  plain,     ///< parameters, batch, image size, layers, multiply-adds
  roofline,  ///< the same, bytes moved, the shares of kinds of layers, and what a roofline predicts from them
};

struct ThroughputTables {
  Table measured;  ///< timm-train-throughput-rtx3090.csv
  Table features;  ///< splits/timm-train-throughput-features.csv
  Table folds;     ///< splits/timm-train-throughput-rtx3090.csv
  Table blocks;    ///< splits/timm-blocks16.csv
};

/// Note [Throughput of timm's models]
/// What an RTX 3090 achieved in training: 6 * GMACs * samples per second / 1000 TFLOPS, where GMACs are those of
/// convolutions and linear layers (attention's products are not counted) and a backward pass costs two forward ones.
/// Rows without features are left out. The base is the roofline times the median ratio of the training rows, with any
/// features. Sizes are used as logarithms, shares as they are. Tokens are the model's blocks at the image size of the
/// row, as for its memory. Groups are modules.
Result<DataSet> timm_throughput_set(const ThroughputTables& tables, std::string_view protocol,
                                    ThroughputFeatures features);

}  // namespace dryfit::predictor
