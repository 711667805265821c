// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "predictor/description.h"
#include "predictor/known_models.h"

namespace dryfit::cli {

/// A job as somebody describes it to `dryfit predict`: docs/predict.md.
struct PredictQuestion {
  std::string id;                 ///< what the caller calls the job, as JSON; empty: nothing
  predictor::JobDescription job;  ///< its card is not known yet
  double known_size = 0;          ///< of the model, where that is another than the job's: it was scaled from there
  bool image = true;              ///< what the size is of
  bool dry_run = false;           ///< the model was described by running it dry
  std::vector<std::string> gpus;  ///< as typed
  double coverage = 0.95;
};

/// What a description leaves out: the options of the command line.
struct PredictDefaults {
  std::string model;  ///< empty: must be told
  double size = 0;    ///< 0: the model's own
  double batch = 0;   ///< 0: must be told
  std::string optimizer = "adamw";
  std::string precision = "fp32";
  bool checkpointing = false;
  std::vector<std::string> gpus;
  double coverage = 0.95;
};

/// Where models are looked up. Null: there is no catalogue, and `why` says so.
struct ModelSource {
  const predictor::KnownModels* known = nullptr;
  Error why;
};

/// Whether all that is asked, but for the model and the cards, makes sense.
Status check_asked(const PredictDefaults& defaults);

/// The job that the defaults alone describe. An Error names what is missing, unknown (with the nearest name there is)
/// or out of its range; no Error concerns the cards.
Result<PredictQuestion> question_of(const PredictDefaults& defaults, const ModelSource& models);

/// The same for a model that is described already.
Result<PredictQuestion> question_of(const PredictDefaults& defaults, predictor::ModelDescription model);

/// The job of one JSON object. A member that does not exist is an Error too: a slip in its name would go unseen.
Result<PredictQuestion> parse_question(std::string_view json, const PredictDefaults& defaults,
                                       const ModelSource& models);

/// The `id` of a description, as JSON, also of one that is wrong otherwise; empty when there is none.
std::string id_in(std::string_view json);

}  // namespace dryfit::cli
