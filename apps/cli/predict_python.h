// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "base/result.h"
#include "card/catalogue.h"
#include "predictor/description.h"
#include "resources.h"

namespace dryfit::cli {

/// A model that exists as Python code.
struct PythonModel {
  std::string factory;  ///< "model.py:Factory"
  std::string python;   ///< the interpreter whose PyTorch it needs
  std::string card;     ///< id of the one it is dry-run on
  double size = 0;      ///< of its images; 0: the usual
  std::chrono::milliseconds timeout{};
};

/// What a short dry run of it tells, with a batch of 2 on the stand-in driver, as `dryfit harvest` does it. An Error
/// when there is no such file, or with the last line that the code printed when it failed.
Result<predictor::ModelDescription> describe_by_dry_run(const PythonModel& model, const Resources& resources,
                                                        const Catalogue& catalogue);

}  // namespace dryfit::cli
