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

/// A job as the user describes it to `dryfit predict`: docs/predict.md.
struct PredictQuestion {
  std::string id;                 ///< the caller's name for the job, as JSON; empty: none
  predictor::JobDescription job;  ///< without a card yet
  double known_size = 0;          ///< the size that the model was scaled from; 0: it is known at the job's size
  bool image = true;              ///< whether the size is that of an image, else of a sequence
  bool dry_run = false;           ///< the model was described by dry runs
  std::vector<std::string> gpus;  ///< as typed
  double coverage = 0.95;
};

/// Values for what a description leaves out: the options of the command line.
struct PredictDefaults {
  std::string model;  ///< empty: must be given
  double size = 0;    ///< 0: the model's default
  double batch = 0;   ///< 0: must be given
  std::string optimizer = "adamw";
  std::string precision = "fp32";
  bool checkpointing = false;
  std::vector<std::string> gpus;
  double coverage = 0.95;
};

/// Where models are looked up. Null: there is no catalogue; `why` is the reason.
struct ModelSource {
  const predictor::KnownModels* known = nullptr;
  Error why;
};

/// Checks everything but the model and the cards.
Status check_defaults(const PredictDefaults& defaults);

/// The known model that the user probably meant by `typed`, written so that it finds one model; empty if none is near.
std::string nearest_model(const predictor::KnownModels& models, const std::string& typed);

/// Our name for a precision that others call differently ("bfloat16" is bf16); empty if it is not known.
std::string precision_meant(const std::string& typed);

/// The job that the defaults alone describe. An Error names what is missing, unknown (with the nearest known name) or
/// out of range; no Error concerns the cards.
Result<PredictQuestion> question_of(const PredictDefaults& defaults, const ModelSource& models);

/// The same for a model that is already described.
Result<PredictQuestion> question_of(const PredictDefaults& defaults, predictor::ModelDescription model);

/// The job that a JSON object describes. An unknown key is an Error, as a typo would otherwise go unnoticed.
Result<PredictQuestion> parse_question(std::string_view json, const PredictDefaults& defaults,
                                       const ModelSource& models);

/// The `id` of a description, as JSON, even if the rest of it is wrong; empty if there is none.
std::string id_in(std::string_view json);

}  // namespace dryfit::cli
