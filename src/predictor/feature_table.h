// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "predictor/data_set.h"

namespace dryfit::predictor {

/// The data set as text, for learners in other languages, so that no feature is computed twice. Comma-separated, with
/// the columns fold, part, row, group, truth, base and then the inputs. Every example occurs once per fold: the model
/// tested in fold 2 is trained on the lines (fold 2, train) and predicts the lines (fold 2, test). The base, and what
/// is made from it, differ between folds. Numbers are written so that they are read back unchanged.
std::string feature_table(const DataSet& data);

}  // namespace dryfit::predictor
