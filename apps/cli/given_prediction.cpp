// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "given_prediction.h"

#include <nlohmann/json.hpp>

#include "history/record_json.h"

namespace dryfit::cli {
namespace {

using Json = nlohmann::json;

/// The object with "median_bytes", wherever it is.
const Json* find_prediction(const Json& json) {
  if (json.is_object() && json.contains("median_bytes")) return &json;
  for (const auto& part : json) {
    if (!part.is_structured()) continue;
    if (const auto* found = find_prediction(part)) return found;
  }
  return nullptr;
}

bool is_answer(const Json& json) {
  return json.is_object() && json.contains("model_file") && json.contains("cards") && json["cards"].is_array() &&
         !json["cards"].empty();
}

std::string card_in(const Json& entry) {
  const auto card = entry.is_object() ? entry.value("card", Json()) : Json();
  return card.is_string() ? card.get<std::string>() : "";
}

std::string cards_in(const Json& answer) {
  std::string names;
  for (const auto& entry : answer["cards"]) names += (names.empty() ? "" : ", ") + card_in(entry);
  return names;
}

Result<Json> entry_of(const Json& answer, const std::string& card) {
  const auto& cards = answer["cards"];
  if (card.empty() && cards.size() == 1) return cards[0];
  for (const auto& entry : cards) {
    if (!card.empty() && card_in(entry) == card) return entry;
  }
  if (card.empty()) {
    return Error{"the prediction is for several GPUs: " + cards_in(answer),
                 "Name the one that the job ran on with --gpu."};
  }
  return Error{"the prediction is not for '" + card + "' but for " + cards_in(answer),
               "Predict the job for the GPU that it ran on."};
}

/// The prediction as a record holds it.
Json recorded(const Json& answer, const Json& entry) {
  const auto& file = answer["model_file"];
  return {{"median_bytes", entry.value("median_bytes", Json())},
          {"upper_bytes", entry.value("model_upper_bytes", entry.value("upper_bytes", Json()))},
          {"coverage", answer.value("coverage", Json())},
          {"model", file.is_object() ? file.value("file", Json()) : Json()}};
}

Result<GivenPrediction> read_answer(const Json& answer, const std::string& card) {
  const auto entry = entry_of(answer, card);
  if (!entry) return entry.error();
  auto predicted = history::prediction_of(recorded(answer, *entry));
  if (!predicted) return predicted.error();
  const auto job = answer.value("job", Json());
  return GivenPrediction{std::move(predicted).value(), job.is_object() ? job.dump() : "", card_in(*entry)};
}

}  // namespace

Result<GivenPrediction> read_prediction(const std::string& text, const std::string& card) {
  const auto json = Json::parse(text, nullptr, false);
  if (is_answer(json)) return read_answer(json, card);
  const auto* found = json.is_structured() ? find_prediction(json) : nullptr;
  if (!found) {
    return Error{"the prediction has no 'median_bytes'",
                 "Give the output of `dryfit predict --json`, or JSON with median_bytes, upper_bytes and coverage."};
  }
  auto predicted = history::prediction_of(*found);
  if (!predicted) return predicted.error();
  return GivenPrediction{.predicted = std::move(predicted).value(), .job = "", .card = ""};
}

}  // namespace dryfit::cli
