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
  double size = 0;      ///< of its images; 0: the usual
  double batch = 0;     ///< of the job to predict, like the next two
  std::string precision;
  bool checkpointing = false;
  std::chrono::milliseconds timeout{};
};

/// Describes the model by short dry runs on the stand-in driver, as `dryfit harvest` does them: a reference with a
/// batch of 2, and probes in the precision and with the checkpointing of the job (Note [Probes]). An Error if there is
/// no such file, or, with the last line that the code printed, if the reference fails. A probe that fails is left out.
Result<predictor::ModelDescription> describe_by_dry_run(const PythonModel& model, const Resources& resources,
                                                        const Catalogue& catalogue);

}  // namespace dryfit::cli
