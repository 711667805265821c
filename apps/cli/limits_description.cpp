// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "commands.h"
#include "limits_answer.h"
#include "named_cards.h"
#include "predict_answer.h"
#include "predict_model_file.h"
#include "predict_question.h"
#include "predictor/job_predictor.h"
#include "refusal.h"
#include "resources.h"

namespace dryfit::cli {
namespace {

/// The prediction for the first GPU of the job described in this JSON object. An Error of ours names what is wrong with
/// the description or the GPU.
Result<PredictAnswer> predicted(const RecordedJob& job, const std::string& description, const Resources& resources,
                                const Catalogue& catalogue) {
  const auto models = models_folder(resources);
  const auto file = default_model_file(models);
  if (!file) return file.error();
  const auto learned = predictor::JobPredictor::read(*file);
  if (!learned) return learned.error();
  const auto known = predictor::KnownModels::read(models / kModelCatalogue);
  auto question = parse_question(description, {.gpus = job.gpus},
                                 known ? ModelSource{&*known, {}} : ModelSource{nullptr, known.error()});
  if (!question) return question.error();
  if (question->gpus.size() > 1) question->gpus.resize(1);
  return answer_of(std::move(question).value(), CardNames(catalogue),
                   [&](const auto& each, double coverage) { return learned->predict(each, coverage); });
}

/// The bound of the prediction is all that is known: a job may run with less.
verdict::Verdict verdict_of(const PredictedCard& predicted) {
  const auto& card = predicted.card->card;
  verdict::Verdict verdict{.card = card, .answer = predicted.answer, .capacity = card.available()};
  const Bytes bound{static_cast<std::uint64_t>(std::llround(predicted.prediction.upper_bytes))};
  verdict.limits = {.to_request = predicted.device_upper + card.context_spread,
                    .comfortable_cap = bound,
                    .least_cap = bound,
                    .source = verdict::LimitSource::prediction,
                    .upper_bound_because = "a prediction has no requests that could be replayed"};
  return verdict;
}

}  // namespace

std::optional<LimitsAnswer> limits_of_description(const RecordedJob& job, const std::string& description,
                                                  int& exit_code) {
  const auto resources = find_resources();
  if (!resources) return refused(resources.error(), kCouldNotTell, exit_code);
  const auto catalogue = Catalogue::load(resources->cards, job.cards);
  if (!catalogue) return refused(catalogue.error(), kWrongUsage, exit_code);
  const auto answer = predicted(job, description, *resources, *catalogue);
  if (!answer) return refused(answer.error(), kWrongUsage, exit_code);
  auto verdict = verdict_of(answer->cards.front());
  if (verdict.answer == verdict::Answer::does_not_fit) {
    return refused({"the job does not fit on " + verdict.card.id + ", as predicted, so it has no limits there",
                    "Name a GPU with more memory, as listed by `dryfit gpus`."},
                   kDoesNotFit, exit_code);
  }
  return LimitsAnswer{std::move(verdict), {}};
}

}  // namespace dryfit::cli
