// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "predict_report.h"
#include "predictor/compute_physics.h"
#include "predictor/job_physics.h"
#include "report/table.h"
#include "report/wording.h"

namespace dryfit::cli {
namespace {

using report::Align;
using report::Cell;
using report::Style;

constexpr const char* kNotKnown = "not known";

std::string number_text(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string bytes_text(double count) { return to_text(Bytes{static_cast<std::uint64_t>(count)}); }

std::string coverage_text(double coverage) { return number_text("%.4g %%", 100 * coverage); }

std::string job_text(const PredictQuestion& question) {
  const auto& job = question.job;
  const auto& model = job.model;
  std::string name = model.name.empty() ? "a model" : model.name;
  if (!model.source.empty()) name = model.source + "/" + name;
  std::string text = name + number_text(" at size %g", model.size) + number_text(", batch %.0f, ", job.batch);
  text += std::string(to_text(job.optimizer)) + ", " + std::string(to_text(job.precision));
  return text + (job.checkpointing ? ", checkpointing" : "");
}

/// 1.2e13 is "12 TFLOP".
std::string flops_text(double flops) {
  if (flops == 0) return kNotKnown;
  return flops < 1e12 ? number_text("%.3g GFLOP", flops / 1e9) : number_text("%.3g TFLOP", flops / 1e12);
}

/// 0.0123 is "12.3 ms".
std::string seconds_text(double seconds) {
  return seconds < 1 ? number_text("%.3g ms", 1e3 * seconds) : number_text("%.3g s", seconds);
}

std::vector<Cell> compute_cells(const std::optional<predictor::ComputePrediction>& compute) {
  if (!compute) return {{kNotKnown, Align::right}, {"", Align::right}, {kNotKnown, Align::right}, {"", Align::right}};
  return {{seconds_text(compute->median_seconds), Align::right},
          {seconds_text(compute->lower_seconds) + " - " + seconds_text(compute->upper_seconds), Align::right},
          {number_text("%.3g", compute->achieved_flops / 1e12), Align::right},
          {number_text("%.0f %%", 100 * compute->utilisation), Align::right}};
}

std::string distance_text(const predictor::Prediction& prediction) {
  return (prediction.familiar ? "familiar (" : "unlike them (") + number_text("%.2f", prediction.distance) + ")";
}

std::vector<Cell> heading(double coverage) {
  std::vector<Cell> cells{{"card"},
                          {"verdict"},
                          {"median", Align::right},
                          {"bound " + coverage_text(coverage), Align::right},
                          {"of", Align::right},
                          {"process", Align::right},
                          {"bound", Align::right},
                          {"context", Align::right},
                          {"step time", Align::right},
                          {coverage_text(coverage) + " within", Align::right},
                          {"TFLOPS", Align::right},
                          {"of peak", Align::right}};
  for (auto& cell : cells) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  return cells;
}

std::vector<Cell> row(const PredictedCard& card, const Style& style) {
  std::vector<Cell> cells{
      {card.card->card.id},
      {std::string(report::answer_glyph(card.answer, style)) + " " + report::answer_text(card.answer), Align::left,
       true, report::answer_paint(card.answer)},
      {to_text(card.device_median), Align::right},
      {to_text(card.device_upper), Align::right},
      {to_text(card.card->card.total_memory), Align::right},
      {bytes_text(card.prediction.median_bytes), Align::right},
      {bytes_text(card.prediction.upper_bytes), Align::right},
      {to_text(card.context), Align::right}};
  for (auto& cell : compute_cells(card.compute)) cells.push_back(std::move(cell));
  return cells;
}

std::string table(const PredictAnswer& answer, const Style& style) {
  std::vector<std::vector<Cell>> rows{heading(answer.question.coverage)};
  for (const auto& card : answer.cards) rows.push_back(row(card, style));
  return report::aligned(rows, style);
}

/// Of the card on which the job is farthest from what was learned.
std::string familiarity(const PredictAnswer& answer) {
  const auto* farthest = &answer.cards.front().prediction;
  for (const auto& card : answer.cards) {
    if (card.prediction.distance > farthest->distance) farthest = &card.prediction;
  }
  return distance_text(*farthest);
}

/// The first `count` of the clauses between semicolons.
std::string_view clauses(std::string_view text, int count) {
  std::size_t end = 0;
  for (; count > 0 && end != std::string_view::npos; --count) end = text.find(';', end == 0 ? 0 : end + 1);
  return text.substr(0, end);
}

/// A model may answer in several ways, and tells the errors of each on a line of its own: "layers: median error 6 %".
std::string_view errors_of_way(std::string_view errors, std::string_view way) {
  for (std::string_view rest = errors; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(way) && line.substr(way.size()).starts_with(':')) return clauses(line, 2);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return errors;
}

std::string who_answered(const PredictAnswer& answer, const PredictModel& model) {
  const auto& card = model.card;
  const auto way = to_text(answer.cards.front().prediction.knowledge);
  std::string text = "predicted by " + model.file.filename().string() + " (" + card.name + ", " + card.date + "), ";
  text += "learned from " + std::string(clauses(card.data, 1));
  return text + "; errors: " + std::string(errors_of_way(card.errors, way)) + "\n";
}

std::string who_told_step_times(const PredictAnswer& answer, const PredictModel& model) {
  const auto& card = model.card;
  const auto way = predictor::compute_knowledge_of(answer.question.job);
  std::string text = "step times by " + model.file.filename().string() + " (" + card.name + ", " + card.date + "), ";
  text += "learned from " + std::string(clauses(card.data, 1));
  return text + "; errors: " + std::string(errors_of_way(card.errors, way ? to_text(*way) : "")) + "\n";
}

bool tells_step_times(const PredictAnswer& answer) {
  return std::ranges::any_of(answer.cards, [](const PredictedCard& card) { return card.compute.has_value(); });
}

}  // namespace

std::string predict_text(const PredictAnswer& answer, const PredictModel& model, const Style& style,
                         const PredictModel* compute_model) {
  std::string text = report::painted(job_text(answer.question), report::Paint::strong, style) + "\n";
  text += table(answer, style);
  text += "median and bound are what nvidia-smi would show; process is that without the card's context\n";
  text += "operations of a step: " + flops_text(answer.flops) + "\n";
  text += "next to the jobs learned from: " + familiarity(answer) + "\n";
  for (const auto& note : notes_of(answer)) text += "note: " + note + "\n";
  text += who_answered(answer, model);
  if (compute_model != nullptr && tells_step_times(answer)) text += who_told_step_times(answer, *compute_model);
  return text;
}

}  // namespace dryfit::cli
