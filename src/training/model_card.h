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

/// What the data do not tell of a model.
struct Naming {
  std::string name;
  std::string date;  ///< no clock is asked, so that the same command gives the same model
  std::string licence;
};

/// The card of a model that learned from all jobs. Its errors are those of `contender` among the predictions: a model
/// made in the same way, of the same number of networks, that had not seen each job's fold. An Error when it is not
/// there.
Result<predictor::ModelCard> card_of(const Naming& naming, const predictor::TimmMemory& data,
                                     const std::string& protocol, std::span<const predictor::Contender> predictions,
                                     const std::string& contender);

}  // namespace dryfit::training
