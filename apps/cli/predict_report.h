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

/// Who answered.
struct PredictModel {
  std::filesystem::path file;
  predictor::ModelCard card;
};

/// A JSON object.
std::string model_json(const PredictModel& model);

/// One line of JSON without its end: docs/predict.md. `model` and `compute_model`, which tells step times, are
/// model_json(), which is the same for many answers.
std::string predict_json(const PredictAnswer& answer, std::string_view model, std::string_view compute_model = "null");

/// The same for what could not be answered. `line` is its place in the stream, from 1; `id` as in PredictQuestion.
std::string predict_error_json(const Error& error, std::size_t line, const std::string& id);

/// For a person, with everything that is in the JSON. Without a `compute_model` nothing is said of who tells step
/// times.
std::string predict_text(const PredictAnswer& answer, const PredictModel& model, const report::Style& style,
                         const PredictModel* compute_model = nullptr);

}  // namespace dryfit::cli
