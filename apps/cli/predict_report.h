// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "predict_answer.h"
#include "predictor/memory_model.h"
#include "report/style.h"

namespace dryfit::cli {

/// A learned model that gave the answer.
struct PredictModel {
  std::filesystem::path file;
  predictor::ModelCard card;
};

/// A JSON object.
std::string model_json(const PredictModel& model);

/// One line of JSON without its end: docs/predict.md. `model` and `compute_model` (that of step times) are the results
/// of model_json(), so that many answers can share them.
std::string predict_json(const PredictAnswer& answer, std::string_view model, std::string_view compute_model = "null");

/// The same for a job that failed. `line` is its place in the stream, from 1; `id` as in PredictQuestion.
std::string predict_error_json(const Error& error, std::size_t line, const std::string& id);

/// For people: the verdict first, then everything that is in the JSON, in at most 80 columns unless a name is longer.
/// Without a `compute_model` the model of step times is not named.
std::string predict_text(const PredictAnswer& answer, const PredictModel& model, const report::Style& style,
                         const PredictModel* compute_model = nullptr);

}  // namespace dryfit::cli
