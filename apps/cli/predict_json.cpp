// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "predict_report.h"
#include "report/json.h"

namespace dryfit::cli {
namespace {

constexpr double kLargestWhole = 9007199254740992;  // 2^53

std::string text_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes an object member by member. A stream may carry hundreds of thousands of answers per second, and building a
/// tree of JSON values would take longer than predicting.
class ObjectText {
 public:
  ObjectText& raw(std::string_view name, std::string_view value) {
    text_ += text_.size() == 1 ? "\"" : ",\"";
    text_ += name;
    text_ += "\":";
    text_ += value;
    return *this;
  }

  /// For our own words, which need no escapes.
  ObjectText& word(std::string_view name, std::string_view value) {
    raw(name, "\"");
    text_ += value;
    text_ += '"';
    return *this;
  }

  ObjectText& text(std::string_view name, std::string_view value) { return raw(name, text_json(value)); }

  template <class Number>
  ObjectText& number(std::string_view name, Number value) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
    return raw(name, {digits, static_cast<std::size_t>(end - digits)});
  }

  /// A whole number, exact as far as a double is.
  ObjectText& count(std::string_view name, double value) {
    return value < kLargestWhole ? number(name, std::llround(value)) : number(name, value);
  }
  ObjectText& flag(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  ObjectText& null(std::string_view name) { return raw(name, "null"); }

  std::string done() { return std::move(text_) + "}"; }

 private:
  std::string text_ = "{";
};

std::string job_json(const PredictQuestion& question) {
  const auto& job = question.job;
  ObjectText object;
  object.text("source", job.model.source)
      .text("model", job.model.name)
      .number("size", job.model.size)
      .count("parameters", job.model.parameters)
      .number("batch", job.batch)
      .word("optimizer", to_text(job.optimizer))
      .word("precision", to_text(job.precision))
      .flag("checkpointing", job.checkpointing);
  return object.done();
}

void add_compute(ObjectText& object, const std::optional<predictor::ComputePrediction>& compute) {
  if (!compute) {
    for (const auto* name : {"step_seconds", "step_seconds_lower", "step_seconds_upper", "achieved_tflops",
                             "utilisation", "step_distance", "step_familiar"}) {
      object.null(name);
    }
    return;
  }
  object.number("step_seconds", compute->median_seconds)
      .number("step_seconds_lower", compute->lower_seconds)
      .number("step_seconds_upper", compute->upper_seconds)
      .number("achieved_tflops", compute->achieved_flops / 1e12)
      .number("utilisation", compute->utilisation)
      .number("step_distance", compute->distance)
      .flag("step_familiar", compute->familiar);
}

void add_limits(ObjectText& object, const PredictedCard& card) {
  const bool is_limited = card.capacity < card.card->card.total_memory;
  card.cap ? object.number("cap_bytes", card.cap->count) : object.null("cap_bytes");
  is_limited ? object.number("gpu_limit_bytes", card.capacity.count) : object.null("gpu_limit_bytes");
}

std::string card_json(const PredictedCard& card) {
  const auto& prediction = card.prediction;
  ObjectText object;
  object.text("card", card.card->card.id)
      .word("verdict", report::answer_word(card.answer))
      .number("capacity_bytes", card.capacity.count)
      .count("median_bytes", prediction.median_bytes)
      .count("upper_bytes", prediction.upper_bytes)
      .count("model_upper_bytes", card.model_upper_bytes)
      .number("bound_factor", card.bound_factor)
      .number("context_bytes", card.context.count)
      .number("device_median_bytes", card.device_median.count)
      .number("device_upper_bytes", card.device_upper.count)
      .number("distance", prediction.distance)
      .flag("familiar", prediction.familiar)
      .word("known_by", to_text(prediction.knowledge));
  add_compute(object, card.compute);
  add_limits(object, card);
  return object.done();
}

std::string calibration_json(const SiteBounds& site) {
  ObjectText object;
  object.text("file", site.file().string()).number("records", site.records());
  if (site.day().empty()) {
    object.null("last");
  } else {
    object.word("last", site.day());
  }
  return object.done();
}

std::string joined(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const auto& value : values) text += (text.size() == 1 ? "" : ",") + value;
  return text + "]";
}

}  // namespace

std::string model_json(const PredictModel& model) {
  const auto& [name, data, date, folds, errors, licence] = model.card;
  ObjectText object;
  object.text("file", model.file.filename().string())
      .text("name", name)
      .text("data", data)
      .text("date", date)
      .text("folds", folds)
      .text("errors", errors)
      .text("licence", licence);
  return object.done();
}

std::string predict_json(const PredictAnswer& answer, std::string_view model, std::string_view compute_model) {
  std::vector<std::string> cards, notes;
  for (const auto& card : answer.cards) cards.push_back(card_json(card));
  for (const auto& note : notes_of(answer)) notes.push_back(text_json(note));
  ObjectText object;
  if (!answer.question.id.empty()) object.raw("id", answer.question.id);
  object.raw("job", job_json(answer.question)).number("coverage", answer.question.coverage);
  if (answer.flops > 0) {
    object.count("flops", answer.flops);
  } else {
    object.null("flops");
  }
  const bool corrected = answer.site && answer.site->bounds;
  object.raw("cards", joined(cards)).raw("calibration", corrected ? calibration_json(*answer.site->bounds) : "null");
  object.raw("notes", joined(notes)).raw("model_file", model);
  object.raw("compute_model_file", compute_model);
  return object.done();
}

std::string predict_error_json(const Error& error, std::size_t line, const std::string& id) {
  ObjectText object;
  object.number("line", line);
  if (!id.empty()) object.raw("id", id);
  object.text("error", error.what).text("hint", error.hint);
  return object.done();
}

}  // namespace dryfit::cli
