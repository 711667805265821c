// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card_text.h"

#include <cmath>
#include <cstdio>

#include "predictor/median.h"
#include "predictor/metrics.h"

namespace dryfit::training {
namespace {

using predictor::ComputeExamples;
using predictor::StepsOutOfFold;

std::string text_of(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

struct Amounts {
  std::vector<double> truth;
  std::vector<double> predicted;
};

Amounts tflops(ComputeExamples examples, const StepTable& table, const std::vector<double>& seconds) {
  Amounts amounts;
  for (std::size_t i = table.begin; i < table.end; ++i) {
    amounts.truth.push_back(achieved_tflops(examples[i], examples[i].seconds));
    amounts.predicted.push_back(achieved_tflops(examples[i], seconds[i]));
  }
  return amounts;
}

std::string score_line(const std::string& name, const Amounts& amounts) {
  const auto scores = predictor::score(amounts.truth, amounts.predicted);
  char text[160];
  std::snprintf(text, sizeof text, "  %-16s MSE %9.2f  RMSE %7.3f  MAE %7.3f  MAPE %6.2f  R2 %7.4f\n", name.c_str(),
                scores[predictor::Metric::mse], scores[predictor::Metric::rmse], scores[predictor::Metric::mae],
                scores[predictor::Metric::mape], scores[predictor::Metric::r2]);
  return text;
}

double median_error(ComputeExamples examples, const StepTable& table, const std::vector<double>& seconds) {
  std::vector<double> errors;
  for (std::size_t i = table.begin; i < table.end; ++i) {
    errors.push_back(std::abs(seconds[i] / examples[i].seconds - 1));
  }
  return predictor::median(errors);
}

}  // namespace

std::string errors_line(ComputeExamples examples, const std::vector<StepTable>& tables,
                        const StepsOutOfFold& predictions, const predictor::IntervalScores& intervals, double coverage,
                        const std::vector<predictor::GpuShift>& shifts) {
  std::string text = std::string(to_text(predictions.knowledge)) + ": median error of a step's time";
  for (const auto& table : tables) {
    text += (&table == &tables.front() ? " " : ", ") +
            text_of("%.1f %%", 100 * median_error(examples, table, predictions.seconds)) + " of " + table.title;
  }
  text += text_of("; the interval of %.4g %%", 100 * coverage) + text_of(" holds %.1f %%", 100 * intervals.coverage) +
          text_of(" (worst fold %.1f %%)", 100 * intervals.worst_fold) +
          text_of(" and is a factor of %.2f to both sides", intervals.factor);
  for (const auto& shift : shifts) {
    text += "; " + std::to_string(shift.steps) + text_of(" steps on chips of %.1f", shift.compute_capability) +
            text_of(" that were not learned from: median error %.1f %%", 100 * shift.median_error) +
            text_of(", shifted by %+.1f %%", 100 * std::expm1(shift.shift));
  }
  return text;
}

std::string scores_table(ComputeExamples examples, const StepTable& table, const StepsOutOfFold& predictions) {
  const auto line = [&](const std::string& name, const std::vector<double>& seconds) {
    return score_line(name, tflops(examples, table, seconds));
  };
  std::string text = std::string(to_text(predictions.knowledge)) + ", " + table.title + ", TFLOPS\n";
  text += line("roofline", predictions.base);
  for (std::size_t seed = 0; seed < predictions.seeds.size(); ++seed) {
    text += line("seed " + std::to_string(seed), predictions.seeds[seed]);
  }
  return text + line("all seeds", predictions.seconds);
}

std::string predictions_of(ComputeExamples examples, const StepTable& table, const StepsOutOfFold& predictions) {
  std::vector<std::size_t> rows;
  for (std::size_t i = table.begin; i < table.end; ++i) rows.push_back(examples[i].row);
  const auto name = std::string(to_text(predictions.knowledge));
  const auto roofline = tflops(examples, table, predictions.base);
  const auto all = tflops(examples, table, predictions.seconds);
  const std::vector<predictor::Contender> contenders{
      {"roofline " + name, roofline.predicted},
      {"compute " + name + " x" + std::to_string(predictions.seeds.size()), all.predicted}};
  return predictor::predictions_table(rows, contenders);
}

}  // namespace dryfit::training
