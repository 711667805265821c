// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "predictor/data_set.h"

namespace dryfit::predictor {

/// The data set as text, for learners in other languages, so that no feature is computed twice. Comma-separated, with
/// the columns fold, part, row, group, truth, base and then the inputs. Every example is there once per fold: the line
/// (fold 2, train) is what the model tested in fold 2 is trained on, (fold 2, test) what it is asked; the base, and
/// what is made from it, differ between folds. Numbers are written so that they are read back the same.
std::string feature_table(const DataSet& data);

}  // namespace dryfit::predictor
