// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "predict_answer.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "card/card_match.h"

namespace dryfit::cli {
namespace {

using predictor::Prediction;
using verdict::Answer;

constexpr int kMultiprocessorCount = 16;  // CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT

constexpr double kMostBytes = 1e18;

Bytes bytes(double count) { return {static_cast<std::uint64_t>(std::llround(count))}; }

/// A NaN or a nonsensical number would look like a fit later on.
Status check_prediction(const Prediction& prediction) {
  const bool sound = std::isfinite(prediction.median_bytes) && prediction.median_bytes > 0 &&
                     prediction.median_bytes < kMostBytes && std::isfinite(prediction.upper_bytes) &&
                     prediction.upper_bytes > 0 && prediction.upper_bytes < kMostBytes;
  if (sound) return {};
  return Error{"the learned model gives no usable number for this job",
               "The job is too different from the training data; use `dryfit run` instead."};
}

/// A cap is on what PyTorch reserves, which the model predicts, without the context.
Answer weigh(const PredictedCard& card) {
  const auto allowed = card.cap ? std::min(card.capacity, *card.cap + card.context) : card.capacity;
  if (card.device_median > allowed) return Answer::does_not_fit;
  const bool may_exceed =
      card.device_upper > allowed || card.device_upper + card.card->card.context_spread > card.capacity;
  return may_exceed ? Answer::tight : Answer::fits;
}

/// Replaces the model's bound by the corrected one.
void correct(PredictedCard& card, const std::string& model, const SiteBounds& site) {
  auto& prediction = card.prediction;
  const double shift = site.shift(card.card->card.id, model, prediction.coverage);
  if (shift == 0) return;
  prediction.upper_bytes = predictor::corrected_bound(prediction.median_bytes, card.model_upper_bytes, shift);
  card.bound_factor = prediction.upper_bytes / card.model_upper_bytes;
}

Result<PredictedCard> on_card(const CardFile& file, predictor::JobDescription& job, double coverage,
                              const MemoryLimits& limits, const Predict& predict, const SiteCorrection* site) {
  const auto& card = file.card;
  job.multiprocessors = card.attribute(kMultiprocessorCount);
  job.compute_capability = card.compute_capability.major + card.compute_capability.minor / 10.0;
  auto prediction = predict(job, coverage);
  if (!prediction) return prediction.error();
  PredictedCard result{.card = &file,
                       .prediction = *prediction,
                       .model_upper_bytes = prediction->upper_bytes,
                       .context = card.context_memory + card.launch_memory};
  if (site && site->bounds) correct(result, job.model.name, *site->bounds);
  if (auto status = check_prediction(result.prediction); !status) return status.error();
  result.device_median = bytes(result.prediction.median_bytes) + result.context;
  result.device_upper = bytes(result.prediction.upper_bytes) + result.context;
  const auto shared = limited(card, limits);
  if (!shared) return shared.error();
  result.capacity = shared->available();
  result.cap = limits.cap_on(card);
  result.answer = weigh(result);
  return result;
}

void add_compute(PredictedCard& card, PredictAnswer& answer, const PredictQuestion& question,
                 const PredictCompute& compute) {
  if (!compute) return;
  auto prediction = compute(question.job, card.card->card, question.coverage);
  if (prediction) {
    card.compute = *prediction;
  } else {
    answer.no_compute = prediction.error().what;
  }
}

/// Caveats about step times.
void add_compute_notes(const PredictAnswer& answer, std::vector<std::string>& notes) {
  if (!answer.no_compute.empty()) notes.push_back("step time is unknown: " + answer.no_compute);
  bool other_card = false, other_job = false;
  for (const auto& card : answer.cards) {
    if (!card.compute || card.compute->familiar) continue;
    (card.compute->measured ? other_job : other_card) = true;
  }
  if (other_card) {
    notes.push_back(
        "no step times of such jobs were measured on some of these GPUs; theirs are scaled by peak rate, with a wider "
        "interval");
  }
  if (other_job) {
    notes.push_back("the job is unlike those with measured step times, so the interval is wider");
  }
}

bool is_unfamiliar(const PredictAnswer& answer) {
  return std::ranges::any_of(answer.cards, [](const PredictedCard& card) { return !card.prediction.familiar; });
}

std::string text_of(const char* format, double value) {
  char text[200];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// "300 records from this site, the last on 2026-11-02".
std::string records_text(const SiteBounds& site) {
  return std::to_string(site.records()) + " records from this site" +
         (site.day().empty() ? "" : ", the last on " + site.day());
}

/// One for each card with a corrected bound.
std::vector<std::string> site_notes(const PredictAnswer& answer) {
  if (answer.site == nullptr) return {};
  const auto& [site, problem] = *answer.site;
  if (!problem.empty()) return {"bounds are not corrected for this site: " + problem};
  if (site == nullptr) return {};
  std::vector<std::string> notes;
  for (const auto& card : answer.cards) {
    if (card.bound_factor == 1) continue;
    notes.push_back(card.card->card.id + ": the model's bound of " + to_text(bytes(card.model_upper_bytes)) + " is " +
                    (card.bound_factor > 1 ? "raised" : "lowered") +
                    text_of(" by %.1f %% (", 100 * std::abs(card.bound_factor - 1)) + records_text(*site) + ")");
  }
  if (notes.empty())
    notes.push_back("the bounds are not changed by this site's calibration (" + records_text(*site) + ")");
  return notes;
}

}  // namespace

Result<const CardFile*> CardNames::find(const std::string& typed) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = found_.find(typed); found != found_.end()) return found->second;
  const auto card = match_card(*catalogue_, typed);
  if (card) found_.emplace(typed, *card);
  return card;
}

Result<PredictAnswer> answer_of(PredictQuestion question, const CardNames& cards, const Predict& predict,
                                const SiteCorrection* site, const PredictCompute& compute) {
  PredictAnswer answer;
  if (question.gpus.empty()) {
    return Error{"no GPU given", "Name one with --gpu rtx-4090, or with \"gpu\" in a JSON description."};
  }
  for (const auto& name : question.gpus) {
    const auto file = cards.find(name);
    if (!file) return file.error();
    if (std::ranges::find(answer.cards, *file, &PredictedCard::card) != answer.cards.end()) continue;
    auto card = on_card(**file, question.job, question.coverage, question.limits, predict, site);
    if (!card) return card.error();
    add_compute(*card, answer, question, compute);
    answer.cards.push_back(*card);
  }
  answer.flops = question.job.model.flops * question.job.batch;
  answer.site = site;
  answer.question = std::move(question);
  return answer;
}

int exit_code(const PredictAnswer& answer, bool strict) {
  const auto fails = [&](const PredictedCard& card) {
    return card.answer == Answer::does_not_fit || (strict && card.answer == Answer::tight);
  };
  return std::ranges::any_of(answer.cards, fails) ? 3 : 0;
}

std::vector<std::string> notes_of(const PredictAnswer& answer) {
  const auto& question = answer.question;
  std::vector<std::string> notes;
  if (question.dry_run) notes.push_back("the model was described by a few dry-run steps");
  if (question.known_size > 0) {
    notes.push_back(text_of("the model is known at size %g and was scaled from there by ", question.known_size) +
                    (question.image ? "area" : "length") + ", so the prediction is less certain and the bound wider");
  }
  if (is_unfamiliar(answer)) {
    notes.push_back("the job is unlike the training data, so the bound is wider; `dryfit run` gives an exact answer");
  }
  if (question.job.model.blocks.empty()) {
    notes.push_back("the model's layers are unknown, so the prediction is less certain");
  }
  if (question.job.checkpointing && answer.flops > 0) {
    notes.push_back("operations that checkpointing repeats are not counted");
  }
  std::ranges::move(site_notes(answer), std::back_inserter(notes));
  add_compute_notes(answer, notes);
  return notes;
}

}  // namespace dryfit::cli
