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

constexpr const char* kUnknown = "unknown";
constexpr std::size_t kColumns = 80;

std::string number_text(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string coverage_text(double coverage) { return number_text("%.4g %%", 100 * coverage); }

/// Up to the first space; a percent sign stays with its number.
std::string_view first_word(std::string_view text) {
  auto end = text.find(' ');
  while (end != std::string_view::npos && text.substr(end + 1).starts_with('%')) end = text.find(' ', end + 1);
  return text.substr(0, end);
}

/// The words of `text`, broken into lines of at most kColumns; those after the first begin with `indent`. A word that
/// is longer than a line stays whole.
std::string folded(std::string_view text, std::string_view indent) {
  std::string lines;
  std::size_t columns = 0;
  while (!text.empty()) {
    const auto word = first_word(text);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (columns > 0 && columns + 1 + report::width(word) > kColumns) {
      lines += "\n" + std::string(indent);
      columns = indent.size();
    } else if (!lines.empty()) {
      lines += " ";
      columns += 1;
    }
    lines += word;
    columns += report::width(word);
  }
  return lines;
}

std::string faint_lines(std::string_view text, const Style& style) {
  auto lines = folded(text, "  ");
  if (!style.colour) return lines + "\n";
  std::string painted;
  for (std::size_t at = 0; at < lines.size();) {
    const auto end = std::min(lines.find('\n', at), lines.size());
    painted += report::painted(std::string_view(lines).substr(at, end - at), report::Paint::faint, style) + "\n";
    at = end + 1;
  }
  return painted;
}

std::string job_text(const PredictQuestion& question) {
  const auto& job = question.job;
  const auto& model = job.model;
  std::string name = model.name.empty() ? "a model" : model.name;
  if (!model.source.empty()) name = model.source + "/" + name;
  std::string text = name + number_text(" at size %g", model.size) + number_text(", batch %.0f, ", job.batch);
  text += std::string(to_text(job.optimizer)) + ", " + std::string(to_text(job.precision));
  return text + (job.checkpointing ? ", checkpointing" : "");
}

/// "12 TFLOP" for 1.2e13.
std::string flops_text(double flops) {
  if (flops == 0) return kUnknown;
  return flops < 1e12 ? number_text("%.3g GFLOP", flops / 1e9) : number_text("%.3g TFLOP", flops / 1e12);
}

/// "12.3 ms" for 0.0123.
std::string seconds_text(double seconds) {
  return seconds < 1 ? number_text("%.3g ms", 1e3 * seconds) : number_text("%.3g s", seconds);
}

/// "fits on rtx-4090-24gb, a100-40gb"; for a single GPU also "about 3.94 GiB of 23.64 GiB".
std::string verdict_line(const PredictAnswer& answer, verdict::Answer kind, const Style& style) {
  std::string names;
  for (const auto& card : answer.cards) {
    if (card.answer == kind) names += (names.empty() ? "" : ", ") + card.card->card.id;
  }
  if (names.empty()) return "";
  const auto glyph = std::string(report::answer_glyph(kind, style));
  auto text = glyph + " " + report::answer_text(kind) + (kind == verdict::Answer::tight ? ", on " : " on ") + names;
  if (answer.cards.size() == 1) {
    const auto& card = answer.cards.front();
    text += ": about " + to_text(card.device_median) + " of " + to_text(card.card->card.total_memory);
  }
  return report::painted(folded(text, "  "), report::answer_paint(kind), style) + "\n";
}

/// What people look for first, and failures before the rest.
std::string verdict_lines(const PredictAnswer& answer, const Style& style) {
  using enum verdict::Answer;
  return verdict_line(answer, does_not_fit, style) + verdict_line(answer, tight, style) +
         verdict_line(answer, fits, style);
}

std::string faint_table(std::vector<std::vector<Cell>> rows, const Style& style) {
  for (auto& cell : rows.front()) {
    cell.has_paint = true;
    cell.paint = report::Paint::faint;
  }
  return report::aligned(rows, style);
}

std::string memory_table(const PredictAnswer& answer, const Style& style) {
  const auto bound = "bound " + coverage_text(answer.question.coverage);
  std::vector<std::vector<Cell>> rows{
      {{"GPU"}, {"verdict"}, {"median", Align::right}, {bound, Align::right}, {"of", Align::right}}};
  for (const auto& card : answer.cards) {
    const auto verdict = std::string(report::answer_glyph(card.answer, style)) + " " + report::answer_text(card.answer);
    rows.push_back({{card.card->card.id},
                    {verdict, Align::left, true, report::answer_paint(card.answer)},
                    {to_text(card.device_median), Align::right},
                    {to_text(card.device_upper), Align::right},
                    {to_text(card.card->card.total_memory), Align::right}});
  }
  return faint_table(std::move(rows), style);
}

/// "447 MiB"; for several GPUs "447 MiB (rtx-4090-24gb), 111 MiB (rtx-3060-12gb)".
std::string contexts_text(const PredictAnswer& answer) {
  if (answer.cards.size() == 1) return to_text(answer.cards.front().context);
  std::string text;
  for (const auto& card : answer.cards) {
    text += (text.empty() ? "" : ", ") + to_text(card.context) + " (" + card.card->card.id + ")";
  }
  return text;
}

bool has_step_times(const PredictAnswer& answer) {
  return std::ranges::any_of(answer.cards, [](const PredictedCard& card) { return card.compute.has_value(); });
}

std::vector<Cell> step_cells(const PredictedCard& card) {
  const auto& id = card.card->card.id;
  const auto& compute = card.compute;
  if (!compute) return {{id}, {kUnknown, Align::right}};
  return {{id},
          {seconds_text(compute->median_seconds), Align::right},
          {seconds_text(compute->lower_seconds) + " - " + seconds_text(compute->upper_seconds), Align::right},
          {number_text("%.3g", compute->achieved_flops / 1e12), Align::right},
          {number_text("%.0f %%", 100 * compute->utilisation), Align::right}};
}

std::string step_table(const PredictAnswer& answer, const Style& style) {
  if (!has_step_times(answer)) return std::string("step time: ") + kUnknown + "\n";
  const auto interval = coverage_text(answer.question.coverage) + " interval";
  std::vector<std::vector<Cell>> rows{{{"GPU"},
                                       {"step time", Align::right},
                                       {interval, Align::right},
                                       {"TFLOPS", Align::right},
                                       {"of peak", Align::right}}};
  for (const auto& card : answer.cards) rows.push_back(step_cells(card));
  return faint_table(std::move(rows), style) + "\n";
}

/// For the card on which the job is farthest from the training data.
std::string similarity_text(const PredictAnswer& answer) {
  const auto* farthest = &answer.cards.front().prediction;
  for (const auto& card : answer.cards) {
    if (card.prediction.distance > farthest->distance) farthest = &card.prediction;
  }
  return (farthest->familiar ? "yes (distance " : "no (distance ") + number_text("%.2f", farthest->distance) + ")";
}

/// The first `count` of the clauses between semicolons.
std::string_view clauses(std::string_view text, int count) {
  std::size_t end = 0;
  for (; count > 0 && end != std::string_view::npos; --count) end = text.find(';', end == 0 ? 0 : end + 1);
  return text.substr(0, end);
}

/// A model file lists the errors of each of its variants on a line: "layers: median error 6 %".
std::string_view errors_of_variant(std::string_view errors, std::string_view variant) {
  for (std::string_view rest = errors; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.starts_with(variant) && line.substr(variant.size()).starts_with(':')) return clauses(line, 2);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return errors;
}

/// Which model file predicted `what`, and how good it is.
std::string source_text(const std::string& what, const PredictModel& model, std::string_view variant,
                        const Style& style) {
  const auto& card = model.card;
  const auto text = what + " predicted by " + model.file.filename().string() + " (" + card.name + ", " + card.date +
                    "); trained on " + std::string(clauses(card.data, 1)) + "; errors: ";
  return faint_lines(text + std::string(errors_of_variant(card.errors, variant)), style);
}

}  // namespace

std::string predict_text(const PredictAnswer& answer, const PredictModel& model, const Style& style,
                         const PredictModel* compute_model) {
  auto text = verdict_lines(answer, style);
  text += report::painted(folded(job_text(answer.question), "  "), report::Paint::strong, style) + "\n\n";
  text += memory_table(answer, style);
  text += folded("as nvidia-smi would show it, including the CUDA context of " + contexts_text(answer), "  ") + "\n\n";
  text += step_table(answer, style);
  text += "operations per step: " + flops_text(answer.flops) + "\n";
  text += "similar to the training data: " + similarity_text(answer) + "\n";
  for (const auto& note : notes_of(answer)) text += faint_lines("note: " + note, style);
  text += source_text("memory", model, to_text(answer.cards.front().prediction.knowledge), style);
  if (compute_model != nullptr && has_step_times(answer)) {
    const auto knowledge = predictor::compute_knowledge_of(answer.question.job);
    text += source_text("step time", *compute_model, knowledge ? to_text(*knowledge) : "", style);
  }
  return text;
}

}  // namespace dryfit::cli
