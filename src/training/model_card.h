// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "predictor/evaluation.h"
#include "predictor/memory_model.h"
#include "predictor/timm_memory.h"

namespace dryfit::training {

/// The parts of a model's description that don't follow from the data.
struct Naming {
  std::string name;
  std::string date;  ///< no clock is read, so that the same command gives the same model
  std::string licence;
};

/// The description of a model that was trained on all jobs. Its errors are those of `contender` among the predictions:
/// a model of the same kind and with the same number of networks, trained without each job's fold. An Error if it is
/// missing.
Result<predictor::ModelCard> card_of(const Naming& naming, const predictor::TimmMemory& data,
                                     const std::string& protocol, std::span<const predictor::Contender> predictions,
                                     const std::string& contender);

}  // namespace dryfit::training
